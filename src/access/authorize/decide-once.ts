import type { Blueprints } from '../../blueprints/blueprints.ts'
import { nobody } from '../../blueprints/permissions/permissions.ts'
import type { Actor, ActorContext } from '../actor.ts'

interface Decisions {
  version: number
  byKey: Map<string, unknown>
}
const decisionsOfRoles = new WeakMap<Blueprints, Decisions>()
const decisionsByActor = new WeakMap<Actor, Decisions>()

/**
 * Decides once per role until the blueprints change. The scopes of a token limit the rights of the role, so with a
 * token it decides once per request. A decision must not be undefined.
 */
export function decideOnce<Value>({ app, actor }: ActorContext, what: string, decide: () => Value): Value {
  if (actor.system) return decide()
  const { version } = app.blueprints
  const isByToken = actor.isAnonymous ? actor.owner !== undefined : actor.token !== undefined
  let decisions = isByToken ? decisionsByActor.get(actor) : decisionsOfRoles.get(app.blueprints)
  if (decisions?.version !== version) {
    decisions = { version, byKey: new Map() }
    if (isByToken) decisionsByActor.set(actor, decisions)
    else decisionsOfRoles.set(app.blueprints, decisions)
  }
  // A pass also opens a site that is closed to other anonymous clients.
  const role = actor.isAnonymous ? (actor.pass ? `${nobody} with pass` : nobody) : actor.user.role
  const key = `${what} ${role}`
  let decision = decisions.byKey.get(key)
  if (decision === undefined) decisions.byKey.set(key, (decision = decide()))
  return decision as Value
}
