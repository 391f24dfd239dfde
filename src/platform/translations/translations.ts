import { readFileSync } from 'node:fs'
import { errors } from '../errors.ts'
import { createLruCache } from '../lib/lru-cache.ts'
import { type Data, fill, Message, texts, type TextValue } from '../texts.ts'

/** A language of the interface; its name is in the language itself. */
export interface Translation {
  id: string
  name: string
  direction: 'ltr' | 'rtl'
}

/** English is the source (`texts.ts` and `errors.ts`); every other one has its file in `texts/`. */
export const translations: readonly Translation[] = [
  { id: 'ar', name: 'العربية', direction: 'rtl' },
  { id: 'de', name: 'Deutsch', direction: 'ltr' },
  { id: 'en', name: 'English', direction: 'ltr' },
  { id: 'es', name: 'Español', direction: 'ltr' },
  { id: 'fr', name: 'Français', direction: 'ltr' },
  { id: 'it', name: 'Italiano', direction: 'ltr' },
  { id: 'ja', name: '日本語', direction: 'ltr' },
  { id: 'nl', name: 'Nederlands', direction: 'ltr' },
  { id: 'pl', name: 'Polski', direction: 'ltr' },
  { id: 'pt', name: 'Português', direction: 'ltr' },
  { id: 'tr', name: 'Türkçe', direction: 'ltr' },
  { id: 'zh', name: '简体中文', direction: 'ltr' },
]

const byId = new Map(translations.map(translation => [translation.id, translation]))

/** By its exact id; `closestTranslation` also accepts regional variants such as `de-AT`. */
export function findTranslation(id: string): Translation | undefined {
  return byId.get(id)
}

/** `de_CH`, `de-AT` and `DE` become `de`, and unknown languages become English. */
export function closestTranslation(language: string): Translation {
  return findClosest(language) ?? byId.get('en')!
}

function findClosest(language: string): Translation | undefined {
  return byId.get(language) ?? byId.get(baseOf(language))
}

const baseOf = (language: string) => language.split(/[-_]/, 1)[0]!.toLowerCase()

// ---- texts

/** The text in this language, or in English if it is not translated; an unknown key is returned as it is. */
export function translate(language: string, key: string, data: Data = {}): string {
  const { id } = closestTranslation(language)
  const text = loadTexts(id).get(key) ?? loadTexts('en').get(key) ?? key
  return fill(text, data, inner => inLanguage(inner, id))
}

/** Every text of a language; English fills the gaps. */
export function completeTexts({ id }: Translation): Record<string, string> {
  return Object.fromEntries([...loadTexts('en'), ...loadTexts(id)])
}

const loaded = new Map<string, ReadonlyMap<string, string>>()

/** A language is loaded on first use. Its file is small and read once, so reading it synchronously does not matter. */
function loadTexts(id: string): ReadonlyMap<string, string> {
  let words = loaded.get(id)
  if (!words) {
    words = new Map(id === 'en' ? source() : Object.entries(readTexts(id)))
    loaded.set(id, words)
  }
  return words
}

function source(): [key: string, text: string][] {
  const messages = Object.entries(errors).map(([key, [, text]]): [string, string] => [`error.${key}`, text])
  return [...Object.entries(texts), ...messages]
}

function readTexts(id: string): Record<string, string> {
  return JSON.parse(readFileSync(new URL(`texts/${id}.json`, import.meta.url), 'utf8')) as Record<string, string>
}

// ---- translators

/** Translates the messages of errors into one language. */
export interface Translator {
  language: string
  translate: (key: string, data: Data) => string
}

const translators = new Map<string, Translator>()

/** Undefined for English, because errors are written in English already. */
export function translatorFor(language: string): Translator | undefined {
  const { id } = closestTranslation(language)
  if (id === 'en') return undefined
  let translator = translators.get(id)
  if (!translator) {
    translator = { language: id, translate: (key, data) => translate(id, key, data) }
    translators.set(id, translator)
  }
  return translator
}

/** The language of the signed-in account, or else the one that the client accepts. */
export function interfaceLanguageOf({
  language,
  headers,
}: {
  language?: string | undefined
  headers: Readonly<Record<string, string | string[] | undefined>>
}): string {
  return language ?? acceptedLanguage(headers['accept-language'] as string | undefined)
}

const maxHeaderLength = 500
const range = /^[ \t]*([a-z]{1,8}(?:-[a-z0-9]{1,8})*|\*)[ \t]*(?:;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[ \t]*)?$/i
const accepted = createLruCache<string>(200)

/**
 * The best of our languages for an `Accept-Language` header. There are few different headers, so results are cached.
 */
export function acceptedLanguage(header: string | undefined): string {
  if (header === undefined) return 'en'
  const text = header.slice(0, maxHeaderLength)
  let language = accepted.get(text)
  if (language === undefined) {
    language = readAcceptLanguage(text)
    accepted.set(text, language)
  }
  return language
}

/** Invalid language ranges are ignored; of two with the same quality the first is taken. */
function readAcceptLanguage(header: string): string {
  const ranges = header.split(',').flatMap(part => {
    const [, tag, quality = '1'] = range.exec(part) ?? []
    return tag === undefined ? [] : { tag, quality: Number(quality) }
  })
  const found = ranges
    .filter(({ tag, quality }) => quality > 0 && (tag === '*' || findClosest(tag)))
    .toSorted((one, other) => other.quality - one.quality)
  return closestTranslation(found[0]?.tag ?? 'en').id
}

// ---- texts of a site

/**
 * The text of a blueprint in a language, else in its base language, that for all others (`*`), in English, or the first
 * one that exists. A message with texts of its own, from an extension, is read in the same way; others are translated.
 */
export function inLanguage(text: TextValue, language: string): string {
  if (typeof text === 'string') return text
  if (text instanceof Message)
    return text.own
      ? fill(inLanguage(text.own, language), text.data, inner => inLanguage(inner, language))
      : translate(language, text.key, text.data)
  for (const key of [language, baseOf(language), '*', 'en']) if (Object.hasOwn(text, key)) return text[key]!
  return Object.values(text)[0] ?? ''
}
