import type { Field, Fields, NestedFields } from '../blueprints/fields/field.ts'
import type { ContentLanguage } from '../http/context.ts'

type Described = Readonly<{ fields: Fields }>
type Rules = ContentLanguage['slugs']

/** Cache: many models share few blueprints and languages. */
const formCache = new WeakMap<Described, Map<string, Described>>()

/** Gives fields with `converter: slug` the slug rules of a language: `ä` becomes `ae` in `de`. */
export function formIn<Form extends Described>(form: Form, { slugs }: Pick<ContentLanguage, 'slugs'>): Form {
  if (Object.keys(slugs).length === 0) return form
  const byRules = formCache.get(form) ?? new Map<string, Described>()
  formCache.set(form, byRules)
  const key = JSON.stringify(slugs)
  let found = byRules.get(key)
  if (!found) {
    const fields = fieldsIn(form.fields, slugs)
    byRules.set(key, (found = fields === form.fields ? form : { ...form, fields }))
  }
  return found as Form
}

/** Returns the same map if no field has a slug converter. */
function fieldsIn(fields: Fields, slugs: Rules): Fields {
  const changed = [...fields].map(([name, field]) => [name, fieldIn(field, slugs)] as const)
  return changed.every(([name, field]) => fields.get(name) === field) ? fields : new Map(changed)
}

function fieldIn(field: Field, slugs: Rules): Field {
  if (field['converter'] === 'slug') return { ...field, slugs }
  const { fields } = field as Partial<NestedFields>
  const inner = fields && fieldsIn(fields, slugs)
  return inner === fields ? field : { ...field, fields: inner }
}
