import { fail } from '../../platform/errors.ts'
import type { Range } from '../../platform/media/media.ts'

/**
 * Parses `bytes=0-99`, `bytes=100-` or `bytes=-100`. Undefined means the whole file: also for several ranges, which a
 * server may ignore, and for malformed headers.
 */
export function readRange(text: string | undefined, size: number): Range | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(text ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return undefined
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (start > end) throw fail('request.range').with({ headers: { 'content-range': `bytes */${size}` } })
  return { start, end }
}
