import { fail } from '../platform/errors.ts'
import { message } from '../platform/texts.ts'
import { inLanguage } from '../platform/translations/translations.ts'
import type { StoredContent } from './content.ts'
import type { Problems } from './rules.ts'

/** The title of a page or the site, which is content with a permission of its own. */

const maxLength = 1000

/** Without line breaks and other control characters. */
export const inOneLine = (title: string): string => title.replaceAll(/\s*[\p{Cc}\u2028\u2029]+\s*/gu, ' ').trim()

/** The title of a draft. It may be empty, because a draft may be unfinished. */
export function draftTitle(title: string, locale: string): string {
  if (title.length <= maxLength) return inOneLine(title)
  const text = inLanguage(message('validation.maxlength', { max: String(maxLength) }), locale)
  throw fail('invalidArgument').with({ details: problem('maxlength', text, locale) })
}

/** The error of a draft that removes the title; publishing it would be refused. */
export function titleProblems(published: StoredContent, draft: StoredContent, locale: string): Problems {
  if ((draft['title'] ?? '') !== '' || (published['title'] ?? '') === '') return {}
  return problem('required', inLanguage(message('validation.required'), locale), locale)
}

const problem = (rule: string, text: string, locale: string): Problems => ({
  title: { label: inLanguage(message('section.table.title'), locale), message: { [rule]: text } },
})
