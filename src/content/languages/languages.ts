import type { App } from '../../app.ts'
import { type By, record } from '../../access/audit/audit.ts'
import { fail } from '../../platform/errors.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { slugRules } from '../../platform/lib/slug.ts'
import type { Tx } from '../../platform/store/store.ts'
import { completeContents, deleteContents, leaveLanguage } from './contents/contents.ts'
import * as queries from './queries.ts'
import type { LanguageInUse, LanguageRow } from './queries.ts'
import {
  codeMustFit,
  languageMustBeDispensable,
  languageMustBeNew,
  localeMustFit,
  nameMustFit,
  urlMustFit,
} from './rules.ts'

// ---- the language of a request

/** The language of a site that has none. */
export const only: ContentLanguage = { code: undefined, key: '', fallback: '', url: '', slugs: {} }

/** The one that is asked for, or the default one. */
export async function contentLanguage({ store }: App, asked: string | undefined): Promise<ContentLanguage> {
  const rows = await queries.selectLanguages(store)
  if (rows.length === 0) return only
  const basic = rows.find(row => row.is_default === 1)!
  const row = asked === undefined ? basic : rows.find(({ code }) => code === asked)
  if (!row) return { ...languageOf(basic, basic), unknown: asked! }
  return languageOf(row, basic)
}

/** Every language, the default one first; on a site without any the one it has. */
export async function contentLanguages({ store }: App): Promise<ContentLanguage[]> {
  const rows = await queries.selectLanguages(store)
  const basic = rows.find(row => row.is_default === 1)
  if (!basic) return [only]
  return [basic, ...rows.filter(row => row !== basic)].map(row => languageOf(row, basic))
}

function languageOf(row: LanguageInUse, basic: LanguageInUse): ContentLanguage {
  const { code, key, url, has_slugs } = row
  return { code, key, fallback: basic.key, url, slugs: rulesOf(row), hasSlugs: has_slugs === 1 }
}

/** What some letters become in slugs: as people write in this language, and what the site says itself. */
export function rulesOf({ code, locale, slugs }: LanguageRow): Record<string, string> {
  const { LC_ALL = code } = JSON.parse(locale) as Record<string, string>
  return { ...slugRules(LC_ALL), ...(JSON.parse(slugs) as Record<string, string>) }
}

/** The address of the site in a language, without a slash at the end. */
/** The same address at the front end, if there is one elsewhere. */
export function previewOn({ config }: App, url: string): string {
  const { frontEnd } = config
  return frontEnd !== undefined && url.startsWith(config.url)
    ? frontEnd.replace(/\/$/, '') + url.slice(config.url.length)
    : url
}

export function siteUrl({ config }: App, { url }: { url: string }): string {
  return url === '' || url.startsWith('/') ? config.url + url : url
}

export const isDefault = ({ key, fallback }: ContentLanguage) => key === fallback

/** Whoever writes in a language that is not there must not find the text in another one. */
export function languageMustExist({ unknown }: ContentLanguage): void {
  if (unknown !== undefined) throw fail('language.unknown', { code: unknown })
}

/**
 * The same language as it is now, for whoever writes contents in it: until the end of the transaction it is not deleted, and
 * no other one becomes the default.
 */
export async function languageToWrite(tx: Tx, language: ContentLanguage): Promise<ContentLanguage> {
  languageMustExist(language)
  const { code } = language
  if (code === undefined) return language
  let rows = await queries.shareLockLanguages(tx)
  // Who has waited for another language to be made the default one does not see it if it is new.
  if (!rows.some(row => row.is_default === 1)) rows = await queries.shareLockLanguages(tx)
  const own = rows.find(row => row.code === code)
  const basic = rows.find(row => row.is_default === 1)
  if (!own || !basic) throw fail('language.unknown', { code })
  return { ...language, key: own.key, fallback: basic.key }
}

// ---- what can be done with languages

/** By their codes. */
export async function listLanguages({ store }: App): Promise<LanguageRow[]> {
  return queries.selectLanguages(store)
}

export async function findLanguage(app: App, code: string): Promise<LanguageRow> {
  return languageIn(await listLanguages(app), code)
}

