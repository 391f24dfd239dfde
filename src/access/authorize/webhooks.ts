import { accountOf, actingRole, type ActorContext } from '../actor.ts'

/**
 * Whether the actor may read what the receiver of a webhook answers: it may come from a server that only the owner of the
 * webhook can reach. A webhook of the settings belongs to the administrators.
 */
export function canReadResponses(
  ctx: ActorContext,
  { source, owner_id: owner }: { source: 'panel' | 'settings'; owner_id: string | null },
): boolean {
  if (ctx.actor.system) return true
  return source === 'settings' ? actingRole(ctx) === 'admin' : owner !== null && owner === accountOf(ctx)
}
