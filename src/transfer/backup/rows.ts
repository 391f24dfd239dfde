import { createHash } from 'node:crypto'
import type { Row, ColumnValue } from './queries.ts'
import { BackupRefusal } from './refusal.ts'
import type { ColumnSchema, TableSchema } from './schema/queries.ts'

/** A row as one line. The columns are always in the same order, so equal rows are equal texts. */
export const lineOf = (row: Row) => `${JSON.stringify(row)}\n`

/** The number and the hash of the rows, the same on both engines. */
export interface Digest {
  rows: number
  sha256: string
}

export function createDigest() {
  const hash = createHash('sha256')
  let rows = 0
  return {
    add(row: Row): string {
      const line = lineOf(row)
      hash.update(line)
      rows++
      return line
    },
    end: (): Digest => ({ rows, sha256: hash.digest('hex') }),
  }
}

export async function digestOf(pieces: AsyncIterable<Row[]>): Promise<Digest> {
  const digest = createDigest()
  for await (const rows of pieces) for (const row of rows) digest.add(row)
  return digest.end()
}

/** Parses and validates the lines of a part of an archive: only rows that fit the table are returned. */
export function* parseRows(part: Buffer, { name, columns }: TableSchema): Generator<Row> {
  for (let start = 0; start < part.length;) {
    const end = part.indexOf(10, start)
    if (end < 0) throw new BackupRefusal(`The rows of ${name} do not end with a line.`)
    const row = parsedRow(part.toString('utf8', start, end))
    if (!row || !isRowOf(columns, row)) throw new BackupRefusal(`The archive has a row that cannot be one of ${name}.`)
    yield row
    start = end + 1
  }
}

function parsedRow(line: string): Row | undefined {
  try {
    return JSON.parse(line) as Row
  } catch {
    return undefined
  }
}

/** Whether the row has the same columns in the same order. */
function isRowOf(columns: readonly ColumnSchema[], row: unknown): row is Row {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return false
  const entries = Object.entries(row as Record<string, unknown>)
  return (
    entries.length === columns.length &&
    columns.every((column, index) => entries[index]![0] === column.name && isValidFor(column, entries[index]![1]))
  )
}

function isValidFor({ isNumber, isNullable }: ColumnSchema, value: unknown): value is ColumnValue {
  if (value === null) return isNullable
  return isNumber ? Number.isSafeInteger(value) : typeof value === 'string'
}

/** Compares by code points, as the `order by` clauses of both engines do. */
export function compareKeys({ key }: TableSchema, one: Row, other: Row): number {
  for (const { name } of key) {
    const [left, right] = [one[name]!, other[name]!]
    if (left === right) continue
    return typeof left === 'number'
      ? left - (right as number)
      : Buffer.compare(Buffer.from(left), Buffer.from(right as string))
  }
  return 0
}
