import type { App } from '../../app.ts'
import type { Context } from '../../access/actor.ts'
import { auditActor, record } from '../../access/audit/audit.ts'
import { type RolePermission, mustBeAllowed } from '../../access/authorize/authorize.ts'
import { fail } from '../../platform/errors.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { slugRules } from '../../platform/lib/slug.ts'
import type { Tx } from '../../platform/store/store.ts'
import { copyFallbackContents, deleteContentsOfLanguage, moveContentsToEmptyKey } from './contents/contents.ts'
import { createFormerUrl, deleteFormerUrl, formerUrlOf } from './former-urls/former-urls.ts'
import * as queries from './queries.ts'
import type { LanguageInUse, LanguageRow } from './queries.ts'
import {
  codeMustBeValid,
  languageMustBeDeletable,
  languageMustBeNew,
  localeMustBeValid,
  nameMustBeValid,
  urlMustBeValid,
} from './rules.ts'

// ---- the language of a request

/** The content language of a site without languages, whose content has the key `''`. */
const withoutLanguages = {
  code: undefined,
  key: '',
  fallback: '',
  url: '',
  slugs: {},
  translatesSlugs: false,
  siteTranslatesSlugs: false,
}

/**
 * The requested language, or the default. An unknown code reads the default and sets `unknown`, which refuses writes.
 * `readAt`: see `selectLanguages`.
 */
export async function contentLanguage(
  app: App,
  requestedCode: string | undefined,
  readAt?: number | string,
): Promise<ContentLanguage> {
  const rows = await queries.selectLanguages(app.store, readAt)
  if (rows.length === 0) return { ...withoutLanguages, siteUrl: siteUrl(app, withoutLanguages) }
  const defaultLanguage = rows.find(row => row.is_default === 1)!
  const row = requestedCode === undefined ? defaultLanguage : rows.find(({ code }) => code === requestedCode)
  if (!row)
    return { ...contentLanguageOf(app, defaultLanguage, defaultLanguage, rows.length > 1), unknown: requestedCode! }
  return contentLanguageOf(app, row, defaultLanguage, rows.length > 1)
}

/** All languages, the default first. On a site without languages: one entry without a code. */
export async function contentLanguages(app: App): Promise<ContentLanguage[]> {
  const rows = await queries.selectLanguages(app.store)
  const defaultLanguage = rows.find(row => row.is_default === 1)
  if (!defaultLanguage) return [{ ...withoutLanguages, siteUrl: siteUrl(app, withoutLanguages) }]
  return [defaultLanguage, ...rows.filter(row => row !== defaultLanguage)].map(row =>
    contentLanguageOf(app, row, defaultLanguage, rows.length > 1),
  )
}

function contentLanguageOf(
  app: App,
  row: LanguageInUse,
  defaultLanguage: LanguageInUse,
  hasOthers: boolean,
): ContentLanguage {
  const { code, key, url } = row
  const hasSlugs = row.has_slugs === 1
  const translatesSlugs = row !== defaultLanguage || hasSlugs
  return {
    code,
    key,
    fallback: defaultLanguage.key,
    url,
    siteUrl: siteUrl(app, row),
    slugs: slugRulesOf(row),
    hasSlugs,
    translatesSlugs,
    siteTranslatesSlugs: hasOthers || hasSlugs,
  }
}

/** Replacements of letters in slugs: the built-in ones of the locale, overridden by those of the language. */
export function slugRulesOf({ code, locale, slugs }: LanguageRow): Record<string, string> {
  const { LC_ALL = code } = JSON.parse(locale) as Record<string, string>
  return { ...slugRules(LC_ALL), ...(JSON.parse(slugs) as Record<string, string>) }
}

/** Where visitors see the site in a language, without a trailing slash. */
export function siteUrl({ config }: App, { url }: { url: string }): string {
  return url === '' || url.startsWith('/') ? (config.site.url ?? config.url) + url : url
}

/** The origins where visitors see the site, as far as they are configured. */
export async function siteOrigins(app: App): Promise<string[]> {
  const languages = await contentLanguages(app)
  const urls = languages.map(({ url }) => url).filter(url => !url.startsWith('/') && url !== '')
  return [...new Set([...configuredOrigins(app), ...urls.map(url => new URL(url).origin)])]
}

/** The origins from the settings and from previews in blueprints, which no account can change. */
export const configuredOrigins = (app: App): string[] =>
  [app.config.site.url ?? [], previewOrigins(app)].flat().map(url => new URL(url).origin)

