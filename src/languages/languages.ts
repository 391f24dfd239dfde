import type { App } from '../app.ts'
import { fail } from '../errors.ts'
import type { ContentLanguage } from '../http/look.ts'
import { type LanguageRow, selectLanguages } from './queries.ts'

/** The language of a site that has none. */
export const only: ContentLanguage = { code: undefined, key: '', fallback: '', url: '', slugs: {} }

/** The one that is asked for, or the default one. */
export async function contentLanguage({ store }: App, asked: string | undefined): Promise<ContentLanguage> {
  const rows = await selectLanguages(store)
  if (rows.length === 0) return only
  const basic = rows.find(row => row.is_default === 1)!
  const row = asked === undefined ? basic : rows.find(({ code }) => code === asked)
  if (!row) return { ...languageOf(basic, basic), unknown: asked! }
  return languageOf(row, basic)
}

/** Every language, the default one first; on a site without any the one it has. */
export async function contentLanguages({ store }: App): Promise<ContentLanguage[]> {
  const rows = await selectLanguages(store)
  const basic = rows.find(row => row.is_default === 1)
  if (!basic) return [only]
  return [basic, ...rows.filter(row => row !== basic)].map(row => languageOf(row, basic))
}

function languageOf({ code, key, url, slugs }: LanguageRow, basic: LanguageRow): ContentLanguage {
  return { code, key, fallback: basic.key, url, slugs: JSON.parse(slugs) as Record<string, string> }
}

/** Whoever writes in a language that is not there must not find the text in another one. */
export function languageMustExist({ unknown }: ContentLanguage): void {
  if (unknown !== undefined) throw fail('language.unknown', { code: unknown })
}

export const isDefault = ({ key, fallback }: ContentLanguage) => key === fallback
