import type { BrokenValue, StoredValue } from './field.ts'
import { isMap } from './stored.ts'

/** In characters. */
const maxExcerptLength = 500

export function brokenValue(stored: StoredValue, reason: BrokenValue['$broken']): BrokenValue {
  const text = typeof stored === 'string' ? stored : JSON.stringify(stored)
  return { $broken: reason, length: text.length, text: text.slice(0, maxExcerptLength) }
}

export const isBroken = (value: unknown): value is BrokenValue => isMap(value) && typeof value['$broken'] === 'string'

/** `{ $overwrite: value }` in place of a value allows it to replace a broken one. */
export const isOverwriting = (sent: unknown): sent is { $overwrite: unknown } =>
  isMap(sent) && Object.hasOwn(sent, '$overwrite') && Object.keys(sent).length === 1
