import { plainText } from '../lib/plain-text.ts'

export { plainText } from '../lib/plain-text.ts'

const mostWords = 50

/** The words of a question, of at least two letters each, or the whole if all are shorter. Nothing if that is shorter, too. */
export function wordsOf(query: string): string[] {
  const whole = plainText(query.trim())
  if (whole.length < 2) return []
  const words = new Set(whole.split(/[\s,]+/).filter(word => word.length >= 2))
  return words.size > 0 ? [...words].slice(0, mostWords) : [whole]
}

/** How well a text fits: the whole question counts most when it is the text, then when the text begins with it. */
export function scoring(query: string): (text: string) => number {
  const words = wordsOf(query)
  if (words.length === 0) return () => 0
  const whole = plainText(query.trim())
  return text => {
    const plain = plainText(text)
    let points = plain.startsWith(whole) ? (plain.length === whole.length ? 16 : 8) : plain.includes(whole) ? 2 : 0
    for (const word of words) if (plain.includes(word)) points++
    return points
  }
}