const previewOrigins = ({ blueprints }: App) =>
  blueprints.templates('pages').flatMap(name => {
    const { preview } = blueprints.page(name)
    const [origin = ''] = /^https?:\/\/[^/?#{]+(?=[/?#]|$)/.exec(String(preview)) ?? []
    return URL.canParse(origin) ? origin : []
  })

export const isDefault = ({ key, fallback }: ContentLanguage) => key === fallback

/** Writes in an unknown language must fail: they would change the default language. */
export function languageMustExist({ unknown }: ContentLanguage): void {
  if (unknown !== undefined) throw fail('language.unknown', { code: unknown })
}

/**
 * Reloads a language for a write, with a share lock: until the end of the transaction it cannot be deleted, and the
 * default language cannot change.
 */
export async function languageToWrite(tx: Tx, language: ContentLanguage): Promise<ContentLanguage> {
  languageMustExist(language)
  const { code } = language
  if (code === undefined) return language
  let rows = await queries.lockLanguagesShared(tx)
  // PostgreSQL: after waiting for a lock, the statement does not see a new row that has just become the default. Retry
  // once.
  if (!rows.some(row => row.is_default === 1)) rows = await queries.lockLanguagesShared(tx)
  const own = rows.find(row => row.code === code)
  const defaultLanguage = rows.find(row => row.is_default === 1)
  if (!own || !defaultLanguage) throw fail('language.unknown', { code })
  return { ...language, key: own.key, fallback: defaultLanguage.key }
}

// ---- operations

/** Sorted by code. */
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

export interface LanguageSettings {
  name?: string | undefined
  /** One locale, or one for each category: `LC_ALL`, `LC_TIME` … */
  locale?: string | Record<string, string> | undefined
  /** Any value but `rtl` means `ltr`. */
  direction?: string | undefined
  url?: string | undefined
  default?: boolean | undefined
  slugs?: Record<string, string> | undefined
  translations?: Record<string, string> | undefined
}

/**
 * The first language becomes the default and takes over the existing content. That content has the language key `''`,
 * so the first language gets this key.
 */
export async function createLanguage(ctx: Context, settings: LanguageSettings & { code: string }): Promise<string> {
  const code = codeMustBeValid(settings.code)
  const { name = code, locale = code, url = `/${code}` } = settings
  const row = {
    direction: 'ltr',
    slugs: '{}',
    translations: '{}',
    ...rowOf({ ...settings, name, locale, url }),
  } as const
  const { app } = ctx
  await app.store.write(async tx => {
    const languages = await lockLanguages(ctx, tx, 'languages.create')
    languageMustBeNew(languages, code)
    const isFirst = languages.length === 0
    const key = isFirst ? '' : code
    if (!isFirst) await deleteContentsOfLanguage(app, tx, key) // remnants of a deleted language must not reappear
    await queries.insertLanguage(tx, { ...(row as LanguageRow), code, key, is_default: isFirst ? 1 : 0 })
    await deleteFormerUrl(tx, row.url!)
    if (settings.default && !isFirst) await makeDefault(app, tx, languages, { code, key })
    await record(tx, { event: 'language.created', ...auditActor(ctx), detail: { code } })
  })
  return code
}

/** Changes only the given settings. `languages.create` allows it: changes have no permission of their own. */
export async function updateLanguage(ctx: Context, code: string, settings: LanguageSettings): Promise<void> {
  const change = rowOf(settings)
  const { app } = ctx
  await app.store.write(async tx => {
    const languages = await lockLanguages(ctx, tx, 'languages.create')
    const language = languageIn(languages, code)
    const wasDefault = language.is_default === 1
    if (wasDefault && settings.default === false) throw fail('language.default')
    if (Object.keys(change).length > 0) await queries.updateLanguageRow(tx, code, change)
    if (change.url !== undefined && formerUrlOf(change.url) !== formerUrlOf(language.url)) {
      await createFormerUrl(tx, language)
      await deleteFormerUrl(tx, change.url)
    }
    const isNewDefault = !wasDefault && settings.default === true
    if (isNewDefault) await makeDefault(app, tx, languages, language)
    await record(tx, {
      event: 'language.changed',
      ...auditActor(ctx),
      detail: { code, fields: changedNames(language, change, isNewDefault), ...(isNewDefault && { default: true }) },
    })
  })
}

/** The names of the settings that are different now. */
const changedNames = (before: LanguageRow, change: Partial<LanguageRow>, isNewDefault: boolean) => [
  ...(Object.keys(change) as (keyof LanguageRow)[]).filter(name => change[name] !== before[name]),
  ...(isNewDefault ? ['default'] : []),
]

/** Deletes a language and its content. After the last one the content stays, on a site without languages. */
export async function deleteLanguage(ctx: Context, code: string): Promise<void> {
  const { app } = ctx
  await app.store.write(async tx => {
    const languages = await lockLanguages(ctx, tx, 'languages.delete')
    const language = languageIn(languages, code)
    languageMustBeDeletable(languages, language)
    await queries.deleteLanguageRow(tx, code)
    if (languages.length > 1) await deleteContentsOfLanguage(app, tx, language.key)
    else {
      await moveContentsToEmptyKey(app, tx, language.key)
      const hadPrefix = formerUrlOf(language.url) !== formerUrlOf(withoutLanguages.url)
      if (hadPrefix) await createFormerUrl(tx, { ...language, key: withoutLanguages.key })
    }
    await record(tx, { event: 'language.deleted', ...auditActor(ctx), detail: { code } })
  })
}

/** Locks all languages until the end of the transaction, if the actor has the permission. */
async function lockLanguages(ctx: Context, tx: Tx, permission: RolePermission): Promise<LanguageRow[]> {
  const languages = await queries.lockLanguages(ctx.app.store, tx)
  mustBeAllowed(ctx, permission)
  return languages
}

/**
 * The caller has locked all languages. URLs, ids and what the new default language shows do not change. What another
 * language lacks comes from the new default language from now on.
 */
async function makeDefault(
  app: App,
  tx: Tx,
  languages: readonly LanguageRow[],
  { code, key }: Pick<LanguageRow, 'code' | 'key'>,
): Promise<void> {
  const defaultLanguage = languages.find(({ is_default }) => is_default === 1)!
  await queries.updateDefault(tx, code)
  await copyFallbackContents(app, tx, defaultLanguage.key, key)
}

function rowOf({ name, locale, direction, url, slugs, translations }: LanguageSettings): Partial<LanguageRow> {
  return {
    ...(name !== undefined && { name: nameMustBeValid(name) }),
    ...(locale !== undefined && { locale: JSON.stringify(localeMustBeValid(locale)) }),
    ...(direction !== undefined && { direction: direction === 'rtl' ? 'rtl' : 'ltr' }),
    ...(url !== undefined && { url: urlMustBeValid(url) }),
    ...(slugs !== undefined && { slugs: JSON.stringify(slugs) }),
    ...(translations !== undefined && { translations: JSON.stringify(translations) }),
  }
}
