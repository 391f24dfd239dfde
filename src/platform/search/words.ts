import { isAscii, withoutAccents } from '../lib/plain-text.ts'
import { runToEnd } from '../lib/steps.ts'
import { createYielder } from '../lib/yield.ts'

/** In characters. Longer words are cut; queries are cut in the same way. */
const maxWordLength = 40
const maxWords = 20_000
/** All words together, in characters; PostgreSQL stores at most 1 MiB of them. */
const maxCharacters = 300_000
/** All texts together after folding, in characters. */
const maxFolded = 1_200_000

/** Letters with a stroke and ligatures, which have no accent that could be removed. */
const ligatures: Record<string, string> = {
  ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ς: 'σ',
} // prettier-ignore

/**
 * Folds queries and texts for comparison. Done here and not by the engines, so that both treat the same letters as
 * equal.
 */
export function fold(text: string): string {
  return isAscii(text) ? text.toLowerCase() : foldLetters(text)
}

function foldLetters(text: string): string {
  return withoutAccents(text).replaceAll(/[ßæœøłđðþıς]/g, letter => ligatures[letter]!)
}

/** Scripts that are written without spaces, where word boundaries are unknown. */
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u
const runs = new RegExp(`${unspaced.source}+|[^${unspaced.source.slice(1)}+`, 'gu')

/** Runs of letters and digits. */
const tokensOf = (folded: string, isPlain: boolean): string[] =>
  folded.match(isPlain ? /[a-z\d]{2,}/g : /[\p{L}\p{N}]+/gu) ?? []

/** Code points, which are the characters of both engines. */
export const charactersOf = (text: string) => Array.from(text)

const cut = (word: string) =>
  word.length <= maxWordLength ? word : charactersOf(word).slice(0, maxWordLength).join('')

/** Pairs of characters: `東京都` → `東京`, `京都`, and `都`, which begins no pair. */
function pairsOf(run: string): string[] {
  const characters = charactersOf(run)
  return characters.map((character, at) => character + (characters[at + 1] ?? ''))
}

// ---- texts

/** The distinct words of these texts. */
export function wordsOf(texts: Iterable<string>, limit = maxWords): string[] {
  return runToEnd(wordsInSteps(texts, limit))
}

/** The same, yielding to the event loop between two slices of long texts. */
export async function wordsYielding(texts: Iterable<string>): Promise<string[]> {
  const yielder = createYielder()
  const steps = wordsInSteps(texts, maxWords)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    if (yielder.isDue()) await yielder.yieldNow()
  }
}

function* wordsInSteps(texts: Iterable<string>, limit: number): Generator<void, string[]> {
  const words = new Set<string>()
  let characters = 0
  let folded = 0
  for (const text of texts)
    for (const value of valuesOf(text))
      for (const slice of slicesOf(withoutMarkup(value))) {
        const wasPlain = isAscii(slice)
        const plain = wasPlain ? slice.toLowerCase() : foldLetters(slice)
        // Folding can make a text much longer: then only its beginning is indexed.
        if ((folded += plain.length) > maxFolded) return [...words]
        const isPlain = wasPlain || isAscii(plain)
        for (const token of tokensOf(plain, isPlain)) {
          // Fast path: most words have been seen before.
          if (words.has(token)) continue
          for (const word of isPlain && token.length <= maxWordLength ? [token] : wordsIn(token)) {
            if (words.has(word)) continue
            if (words.size >= limit || (characters += word.length) > maxCharacters) return [...words]
            words.add(word)
          }
        }
        if (slice.length > shortSlice) yield
      }
  return [...words]
}

/** Characters that are folded at once: folding can turn one into eighteen. */
const sliceSize = 4000
/** Characters that are folded in far less than a millisecond. */
const shortSlice = 500

/** Splits a long text into slices that end at a space, if there is one. */
function slicesOf(text: string): string[] {
  if (text.length <= sliceSize) return [text]
  const slices: string[] = []
  for (let start = 0; start < text.length;) {
    const end = start + sliceSize
    const space = end < text.length ? text.lastIndexOf(' ', end) : text.length
    const stop = space > start ? space : end
    slices.push(text.slice(start, stop))
    start = stop
  }
  return slices
}

