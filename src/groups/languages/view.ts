import { z } from 'zod'
import { viewOf } from '../../http/view.ts'
import { slugRulesOf, siteUrl } from '../../content/languages/languages.ts'
import type { LanguageRow } from '../../content/languages/queries.ts'
import { categories } from '../../content/languages/rules.ts'

const map = z.record(z.string(), z.string())

export const languageView = viewOf<LanguageRow>('Language')(
  field => ({
    code: field.value(z.string(), ({ code }) => code),
    default: field.value(z.boolean(), ({ is_default }) => is_default === 1),
    direction: field.value(z.enum(['ltr', 'rtl']), ({ direction }) => direction),
    locale: field.value(map, ({ locale }) => numbered(JSON.parse(locale) as Record<string, string>)),
    name: field.value(z.string(), ({ name }) => name),
    rules: field.value(map, slugRulesOf),
    slugs: field.value(map, ({ slugs }) => JSON.parse(slugs) as Record<string, string>),
    translations: field.value(map, ({ translations }) => JSON.parse(translations) as Record<string, string>),
    url: field.value(z.string(), (language, { app }) => siteUrl(app, language)),
  }),
  { default: ['code', 'default', 'direction', 'locale', 'name', 'rules', 'url'] },
  ['code', 'default', 'direction', 'locale', 'name', 'rules', 'slugs', 'translations', 'url'],
)

/** Categories by their numeric constants: `{ LC_ALL: 'de_DE' }` → `{ 6: 'de_DE' }` */
function numbered(locale: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(locale).map(([category, text]) => [categories.indexOf(category), text]))
}
