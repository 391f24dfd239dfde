import { z } from 'zod'
import type { Form } from '../blueprints/blueprints.ts'
import type { Broken, Text } from '../blueprints/fields/field.ts'
import { fail } from '../platform/errors.ts'
import { inLanguage } from '../platform/translations/translations.ts'
import { changeContent, type Changed, type Detail, type StoredContent } from './content.ts'

const wrong = { label: z.string(), message: z.record(z.string(), z.string()) }

/** What is wrong with a field: its label, and what each rule that is broken says. */
const wrongField = z.object({
  ...wrong,
  /** The fields inside of it that are wrong, each with the way to its value: `[1, 'title']` in the second row. */
  inside: z.array(z.object({ path: z.array(z.union([z.string(), z.int()])), ...wrong })).optional(),
})

export const problemsSchema = z.record(z.string(), wrongField)

/** By the name of the field. */
export type Problems = z.output<typeof problemsSchema>

/** What is to be stored; or all that is wrong with it, as this reader understands it. */
export function contentMustFit(changed: Changed, language: string): Record<string, string> {
  if ('stored' in changed) return changed.stored
  const details = said(changed.broken, language)
  if (Object.values(details).some(({ message }) => 'broken' in message)) throw fail('content.broken').with({ details })
  throw fail('invalidArgument').with({ details })
}

/** The rules of the blueprint that content breaks, which is what it would be refused for; empty when all is well. */
export function problemsOf(
  form: Pick<Form, 'fields' | 'broken'>,
  content: StoredContent,
  readBy: string,
  /** What is published now, where the content is not yet. */
  before: StoredContent = content,
): Problems {
  const checked = changeContent(form, content, {}, { validate: true, before })
  return 'stored' in checked ? {} : said(checked.broken, readBy)
}

function said(broken: Readonly<Record<string, Detail>>, language: string): Problems {
  const one = (label: Text, rules: Broken) => ({
    label: inLanguage(label, language),
    message: Object.fromEntries(Object.entries(rules).map(([rule, text]) => [rule, inLanguage(text, language)])),
  })
  const all = Object.entries(broken).map(([name, { label, message, inside }]) => {
    const parts = inside?.map(part => ({ path: [...part.path], ...one(part.field.label, part.broken) }))
    return [name, { ...one(label, message), ...(parts && { inside: parts }) }]
  })
  return Object.fromEntries(all) as Problems
}
