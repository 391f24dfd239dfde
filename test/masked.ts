/** Replaces what differs from run to run: ids, times, tokens. Equal values stay equal, so examples still fit together. */

export interface Example {
  request: { method: string; url: string; body?: unknown; file?: string }
  answer: { status: number; body: unknown }
}

/** Properties whose values are secret or random, by name. */
const secret = new Set([
  'request',
  'csrf',
  'token',
  'secret',
  'uri',
  'codes',
  'code',
  'publicKey',
  'credential',
  'challenge',
])

const time = /\d{4}-\d\d-\d\d([T ])\d\d:\d\d(:\d\d)?(\.\d+)?(Z|\+00:00)?/g
/** Preview passes, message ids, prefixes of tokens, versions of stored bytes, ids, and everything long: keys, hashes, challenges. */
const random =
  /quoin-preview_[\w.-]+|msg_[a-z0-9]+|\bquoin_\w{6}\b|\b[0-9a-f]{10}-\d{1,10}\b|\b[a-z0-9]{16}\b|(?<![\w-])[\w-]{22,}(?![\w-])/g
/** Ids of versions and events are numbers that depend on everything that happened before. */
const maskedId = 12
const milliseconds = /\b1[789]\d{11}\b/g

export function maskAll(examples: [name: string, example: Example][]): Record<string, Example> {
  const aliases = new Map<string, string>()
  const aliasOf = (text: string) => {
    if (!aliases.has(text)) aliases.set(text, `${letters(aliases.size)}${'0'.repeat(8)}`.slice(0, 8))
    return aliases.get(text)!
  }
  const maskText = (text: string) =>
    text
      .replaceAll(
        time,
        (_, separator: string, seconds = '', fraction = '', zone = '') =>
          `2026-01-31${separator}12:00${seconds && ':00'}${fraction && '.000'}${zone}`,
      ) // prettier-ignore
      .replaceAll(milliseconds, '1790000000000')
      .replaceAll(/(?<=\/history\/)\d+/g, String(maskedId))
      .replaceAll(random, found => aliasOf(found))
  const mask = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return secret.has(key) && value.length > 5 ? '…' : maskText(value)
    if (typeof value === 'number') return key === 'id' ? maskedId : Number(maskText(String(value)))
    if (Array.isArray(value)) return key === 'codes' ? ['…'] : value.map(one => mask(one))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mask(one, name)]))
  }
  return Object.fromEntries(examples.map(([name, example]) => [name, mask(example) as Example]))
}

/** `a`, `b`, … `z`, `aa` */
function letters(number: number): string {
  const rest = Math.floor(number / 26)
  return (rest > 0 ? letters(rest - 1) : '') + String.fromCodePoint(97 + (number % 26))
}
