import { type Literal, NotLiteral, readPhp } from './php.ts'
import { type ImportReport, skip } from './report.ts'
import type { ImportSource } from './source.ts'

const maxBytes = 1024 * 1024

/** The array that a PHP file returns. Undefined, and reported, if it is not made of literals only. */
export function settingsIn(
  source: ImportSource,
  report: ImportReport,
  file: string,
): ReadonlyMap<string, Literal> | undefined {
  const read = source.text(file, maxBytes)
  if (!read) return undefined
  try {
    const value = readPhp(read.text)
    if (value instanceof Map) return value
    skip(report, file, 'this returns no names and values')
  } catch (error) {
    if (!(error instanceof NotLiteral)) throw error
    skip(report, file, `PHP is not run here, and ${error.message}`)
  }
  return undefined
}
