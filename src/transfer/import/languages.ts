import type { App } from '../../app.ts'
import { systemContext } from '../../access/actor.ts'
import { ApiError } from '../../platform/errors.ts'
import type { ContentLanguage } from '../../http/context.ts'
import {
  updateLanguage,
  contentLanguages,
  createLanguage,
  listLanguages,
  type LanguageSettings,
  siteUrl,
} from '../../content/languages/languages.ts'
import type { LanguageRow } from '../../content/languages/queries.ts'
import { codeMustBeValid, localeMustBeValid, nameMustBeValid, urlMustBeValid } from '../../content/languages/rules.ts'
import { slugRules } from '../../platform/lib/slug.ts'
import type { Literal } from './php.ts'
import { settingsIn } from './settings.ts'
import { CannotImport, note, type ImportReport, skip } from './report.ts'
import type { ImportSource } from './source.ts'

interface FoundLanguage extends LanguageSettings {
  file: string
  /** The code in the names of text files. */
  originalCode: string
  code: string
  name: string
  locale: Record<string, string>
  direction: 'ltr' | 'rtl'
  url: string
  slugs: Record<string, string>
  translations: Record<string, string>
}

export interface LanguageImport {
  source: ImportSource
  report: ImportReport
  dryRun: boolean
}

/**
 * Creates or updates the languages of the folder. If the folder has none, its texts are in the default language of the
 * site.
 */
export async function importLanguages(
  app: App,
  folder: string,
  run: LanguageImport,
): Promise<Map<string | undefined, ContentLanguage>> {
  const found = readLanguages(folder, run)
  const present = await listLanguages(app)
  const [first] = found
  if (!first) return new Map([[undefined, (await contentLanguages(app))[0]!]])
  const defaultLanguage = present.find(({ is_default }) => is_default === 1)
  if (defaultLanguage && defaultLanguage.code !== first.code)
    throw new CannotImport(
      `The default language of the site is ${defaultLanguage.code}, that of the folder is ${first.code}.`,
    )
  const before = new Set(present.map(({ code }) => code))
  for (const language of found) await importLanguage(app, language, before, run)
  const existing = run.dryRun ? [] : await contentLanguages(app)
  return new Map(
    found.map(language => [
      language.originalCode,
      existing.find(({ code }) => code === language.code) ?? previewLanguage(app, language, first, defaultLanguage),
    ]),
  )
}

async function importLanguage(
  app: App,
  language: FoundLanguage,
  before: ReadonlySet<string>,
  run: LanguageImport,
): Promise<void> {
  const { file, originalCode: _, ...settings } = language
  const count = run.report.counts.languages
  const row = before.has(language.code)
    ? (await listLanguages(app)).find(({ code }) => code === language.code)
    : undefined
  try {
    if (row && isSame(row, language)) count.unchanged++
    else if (row) {
      if (!run.dryRun)
        await updateLanguage(systemContext(app, 'import'), language.code, { ...settings, default: undefined })
      count.updated++
    } else {
      if (!run.dryRun) await createLanguage(systemContext(app, 'import'), { ...settings, default: undefined })
      count.imported++
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new CannotImport(`${file}: ${error.message}`)
  }
}

/** Returns the default language first: the language that is created first becomes the default. */
function readLanguages(folder: string, { source, report }: LanguageImport): FoundLanguage[] {
  const found: FoundLanguage[] = []
  let isComplete = true
  for (const { name, path, isFolder } of source.has(folder) ? source.list(folder) : []) {
    if (isFolder || !name.endsWith('.php')) {
      skip(report, path, 'this is no language')
      continue
    }
    const settings = settingsIn(source, report, path)
    const language = settings && languageOf(path, name.slice(0, -'.php'.length), settings, report)
    if (language) found.push(language)
    else isComplete = false
  }
  const defaultLanguage = found.find(language => language.default === true) ?? found[0]
  // All other content falls back to the texts in the default language.
  if (!isComplete && defaultLanguage?.default !== true)
    throw new CannotImport(`None of the languages that can be read in ${folder} is the default one.`)
  for (const { file, default: isDefault } of found)
    if (isDefault === true && file !== defaultLanguage?.file)
      note(report, file, 'there is another default language already')
  return defaultLanguage ? [defaultLanguage, ...found.filter(language => language !== defaultLanguage)] : []
}

function languageOf(
  file: string,
  fileName: string,
  settings: ReadonlyMap<string, Literal>,
  report: ImportReport,
): FoundLanguage | undefined {
  const originalCode = textIn(settings, 'code') ?? fileName
  /** Uses `defaultValue` in place of a value that is not valid, and reports it. */
  function readOr<Value>(name: string, read: () => Value, defaultValue: Value): Value {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      note(report, file, `its ${name} cannot be used`)
      return defaultValue
    }
  }
  const code = readOr('code', () => codeMustBeValid(originalCode), undefined)
  if (code === undefined) {
    skip(report, file, 'a language cannot have this code')
    return undefined
  }
  const locale = settings.get('locale')
  return {
    file,
    originalCode,
    code,
    default: settings.get('default') === true,
    name: readOr('name', () => nameMustBeValid(textIn(settings, 'name') ?? code), code),
    direction: settings.get('direction') === 'rtl' ? 'rtl' : 'ltr',
    url: readOr('url', () => urlMustBeValid(textIn(settings, 'url') ?? `/${code}`), `/${code}`),
    locale: readOr(
      'locale',
      () => localeMustBeValid(locale instanceof Map ? texts(locale) : ((locale ?? code) as string)),
      { LC_ALL: code },
    ),
    slugs: texts(settings.get('slugs')),
    translations: texts(settings.get('translations')),
  }
}

function textIn(settings: ReadonlyMap<string, Literal>, name: string): string | undefined {
  const value = settings.get(name)
  return typeof value === 'string' ? value : undefined
}

const texts = (value: Literal | undefined) =>
  Object.fromEntries(
    value instanceof Map ? [...value].filter((entry): entry is [string, string] => typeof entry[1] === 'string') : [],
  )

const isSameJson = (json: string, value: object) => JSON.stringify(JSON.parse(json)) === JSON.stringify(value)

function isSame(row: LanguageRow, language: FoundLanguage): boolean {
  const { name, direction, url, locale, slugs, translations } = language
  return (
    row.name === name &&
    row.direction === direction &&
    row.url === url &&
    isSameJson(row.locale, locale) &&
    isSameJson(row.slugs, slugs) &&
    isSameJson(row.translations, translations)
  )
}

/** The language as it would be after the import. */
function previewLanguage(
  app: App,
  { code, url, locale, slugs }: FoundLanguage,
  first: FoundLanguage,
  defaultLanguage: LanguageRow | undefined,
): ContentLanguage {
  const fallback = defaultLanguage?.key ?? ''
  const key = code === first.code ? fallback : code
  return {
    code,
    key,
    fallback,
    url,
    siteUrl: siteUrl(app, { url }),
    slugs: { ...slugRules(locale['LC_ALL'] ?? code), ...slugs },
    translatesSlugs: key !== fallback,
    siteTranslatesSlugs: key !== fallback,
  }
}
