import { useSyncExternalStore } from 'react'
import type { en } from './en.ts'
import type { account } from './en/account.ts'
import type { comments } from './en/comments.ts'
import type { languages } from './en/languages.ts'
import type { library } from './en/library.ts'
import type { signin } from './en/signin.ts'
import type { webhooks } from './en/webhooks.ts'

/** A text, or its plural forms: `{ one: '{count} page', other: '{count} pages' }`. */
export type Text = string | { readonly [Form in Intl.LDMLPluralRule]?: string }
export type Texts = Readonly<Record<string, Text>>

/** The texts of all screens, and those that are loaded with their part of the panel. */
type English = typeof en &
  typeof account &
  typeof comments &
  typeof languages &
  typeof library &
  typeof signin &
  typeof webhooks

export type Key = keyof English

type Placeholders<Form> = Form extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholders<Rest> : never
type FormsOf<T> = T extends string ? T : T[keyof T]
type PlaceholdersOf<Name extends Key> = Placeholders<FormsOf<English[Name]>>
type Value = string | number
/** The placeholders of a text, checked by the compiler. */
type Data<Name extends Key> = [PlaceholdersOf<Name>] extends [never]
  ? [data?: undefined]
  : [data: Record<PlaceholdersOf<Name>, Value>]

// ---- language

export interface Language {
  code: string
  direction: 'ltr' | 'rtl'
}

const english: Record<string, Text> = {}
let translated: Texts = {}
let current: Language = { code: 'en', direction: 'ltr' }
/** Set at once; `current` follows when the texts are loaded. */
let requestedCode: string | undefined
const listeners = new Set<() => void>()

/** Adds English texts, which are bundled with the code that uses them. The sign-in form loads only a part of them. */
export function addTexts(texts: Texts): void {
  Object.assign(english, texts)
}

/** URLs of the translations, which are JSON and fetched on demand. */
const files = import.meta.glob<string>('./languages/*.json', { query: '?url', import: 'default', eager: true })
const rightToLeft = new Set(['ar', 'fa', 'he', 'ur'])

/**
 * Sets the language of the interface. Missing translations fall back to English. If the texts cannot be loaded, the
 * language stays as it is.
 */
export async function setLanguage(code: string): Promise<void> {
  requestedCode = code
  if (code === current.code) return
  prefetchTexts(code)
  const texts = code === 'en' ? {} : await fetched.get(code)
  // Another language may have been requested meanwhile.
  if (!texts || code !== requestedCode) return
  translated = texts
  current = { code, direction: rightToLeft.has(code.split('-')[0]!) ? 'rtl' : 'ltr' }
  document.documentElement.lang = code
  document.documentElement.dir = current.direction
  for (const listener of listeners) listener()
}

/** Undefined for a language whose texts could not be loaded. */
const fetched = new Map<string, Promise<Texts | undefined>>()

/** Starts to load the texts of a language. */
export function prefetchTexts(code: string): void {
  if (code !== 'en' && !fetched.has(code)) fetched.set(code, fetchTexts(files[`./languages/${code}.json`]))
}

async function fetchTexts(url: string | undefined): Promise<Texts | undefined> {
  if (url === undefined) return {}
  const texts = await fetch(url)
    .then(async answer => (answer.ok ? ((await answer.json()) as Texts) : undefined))
    .catch(() => undefined)
  if (!texts) fetched.clear() // allows a retry
  return texts
}

/** The language that was requested last. Undefined until `setLanguage` is called. */
export const requestedLanguage = (): string | undefined => requestedCode

/** The language of the interface; renders again when it changes. */
export function useLanguage(): Language {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
}

// ---- texts

/**
 * `t('pages.count', { count: 3 })`. The whole panel renders again when the language changes, so it can be called
 * anywhere.
 */
export function t<Name extends Key>(key: Name, ...[data]: Data<Name>): string {
  return textOf(key, data) ?? key
}

/** For keys that are composed at run time; undefined if there is no such text. */
export function textOf(key: string, data: Record<string, Value> = {}): string | undefined {
  const text = translated[key]
  if (text !== undefined) return fill(text, current.code, data)
  const fallback = english[key]
  return fallback === undefined ? undefined : fill(fallback, 'en', data)
}

/** `code` is the language of the text: English ones may be shown in place of missing translations. */
function fill(text: Text, code: string, data: Readonly<Record<string, Value>>): string {
  const words = typeof text === 'string' ? text : (text[formOf(data['count'], code)] ?? text.other ?? '')
  if (!words.includes('{')) return words
  return words.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = data[name]
    return value === undefined ? whole : isolated(typeof value === 'number' ? formatNumber(value) : value)
  })
}

/** Isolates names and paths in right-to-left texts, like `<bdi>`, so that they keep their own direction. */
const isolated = (text: string) => (current.direction === 'rtl' ? `\u2068${text}\u2069` : text)

const formOf = (count: Value | undefined, code: string) => pluralRules(code).select(Number(count))

// ---- numbers and times

export const formatNumber = (value: number, options?: Intl.NumberFormatOptions): string =>
  (options ? new Intl.NumberFormat(current.code, options) : plainNumbers(current.code)).format(value)

/** Caches formatters: creating one is much slower than using it, and texts are formatted on every keystroke. */
function perLanguage<Formatter>(make: (code: string) => Formatter): (code: string) => Formatter {
  const cache = new Map<string, Formatter>()
  return code => {
    const known = cache.get(code) ?? make(code)
    cache.set(code, known)
    return known
  }
}

const pluralRules = perLanguage(code => new Intl.PluralRules(code))
const plainNumbers = perLanguage(code => new Intl.NumberFormat(code))

export function formatDate(value: string | number | Date, options?: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(current.code, options ?? { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(value),
  )
}

/** The time zone of the browser with its offset at a time: `Europe/Berlin (GMT+01:00)`. */
export function formatZone(at: Date): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const parts = new Intl.DateTimeFormat(current.code, { timeZone, timeZoneName: 'longOffset' }).formatToParts(at)
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  return `${timeZone.replaceAll('_', ' ')} (${offset})`
}

const units: [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** `3 minutes ago`, `in 2 days`, `now`. */
export function formatRelativeTime(value: string | number | Date, now = Date.now()): string {
  const seconds = Math.round((new Date(value).getTime() - now) / 1000)
  const [unit, length] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  const relative = new Intl.RelativeTimeFormat(current.code, { numeric: 'auto' })
  return unit === 'second' ? relative.format(0, 'second') : relative.format(Math.trunc(seconds / length), unit)
}

const sizeUnits = ['B', 'KB', 'MB', 'GB', 'TB']

/** `1.4 MB`, as the server writes sizes (`niceSize`). */
export function formatSize(bytes: number): string {
  if (bytes === 0) return '0\u{a0}KB'
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), sizeUnits.length - 1)
  return `${formatNumber(bytes / 1024 ** power, { maximumFractionDigits: 2 })}\u{a0}${sizeUnits[power]}`
}
