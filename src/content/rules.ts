import { z } from 'zod'
import type { Form } from '../blueprints/blueprints.ts'
import type { RuleErrors, BlueprintText } from '../blueprints/fields/field.ts'
import { fail } from '../platform/errors.ts'
import { inLanguage } from '../platform/translations/translations.ts'
import { changeContent, type Changed, type Detail, type StoredContent } from './content.ts'
import { namedSchema } from '../platform/lib/schema-names.ts'

const labelledErrors = { label: z.string(), message: z.record(z.string(), z.string()) }

/** Errors of a field: its label, and a message for each broken rule. */
const wrongField = z.object({
  ...labelledErrors,
  /** Errors of nested fields, each with the path of its value: `[1, 'title']` is in the second row. */
  inside: z.array(z.object({ path: z.array(z.union([z.string(), z.int()])), ...labelledErrors })).optional(),
})

/** Errors by field name. An interface, because TypeScript writes its name instead of its properties into declarations. */
export interface Problems {
  [field: string]: z.output<typeof wrongField>
}

export const problemsSchema: z.ZodType<Problems> = namedSchema('FieldErrors', z.record(z.string(), wrongField))

/** Returns the content to store, or throws the errors in the given language. */
export function contentMustBeValid(changed: Changed, language: string): Record<string, string> {
  if ('stored' in changed) return changed.stored
  const details = describeProblems(changed.errors, language)
  if (Object.values(details).some(({ message }) => 'broken' in message)) throw fail('content.broken').with({ details })
  throw fail('invalidArgument').with({ details })
}

/** Broken blueprint rules, for which publishing would be refused; empty if valid. */
export async function problemsOf(
  form: Pick<Form, 'fields' | 'broken'>,
  content: StoredContent,
  locale: string,
  /** The published content, if `content` is a draft. */
  before: StoredContent = content,
): Promise<Problems> {
  const checked = await changeContent(form, content, {}, { validate: true, before, shownReferences: 'all' })
  return 'stored' in checked ? {} : describeProblems(checked.errors, locale)
}

function describeProblems(errors: Readonly<Record<string, Detail>>, language: string): Problems {
  const one = (label: BlueprintText, rules: RuleErrors) => ({
    label: inLanguage(label, language),
    message: Object.fromEntries(Object.entries(rules).map(([rule, text]) => [rule, inLanguage(text, language)])),
  })
  const all = Object.entries(errors).map(([name, { label, message, inside }]) => {
    const parts = inside?.map(part => ({ path: [...part.path], ...one(part.field.label, part.errors) }))
    return [name, { ...one(label, message), ...(parts && { inside: parts }) }]
  })
  return Object.fromEntries(all) as Problems
}
