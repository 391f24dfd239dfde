const mostWords = 50

/** The words of a question, of at least two letters each, or the whole if all are shorter. Nothing if that is shorter, too. */
export function wordsOf(query: string): string[] {
  const whole = plainText(query.trim())
  if (whole.length < 2) return []
  const words = new Set(whole.split(/[\s,]+/).filter(word => word.length >= 2))
  return words.size > 0 ? [...words].slice(0, mostWords) : [whole]
}

/** As people compare texts: whatever the size of the letters and their accents. */
export function plainText(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().normalize('NFC')
}

/** How well a text fits: the whole question counts most when it is the text, then when the text begins with it. */
export function score(text: string, query: string, words: string[], weight: number): number {
  const plain = plainText(text)
  const whole = plainText(query.trim())
  const fit = plain === whole ? 16 : plain.startsWith(whole) ? 8 : plain.includes(whole) ? 2 : 0
  return weight * (fit + words.filter(word => plain.includes(word)).length)
}