function languageIn(languages: readonly LanguageRow[], code: string): LanguageRow {
  const found = languages.find(language => language.code === code)
  if (!found) throw fail('language.notFound', { code })
  return found
}

export interface Settings {
  name?: string | undefined
  /** One for everything, or by category: `LC_ALL`, `LC_TIME` … */
  locale?: string | Record<string, string> | undefined
  /** Whatever is not `rtl` is `ltr`. */
  direction?: string | undefined
  url?: string | undefined
  default?: boolean | undefined
  slugs?: Record<string, string> | undefined
  translations?: Record<string, string> | undefined
}

/**
 * The first language of a site becomes the default one, and whatever is written already is in it: that is kept under no name,
 * and so is the first language.
 */
export async function createLanguage(app: App, settings: Settings & { code: string }, by: By = {}): Promise<string> {
  const code = codeMustFit(settings.code)
  const { name = code, locale = code, url = `/${code}` } = settings
  const row = {
    direction: 'ltr',
    slugs: '{}',
    translations: '{}',
    ...rowOf({ ...settings, name, locale, url }),
  } as const
  await app.store.write(async tx => {
    const languages = await queries.lockLanguages(app.store, tx)
    languageMustBeNew(languages, code)
    const isFirst = languages.length === 0
    const key = isFirst ? '' : code
    if (!isFirst) await deleteContents(app, tx, key) // nothing should be there, and nothing may be found again
    await queries.insertLanguage(tx, { ...(row as LanguageRow), code, key, is_default: isFirst ? 1 : 0 })
    if (settings.default && !isFirst) await makeDefault(app, tx, languages, { code, key })
    await record(tx, { event: 'language.created', ...by, detail: { code } })
  })
  return code
}

/** Only what is given changes. */
export async function changeLanguage(app: App, code: string, settings: Settings, by: By = {}): Promise<void> {
  const change = rowOf(settings)
  await app.store.write(async tx => {
    const languages = await queries.lockLanguages(app.store, tx)
    const language = languageIn(languages, code)
    const isBasic = language.is_default === 1
    if (isBasic && settings.default === false) throw fail('language.default')
    if (Object.keys(change).length > 0) await queries.updateLanguage(tx, code, change)
    const isNewDefault = !isBasic && settings.default === true
    if (isNewDefault) await makeDefault(app, tx, languages, language)
    await record(tx, { event: 'language.changed', ...by, detail: { code, ...(isNewDefault && { default: true }) } })
  })
}

/** With all that was written in it. What is written in the last one stays: the site is one without languages then. */
export async function deleteLanguage(app: App, code: string, by: By = {}): Promise<void> {
  await app.store.write(async tx => {
    const languages = await queries.lockLanguages(app.store, tx)
    const language = languageIn(languages, code)
    languageMustBeDispensable(languages, language)
    await queries.deleteLanguageRow(tx, code)
    if (languages.length > 1) await deleteContents(app, tx, language.key)
    else await leaveLanguage(app, tx, language.key)
    await record(tx, { event: 'language.deleted', ...by, detail: { code } })
  })
}

/** All are held. Addresses and ids stay what they are in every language; what was read in this one is read now. */
async function makeDefault(
  app: App,
  tx: Tx,
  languages: readonly LanguageRow[],
  { code, key }: Pick<LanguageRow, 'code' | 'key'>,
): Promise<void> {
  const basic = languages.find(({ is_default }) => is_default === 1)!
  await queries.updateDefault(tx, code)
  await completeContents(app, tx, basic.key, key)
}

function rowOf({ name, locale, direction, url, slugs, translations }: Settings): Partial<LanguageRow> {
  return {
    ...(name !== undefined && { name: nameMustFit(name) }),
    ...(locale !== undefined && { locale: JSON.stringify(localeMustFit(locale)) }),
    ...(direction !== undefined && { direction: direction === 'rtl' ? 'rtl' : 'ltr' }),
    ...(url !== undefined && { url: urlMustFit(url) }),
    ...(slugs !== undefined && { slugs: JSON.stringify(slugs) }),
    ...(translations !== undefined && { translations: JSON.stringify(translations) }),
  }
}
