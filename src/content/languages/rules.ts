import { fail } from '../../platform/errors.ts'
import { toSlug } from '../../platform/lib/slug.ts'
import { type Message, message } from '../../platform/texts.ts'
import type { LanguageRow } from './queries.ts'

const maxLanguages = 100

/** Normalises the code: `pt_BR` becomes `pt-br`. */
export function codeMustBeValid(text: string): string {
  const code = toSlug(text)
  if (!/^[a-z\d-]{2,20}$/.test(code)) throw fail('language.code')
  return code
}

export function nameMustBeValid(text: string): string {
  const name = text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ').trim()
  if (name === '') throw fail('language.name')
  return name
}

/** A path prefix (`/de`), an empty text, or an absolute URL. Removes trailing slashes. */
export function urlMustBeValid(text: string): string {
  const url = text.trim().replace(/\/+$/, '')
  if (/^https?:\/\//i.test(url)) {
    const parsed = URL.parse(url)
    const isPlain = parsed && !parsed.username && !parsed.password && !parsed.search && !parsed.hash
    if (!isPlain || url.includes('?') || url.includes('#')) throw wrong('url', { url: message('validation.url') })
    return parsed.href.replace(/\/$/, '')
  }
  const path = url === '' || url.startsWith('/') ? url : `/${url}`
  const parts = path.split('/').slice(1)
  if (parts.some(part => !/^[\p{L}\p{M}\p{N}_~.-]+$/u.test(part) || /^\.+$/.test(part)))
    throw wrong('url', { pattern: message('validation.pattern') })
  return path
}

/** The index is the number of the category in PHP's `LC_*` constants on Linux, which clients use. */
export const categories = ['LC_CTYPE', 'LC_NUMERIC', 'LC_TIME', 'LC_COLLATE', 'LC_MONETARY', 'LC_MESSAGES', 'LC_ALL']

/** One locale, or one for each category, by name or number. */
export function localeMustBeValid(locale: string | Readonly<Record<string, string>>): Record<string, string> {
  const locales = typeof locale === 'string' ? { LC_ALL: locale } : locale
  const entries = Object.entries(locales).map(([category, text]) => {
    const name = /^\d$/.test(category) ? categories[Number(category)] : category
    const isRight = name !== undefined && categories.includes(name) && /^[\w.@-]{1,50}$/.test(text)
    if (!isRight) throw wrong('locale', { pattern: message('validation.pattern') })
    return [name, text]
  })
  if (entries.length === 0) throw wrong('locale', { required: message('validation.empty') })
  return Object.fromEntries(entries) as Record<string, string>
}

function wrong(name: string, problem: Record<string, Message>) {
  return fail('invalidArgument').with({ details: { [name]: { label: name, message: problem } } })
}

/** The code must be unused, and the limit not reached. */
export function languageMustBeNew(languages: readonly LanguageRow[], code: string): void {
  if (languages.some(language => language.code === code)) throw fail('language.duplicate', { code })
  if (languages.length >= maxLanguages) throw fail('language.limit', { max: String(maxLanguages) })
}

/** The default language can only be deleted last. */
export function languageMustBeDeletable(languages: readonly LanguageRow[], { is_default }: LanguageRow): void {
  if (is_default === 1 && languages.length > 1) throw fail('language.delete.default')
}