function wordsIn(token: string): string[] {
  if (!unspaced.test(token)) return token.length > 1 ? [cut(token)] : []
  return token.match(runs)!.flatMap(run => (unspaced.test(run) ? pairsOf(run) : run.length > 1 ? [cut(run)] : []))
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** For JSON only the values are indexed, not the names or uuids of its parts. */
function valuesOf(text: string): Iterable<string> {
  if (/^\s*[[{]/.test(text)) {
    try {
      return valuesIn(JSON.parse(text))
    } catch {
      // a text that begins like JSON
    }
  }
  return uuid.test(text) ? [] : [text]
}

/** A generator, so that the caller can stop early. */
function* valuesIn(json: unknown): Generator<string> {
  // Not recursive: the JSON may be nested deeper than the stack, and have more values than a function takes arguments.
  const waiting = [json]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value === 'string') {
      if (!uuid.test(value)) yield value
    } else if (typeof value === 'number') yield String(value)
    else if (typeof value === 'object' && value !== null)
      for (const part of Object.values(value).toReversed()) waiting.push(part)
  }
}

/** Inline tags do not split a word, all other tags do. */
function withoutMarkup(text: string): string {
  const untagged = text.includes('<')
    ? text
        .replaceAll(/<\/?(?:a|abbr|b|code|del|em|i|ins|mark|s|small|span|strong|sub|sup|u)(?:\s[^<>]*)?>/gi, '')
        .replaceAll(/<[/!]?[a-z-][^<>]*>/gi, ' ')
    : text
  return untagged.includes('&') ? untagged.replaceAll(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});/gi, entity) : untagged
}

function entity(_: string, name: string): string {
  const [, hex, decimal] = /^#(?:x([\da-f]+)|(\d+))$/i.exec(name) ?? []
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  if (code > 0 && code <= 0x10_ff_ff) return String.fromCodePoint(code)
  // `&auml;` becomes its base letter `a`; the other entities are punctuation or symbols.
  return /^[a-z](?:uml|acute|grave|circ|tilde|cedil|ring|caron)$/i.test(name) ? name[0]! : ' '
}

// ---- questions

/** A word, or the beginning of one, that a query asks for. */
export interface QueryWord {
  word: string
  /** Also matches longer words that begin with it. */
  isPrefix: boolean
}

export interface SearchQuery {
  /** The whole query, folded for comparison with titles. */
  title: string
  /** The words of the query, not folded. */
  raw: string[]
  /**
   * A result needs any of these words. A word may have several parts (`tide-mach` has two), of which all must occur.
   */
  words: QueryWord[][]
}

const maxQueryLength = 1000
const maxQueryWords = 10
const maxParts = 10

/** Undefined if the query is too short. */
export function parseQuery(text: string): SearchQuery | undefined {
  const folded = fold(text.slice(0, maxQueryLength).trim())
  if (charactersOf(folded).length < 2) return undefined
  const words = new Map<string, QueryWord[]>()
  for (const one of folded.split(/[\s,]+/)) {
    const parts = partsOf(one)
    if (parts.length > 0 && words.size < maxQueryWords) words.set(JSON.stringify(parts), parts)
  }
  return { title: titleKey(text), raw: rawWords(text), words: [...words.values()] }
}

function rawWords(text: string): string[] {
  const whole = text.slice(0, maxQueryLength).trim()
  const words = new Set(whole.split(/[\s,]+/).filter(word => word.length > 1 && !word.includes('\0')))
  return words.size > 0 ? [...words].slice(0, maxQueryWords) : [whole.replaceAll('\0', '')]
}

function partsOf(word: string): QueryWord[] {
  const parts: QueryWord[] = []
  for (const run of tokensOf(word, isAscii(word)).flatMap(token => token.match(runs)!)) {
    const pairs = unspaced.test(run) ? pairsOf(run) : []
    // The last character is already part of the pair before it.
    if (pairs.length > 1) for (const pair of pairs.slice(0, -1)) parts.push({ word: pair, isPrefix: false })
    else if (pairs.length === 1) parts.push({ word: run, isPrefix: true })
    else if (run.length > 1) parts.push({ word: cut(run), isPrefix: run.length <= maxWordLength })
  }
  for (const part of parts.slice(0, -1)) part.isPrefix = false
  return parts.slice(0, maxParts)
}

/** The folded title, for comparison with queries. */
export function titleKey(title: string): string {
  const folded = fold(title.slice(0, maxQueryLength))
    .replaceAll(/[\s\0]+/g, ' ')
    .trim()
  return charactersOf(folded).slice(0, 100).join('')
}
