import { base } from '../app/base.ts'
import { categories, type Language } from './model.ts'
import { mapOf, type Pairs, pairsOf } from './pairs.tsx'

/** A language as somebody types it. */
export interface Form {
  name: string
  locale: Pairs
  direction: 'ltr' | 'rtl'
  url: string
  slugs: Pairs
  translations: Pairs
}

export const formOf = ({ name, locale, direction, url, slugs, translations }: Language): Form => ({
  name,
  locale: Object.entries(locale).map(([number, text]) => [categories[Number(number)] ?? number, text]),
  direction,
  url: ownPath(url),
  slugs: pairsOf(slugs),
  translations: pairsOf(translations),
})

/** What is sent. An address that nobody touched is not made one that was said. */
export const bodyOf = (form: Form, saved: Form) => ({
  name: form.name,
  direction: form.direction,
  locale: mapOf(form.locale),
  ...(form.url !== saved.url && { url: form.url }),
  slugs: mapOf(form.slugs),
  translations: mapOf(form.translations),
})

/** The part that is said of the language: `/de`; an address of its own as a whole. */
function ownPath(url: string): string {
  const parsed = URL.parse(url)
  if (!parsed || parsed.origin !== location.origin || !parsed.pathname.startsWith(base)) return url
  return parsed.pathname.slice(base.length).replace(/\/$/, '')
}
