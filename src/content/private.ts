import type { ActorContext } from '../access/actor.ts'
import type { Fields } from '../blueprints/fields/field.ts'
import { perField } from '../blueprints/fields/per-field.ts'
import type { StoredContent } from './content.ts'

const publicFields = perField((fields: Fields): Fields => new Map([...fields].filter(([, field]) => !field.private)))

/** The fields that the actor may see: anonymous clients none that are private. */
export function visibleFields({ actor }: Pick<ActorContext, 'actor'>, fields: Fields): Fields {
  return actor.isAnonymous ? publicFields(fields) : fields
}

/**
 * The texts that the actor may see. Anonymous clients see none without a field: a removed field may have been private.
 */
export function visibleTexts(
  { actor }: Pick<ActorContext, 'actor'>,
  fields: Fields,
  stored: StoredContent,
): StoredContent {
  if (!actor.isAnonymous) return stored
  const shown = publicFields(fields)
  return Object.fromEntries(Object.entries(stored).filter(([name]) => name === 'title' || shown.has(name)))
}

const publicForms = new WeakMap<object, object>()

/** The form with the fields that the actor may see. The same object every time, because others cache by it. */
export function visibleForm<Form extends { fields: Fields }>(ctx: Pick<ActorContext, 'actor'>, form: Form): Form {
  if (!ctx.actor.isAnonymous) return form
  let shown = publicForms.get(form) as Form | undefined
  if (!shown) publicForms.set(form, (shown = { ...form, fields: publicFields(form.fields) }))
  return shown
}
