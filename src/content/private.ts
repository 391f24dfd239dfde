import type { ActorContext } from '../access/actor.ts'
import type { Fields } from '../blueprints/fields/field.ts'
import { perField } from '../blueprints/fields/per-field.ts'
import type { StoredContent } from './content.ts'

const publicFields = perField((fields: Fields): Fields => new Map([...fields].filter(([, field]) => !field.private)))

/** The fields that the actor may see. Anonymous clients do not see private ones. */
export function visibleFields({ actor }: Pick<ActorContext, 'actor'>, fields: Fields): Fields {
  return actor.isAnonymous ? publicFields(fields) : fields
}

/**
 * The stored values that the actor may see. Anonymous clients do not see values whose field was removed from the blueprint: it may
 * have been private. The title is always public.
 */
export function visibleContent(
  { actor }: Pick<ActorContext, 'actor'>,
  fields: Fields,
  stored: StoredContent,
): StoredContent {
  if (!actor.isAnonymous) return stored
  const shown = publicFields(fields)
  return Object.fromEntries(Object.entries(stored).filter(([name]) => name === 'title' || shown.has(name)))
}

const publicForms = new WeakMap<object, object>()

/** The form with the fields that the actor may see. Always the same object for a form, because it is the key of caches. */
export function visibleForm<Form extends { fields: Fields }>(ctx: Pick<ActorContext, 'actor'>, form: Form): Form {
  if (!ctx.actor.isAnonymous) return form
  let shown = publicForms.get(form) as Form | undefined
  if (!shown) publicForms.set(form, (shown = { ...form, fields: publicFields(form.fields) }))
  return shown
}
