/** The default minimum length on the server. Configuration and roles may set another; the server decides. */
export const defaultLength = 15

export type Strength = {
  level: 'empty' | 'weak' | 'fair' | 'strong'
  reason?: 'short' | 'repeated' | 'name'
  missingCharacters: number
}

/** Characters beyond the minimum length from which a password is called strong. */
const strongMargin = 6

/**
 * A strength hint while typing. It knows the server's rules about length, repetition and personal names only: the server
 * also refuses, for example, common passwords.
 */
export function strengthOf(password: string, names: readonly string[] = []): Strength {
  const length = codePoints(password.normalize('NFC'))
  if (length === 0) return { level: 'empty', missingCharacters: defaultLength }
  if (isRepeated(password.toLowerCase())) return { level: 'weak', reason: 'repeated', missingCharacters: 0 }
  const nameCharacters = countNameCharacters(password, names)
  const missingCharacters = defaultLength - (length - nameCharacters)
  if (missingCharacters > 0) {
    const reason = nameCharacters > 0 && length >= defaultLength ? 'name' : 'short'
    return { level: 'weak', reason, missingCharacters }
  }
  return { level: missingCharacters > -strongMargin ? 'fair' : 'strong', missingCharacters: 0 }
}

/** A repeated pattern is no stronger than the pattern alone. */
function isRepeated(text: string): boolean {
  for (let patternLength = 1; patternLength * 2 <= text.length && patternLength < defaultLength; patternLength++) {
    if (text.startsWith(text.slice(patternLength))) return true
  }
  return false
}

const codePoints = (text: string) => Array.from(text).length

const normalised = (text: string) =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/** How many characters of the password are names. An attacker knows them, so they add nothing to its length. */
function countNameCharacters(password: string, names: readonly string[]): number {
  const text = normalised(password)
  const words = names
    .map(name => name.normalize('NFC'))
    .flatMap(name => [name, ...name.split(/[^\p{L}\p{N}]+/u)])
    .map(normalised)
  const rest = words
    .filter(word => codePoints(word) >= 4)
    .toSorted((a, b) => b.length - a.length)
    .reduce((remaining, word) => remaining.replaceAll(word, ''), text)
  return codePoints(text) - codePoints(rest)
}
