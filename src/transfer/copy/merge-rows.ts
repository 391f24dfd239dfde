import type { Row } from '../backup/queries.ts'
import { compareKeys, lineOf } from '../backup/rows.ts'
import type { TableSchema } from '../backup/schema/queries.ts'

/** A row that is in one of two tables, or in both. */
export interface RowPair {
  ours?: Row
  theirs?: Row
  isEqual: boolean
}

/** Merges two tables, both sorted by their keys, row by row. */
export async function* mergeRows(
  table: TableSchema,
  source: AsyncIterable<Row[]>,
  target: AsyncIterable<Row[]>,
): AsyncGenerator<RowPair> {
  const [left, right] = [rowsOf(source), rowsOf(target)]
  try {
    let [ours, theirs] = [await nextOf(left), await nextOf(right)]
    while (ours || theirs) {
      const order = !ours ? 1 : !theirs ? -1 : compareKeys(table, ours, theirs)
      if (order < 0) yield { ours: ours!, isEqual: false }
      else if (order > 0) yield { theirs: theirs!, isEqual: false }
      else yield { ours: ours!, theirs: theirs!, isEqual: lineOf(ours!) === lineOf(theirs!) }
      if (order <= 0) ours = await nextOf(left)
      if (order >= 0) theirs = await nextOf(right)
    }
  } finally {
    await left.return(undefined)
    await right.return(undefined)
  }
}

async function* rowsOf(pieces: AsyncIterable<Row[]>): AsyncGenerator<Row> {
  for await (const rows of pieces) yield* rows
}

const nextOf = async (rows: AsyncGenerator<Row>): Promise<Row | undefined> => {
  const { value } = await rows.next()
  return value as Row | undefined
}
