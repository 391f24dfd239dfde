/** The default minimum length on the server. Configuration and roles may set another; the server decides. */
export const defaultLength = 15

export type Strength = {
  level: 'empty' | 'weak' | 'fair' | 'strong'
  reason?: 'short' | 'repeated' | 'name'
  missing: number
}

/** A strength hint while typing, by the same rules as on the server: length without names; repetitions are weak. */
export function strengthOf(password: string, names: readonly string[] = []): Strength {
  const length = Array.from(password.normalize('NFC')).length
  if (length === 0) return { level: 'empty', missing: defaultLength }
  if (isRepeated(password.toLowerCase())) return { level: 'weak', reason: 'repeated', missing: 0 }
  const own = lengthOfNames(password, names)
  const missing = defaultLength - (length - own)
  if (missing > 0) return { level: 'weak', reason: own > 0 && length >= defaultLength ? 'name' : 'short', missing }
  return { level: missing > -6 ? 'fair' : 'strong', missing: 0 }
}

/** A repeated pattern is no stronger than the pattern alone. */
function isRepeated(text: string): boolean {
  for (let piece = 1; piece * 2 <= text.length && piece < defaultLength; piece++) {
    if (text.startsWith(text.slice(piece))) return true
  }
  return false
}

const normalised = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

function lengthOfNames(password: string, names: readonly string[]): number {
  const text = normalised(password)
  const words = names.flatMap(name => [name, ...name.split(/[^\p{L}\p{N}]+/u)]).map(normalised)
  const rest = words
    .filter(word => word.length >= 4)
    .toSorted((one, other) => other.length - one.length)
    .reduce((left, word) => left.replaceAll(word, ''), text)
  return text.length - rest.length
}
