/** True if every word of the search term is in the text, apart from a character that is wrong, missing, added or swapped. */
export function matchesWithTypos(term: string, text: string): boolean {
  const found = wordsOf(text)
  return wordsOf(term).every(word => found.some(other => isSimilar(word, other)))
}

/** Short words would match too much. */
const minLength = 4
const isLong = (word: string) => word.length >= minLength

function isSimilar(word: string, other: string): boolean {
  if (other.startsWith(word)) return true
  if (!isLong(word)) return false
  // The end of the other word may be missing: `lighthuose` is found while it is typed.
  return [-1, 0, 1].some(more => isOneEditAway(word, other.slice(0, word.length + more)))
}

function isOneEditAway(first: string, second: string): boolean {
  const [short, long] = first.length < second.length ? [first, second] : [second, first]
  if (long.length - short.length > 1) return false
  let index = 0
  while (index < short.length && short[index] === long[index]) index++
  if (short.length < long.length) return short.slice(index) === long.slice(index + 1)
  const isSwapped =
    short[index] === long[index + 1] &&
    short[index + 1] === long[index] &&
    short.slice(index + 2) === long.slice(index + 2)
  return isSwapped || short.slice(index + 1) === long.slice(index + 1)
}

const wordsOf = (text: string) => text.toLocaleLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/**
 * What to search for instead: the beginning of each word, which is usually right, or has its letters swapped. Empty if
 * all words are short.
 */
export function beginningsOf(term: string): string[] {
  const words = wordsOf(term)
  if (!words.some(isLong)) return []
  const beginnings = words.map(word => word.slice(0, 2))
  const swapped = words.map((word, index) => (isLong(word) ? word[1]! + word[0]! : beginnings[index]!))
  return [beginnings.join(' '), swapped.join(' ')]
}
