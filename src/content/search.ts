import { plainText } from '../platform/lib/plain-text.ts'

export { plainText } from '../platform/lib/plain-text.ts'

const maxWords = 50

export interface SearchOptions {
  /** Minimum length of the query and of each of its words, in characters. */
  minlength?: number | undefined
  /** Match whole words only. */
  words?: boolean | undefined
  /** Words of the query that are ignored. */
  stopwords?: readonly string[] | undefined
}

/** The words of a query that are long enough; the whole query if none is; nothing if that is too short as well. */
export function queryWords(query: string, { minlength = 2, stopwords = [] }: SearchOptions = {}): string[] {
  const whole = plainText(query.trim())
  if (whole.length < minlength) return []
  const stopped = new Set(stopwords.map(word => plainText(word)))
  const words = new Set(whole.split(/[\s,]+/).filter(word => word.length >= minlength && !stopped.has(word)))
  return words.size > 0 ? [...words].slice(0, maxWords) : [whole]
}

/**
 * Scores a text: 16 if it equals the query, 8 if it begins with it, 2 if it contains it; plus 1 for each occurrence of
 * one of its words.
 */
export function scoring(query: string, options: SearchOptions = {}): (text: string) => number {
  const words = queryWords(query, options)
  if (words.length === 0) return () => 0
  const whole = plainText(query.trim())
  const isWhole = options.words ? patternOf([whole], options, '') : undefined
  const isWord = patternOf(words, options, 'g')
  return text => {
    const plain = plainText(text)
    const has = isWhole ? isWhole.test(plain) : plain.includes(whole)
    const points = !has ? 0 : plain === whole ? 16 : plain.startsWith(whole) ? 8 : 2
    return points + (plain.match(isWord)?.length ?? 0)
  }
}

function patternOf(words: readonly string[], options: SearchOptions, flags: string): RegExp {
  const any = words.map(word => RegExp.escape(word)).join('|')
  return new RegExp(options.words ? String.raw`(?<![\p{L}\p{N}_])(?:${any})(?![\p{L}\p{N}_])` : any, `${flags}u`)
}
