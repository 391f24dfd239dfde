import type { App } from '../../app.ts'
import { message, type Message } from '../../platform/texts.ts'
import { folded, isListed } from './common-passwords.ts'
import { codePoints, isTooLong, maxPasswordLength } from './password.ts'

/** The minimum for every account, even with a second factor. */
export const minPasswordLength = 8

export interface NewPassword {
  password: string
  minLength: number
  /** Names related to the account: of the user and the mailbox. Names of the site are added here. */
  context?: readonly string[]
  /** Names that must not occur at all: of the user and the site. The host name is added here. */
  forbidden?: readonly string[]
}

/**
 * Why the password is too weak, the most important problem first; empty if it is fine. Only guessability counts: no
 * character classes are required, and passwords do not expire. Checked when a password is set, never at sign-in.
 */
export function passwordProblems(app: App, candidate: NewPassword): Message[] {
  const { password, minLength, context = [], forbidden = [] } = candidate
  const length = codePoints(password.normalize('NFC'))
  if (!password.isWellFormed()) return [message('password.malformed')]
  if (length < minLength) return [message('password.tooShort', { min: String(minLength) })]
  if (isTooLong(password)) return [message('password.tooLong', { max: String(maxPasswordLength.characters) })]
  const text = folded(password)
  if (isCommon(text)) return [message('password.common')]
  const problems: Message[] = []
  if (isRepeated(text, minLength)) problems.push(message('password.repeated'))
  else if (isSequence(text)) problems.push(message('password.sequence'))
  const nameCharacters = countNameCharacters(text, [...siteNames(app), ...context, ...forbidden])
  const isMostlyNames = nameCharacters > 0 && length - nameCharacters < minLength
  if (isMostlyNames || containsAny(text, [...hostNames(app), ...forbidden]))
    problems.push(message('password.contextWord'))
  return problems
}

// ---- lists

/** On the list as it is, or after undoing common substitutions and additions: `P@ssw0rd`, `password123!`. */
function isCommon(text: string): boolean {
  if (isListedVariant(text)) return true
  const [, start = '', stem = '', end = ''] = /^([^\p{L}]*)(.*?)([^\p{L}]*)$/su.exec(text)!
  const additions = [...chunks(start), ...chunks(end)]
  return additions.length > 0 && additions.length <= 3 && additions.every(isUsualAddition) && isGuessableStem(stem)
}

function isListedVariant(text: string): boolean {
  const bare = withoutSigns(text)
  const variants = new Set([text, withoutSubstitutions(text, 'i'), withoutSubstitutions(text, 'l')])
  if (bare.length * 3 > text.length * 2) variants.add(bare)
  return variants.values().some(isListed)
}

function isGuessableStem(stem: string): boolean {
  return isListedVariant(stem) || (codePoints(stem) > 3 && (isRepeated(stem) || isSequence(stem)))
}

const chunks = (text: string) => text.match(/\d+|\D+/g) ?? []

/** `123`, `!!!`, `1987`, `24121987`. */
function isUsualAddition(chunk: string): boolean {
  return countUnexpected(chunk) <= Math.max(1, chunk.length / 4) || /^\d{0,4}(19|20)\d\d$/.test(chunk)
}

const substitutions: Record<string, string> = {
  '@': 'a',
  4: 'a',
  8: 'b',
  3: 'e',
  0: 'o',
  $: 's',
  5: 's',
  7: 't',
  '+': 't',
}

/** `1`, `!` and `|` are vertical strokes: they stand for either letter. */
function withoutSubstitutions(text: string, verticalLetter: 'i' | 'l'): string {
  return text.replaceAll(/[@4830$57+1!|]/g, sign => substitutions[sign] ?? verticalLetter)
}

const withoutSigns = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '')

// ---- patterns

/** The text repeats one piece. It is only as strong as that piece, so a piece of `minLength` is accepted. */
function isRepeated(text: string, minLength = Infinity): boolean {
  for (let piece = 1; piece * 2 <= text.length && piece < minLength; piece++) {
    if (text.startsWith(text.slice(piece))) return true
  }
  return false
}

const sequences = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
  'йцукенгшщзхъфывапролджэячсмитьбю',
  'あいうえおかきくけこさしすせそたちつてと',
]
const pairs = sequences.flatMap(sequence =>
  Array.from(sequence.slice(1), (character, index) => [sequence[index]!, character]),
)
const neighbours = new Set(pairs.flatMap(([one, other]) => [one! + other!, other! + one!]))

/** Along the alphabet or a keyboard, in either direction, with few jumps. */
function isSequence(text: string): boolean {
  return text !== '' && countUnexpected(text) * 4 <= text.length
}

/** Counts the characters that neither repeat the previous one nor are its neighbour in one of the `sequences`. */
function countUnexpected(text: string): number {
  const characters = Array.from(text)
  return characters.filter((character, index) => {
    const before = characters[index - 1]
    return before === undefined || (before !== character && !neighbours.has(before + character))
  }).length
}

// ---- names

const minNameLength = 4

/** Words that apply to all accounts: the name of the product and the parts of the host name. */
function siteNames({ config }: App): string[] {
  return ['quoin', ...new URL(config.url).hostname.split('.')]
}

/** `www.example.org` as a whole, and its usual short forms. */
function hostNames({ config }: App): string[] {
  const { hostname } = new URL(config.url)
  const labels = hostname.split('.')
  return [hostname, hostname.replace(/^www\./, ''), labels.slice(hasRegistryLabel(labels) ? -3 : -2).join('.')]
}

const registryLabels = new Set(['ac', 'co', 'com', 'edu', 'go', 'gob', 'gouv', 'gov', 'mil', 'ne', 'net', 'or', 'org'])

/** Below `co.uk` or `com.au` the domain has three labels. The suffix is no name of the site. */
function hasRegistryLabel(labels: readonly string[]): boolean {
  return labels.at(-1)!.length === 2 && registryLabels.has(labels.at(-2) ?? '')
}

function containsAny(text: string, names: readonly string[]): boolean {
  const whole = plain(text)
  return names.map(plain).some(name => isName(name) && whole.includes(name))
}

const isName = (name: string) => codePoints(name) >= minNameLength && /\p{L}/u.test(name)

/** How many characters of the text are names. An attacker knows them, so they add nothing to its length. */
function countNameCharacters(text: string, context: readonly string[]): number {
  const names = context.flatMap(name => [name, ...name.split(/[^\p{L}\p{N}]+/u)]).map(plain)
  const longestFirst = [...new Set(names)].filter(isName).toSorted((one, other) => other.length - one.length)
  const before = plain(text)
  const after = longestFirst.reduce((rest, name) => rest.replaceAll(name, ''), before)
  return codePoints(before) - codePoints(after)
}

/** Without substitutions such as `@` for `a`, and without separators. */
function plain(text: string): string {
  return withoutSigns(withoutSubstitutions(folded(text), 'i'))
}
