import type { App } from '../../app.ts'
import { fromDisk } from '../../blueprints/fields/disk.ts'
import type { Fields } from '../../blueprints/fields/field.ts'
import { fieldsOfAll } from '../languages/contents/contents.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import { indexOwners } from '../../platform/search/search.ts'
import { type DraftChanges, decodeChanges } from '../drafts/queries.ts'
import { decode } from '../queries.ts'
import type { Store } from '../../platform/store/store.ts'
import * as queries from './queries.ts'

const batchSize = 200

/**
 * Converts structured values from YAML to JSON; unreadable ones stay. A migration fills the `conversions` table, but
 * has no blueprints to do the work itself. Can be interrupted at any time, and resumes.
 */
export async function convertContents(app: App, progress: (rows: number) => void = () => {}): Promise<void> {
  const { store } = app
  let done = 0
  for (const table of await queries.selectUnfinished(store))
    for (;;) {
      const cursor = await queries.selectCursor(store, table)
      if (cursor === undefined) break
      const rows = await queries.selectAfter(store, table, cursor, batchSize)
      await convertRows(app, table, rows)
      const last = rows.at(-1)
      await store.write(tx =>
        last ? queries.updateCursor(tx, table, cursor, queries.cursorOf(last)) : queries.deleteCursor(tx, table),
      )
      progress((done += rows.length))
    }
}

/** The tables whose contents `convertContents` has not converted completely. */
export const listUnconverted = (store: Store) => queries.selectUnfinished(store)

/** The same for given owners, for example after their blueprint has changed. */
export async function convertOwners(app: App, owners: readonly string[]): Promise<void> {
  for (const batch of chunks(owners, batchSize))
    for (const table of queries.tables) await convertRows(app, table, await queries.selectOf(app.store, table, batch))
}

async function convertRows(
  app: App,
  table: queries.ContentTable,
  rows: readonly queries.ContentTableRow[],
): Promise<void> {
  const { store } = app
  const fieldsOf = await fieldsOfAll(app, store.db, [...new Set(rows.map(({ owner }) => owner))])
  const changed = rows.flatMap(row => {
    const next = converted(table, row.data, fieldsOf(row.owner))
    return next === row.data ? [] : { row, next }
  })
  if (changed.length === 0) return
  await store.write(async tx => {
    for (const { row, next } of changed) await queries.updateConvertedData(tx, table, row, next)
    if (table === 'contents') await indexOwners(store, tx, changed.map(({ row }) => row)) // prettier-ignore
  })
}

function converted(table: queries.ContentTable, data: string, fields: Fields): string {
  if (table !== 'changes') {
    const content = decode(data)
    const next = fromDisk(fields, content)
    return next === content ? data : JSON.stringify(next)
  }
  const changes = decodeChanges(data)
  const valuesOf = (side: 'from' | 'to') =>
    fromDisk(fields, Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, change[side]])))
  const [from, to] = [valuesOf('from'), valuesOf('to')]
  const next: DraftChanges = Object.fromEntries(
    Object.keys(changes).map(name => [name, { from: from[name]!, to: to[name]! }]),
  )
  return JSON.stringify(next)
}
