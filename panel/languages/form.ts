import { base } from '../app/base.ts'
import { categories, type LanguageModel } from './model.ts'
import { mapOf, type Pairs, pairsOf } from './pairs.tsx'

/** A language as edited in the form. */
export interface LanguageForm {
  name: string
  locale: Pairs
  direction: 'ltr' | 'rtl'
  url: string
  slugs: Pairs
  translations: Pairs
}

export const formOf = ({ name, locale, direction, url, slugs, translations }: LanguageModel): LanguageForm => ({
  name,
  locale: Object.entries(locale).map(([number, text]) => [categories[Number(number)] ?? number, text]),
  direction,
  url: ownPath(url),
  slugs: pairsOf(slugs),
  translations: pairsOf(translations),
})

/** The request body. An unchanged URL is not sent, because that would make a default URL an explicit one. */
export const bodyOf = (form: LanguageForm, saved: LanguageForm) => ({
  name: form.name,
  direction: form.direction,
  locale: mapOf(form.locale),
  ...(form.url !== saved.url && { url: form.url }),
  slugs: mapOf(form.slugs),
  translations: mapOf(form.translations),
})

/** The path of a URL on this site, such as `/de`; any other URL as a whole. */
function ownPath(url: string): string {
  const parsed = URL.parse(url)
  if (!parsed || parsed.origin !== location.origin || !parsed.pathname.startsWith(base)) return url
  return parsed.pathname.slice(base.length).replace(/\/$/, '')
}
