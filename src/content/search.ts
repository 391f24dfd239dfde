import { plainText } from '../platform/lib/plain-text.ts'

export { plainText } from '../platform/lib/plain-text.ts'

const maxWords = 50

/** What a question may say about how it is understood. */
export interface Understanding {
  /** The fewest letters of a question, and of each of its words. */
  minlength?: number | undefined
  /** Only whole words are meant, not parts of others. */
  words?: boolean | undefined
  /** Words that are not looked for by themselves. */
  stopwords?: readonly string[] | undefined
}

/** The words of a question, of at least two letters each, or the whole if all are shorter. Nothing if that is shorter, too. */
export function wordsOf(query: string, { minlength = 2, stopwords = [] }: Understanding = {}): string[] {
  const whole = plainText(query.trim())
  if (whole.length < minlength) return []
  const stopped = new Set(stopwords.map(word => plainText(word)))
  const words = new Set(whole.split(/[\s,]+/).filter(word => word.length >= minlength && !stopped.has(word)))
  return words.size > 0 ? [...words].slice(0, maxWords) : [whole]
}

/**
 * How well a text fits: the whole question counts most when it is the text, then when the text begins with it; and each
 * place where one of its words stands.
 */
export function scoring(query: string, how: Understanding = {}): (text: string) => number {
  const words = wordsOf(query, how)
  if (words.length === 0) return () => 0
  const whole = plainText(query.trim())
  const isWhole = how.words ? patternOf([whole], how, '') : undefined
  const isWord = patternOf(words, how, 'g')
  return text => {
    const plain = plainText(text)
    const has = isWhole ? isWhole.test(plain) : plain.includes(whole)
    const points = !has ? 0 : plain === whole ? 16 : plain.startsWith(whole) ? 8 : 2
    return points + (plain.match(isWord)?.length ?? 0)
  }
}

function patternOf(words: readonly string[], how: Understanding, flags: string): RegExp {
  const any = words.map(word => RegExp.escape(word)).join('|')
  return new RegExp(how.words ? String.raw`(?<![\p{L}\p{N}_])(?:${any})(?![\p{L}\p{N}_])` : any, `${flags}u`)
}
