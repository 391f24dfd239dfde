import { fail } from '../errors.ts'
import { inLanguage } from '../translations/translations.ts'
import type { Changed } from './content.ts'

/** What is to be stored; or all that is wrong with it, with the labels of the fields as this reader knows them. */
export function contentMustFit(changed: Changed, language: string): Record<string, string> {
  if ('stored' in changed) return changed.stored
  const details = Object.entries(changed.broken).map(([name, { label, message }]) => [
    name,
    { label: inLanguage(label, language), message },
  ])
  throw fail('invalidArgument').with({ details: Object.fromEntries(details) as Record<string, unknown> })
}
