import { z } from 'zod'
import type { Paginated } from './answer.ts'
import { jsonBytes } from './json-bytes.ts'
import { paginate, type Paging, pagingQuery } from './paging.ts'
import type { RequestContext } from './context.ts'
import { selectionQuery } from './query-schemas.ts'
import type { Selection, View } from './view.ts'

/** The query of a list without filters. */
export const listQuery = z.strictObject({ ...selectionQuery, ...pagingQuery })

/**
 * A page of a list whose rows are read in batches: rows may be large, and are not needed after they have been shown.
 */
export interface Slices<Row> {
  pagination: Paginated<never>['pagination']
  /** Reads rows; `offset` counts from the start of the whole list. */
  read: (slice: { offset: number; limit: number }) => Rows<Row> | Promise<Rows<Row>>
}

/** Rows that are all in memory, or portions of them. */
type Rows<Row> = readonly Row[] | AsyncIterable<readonly Row[]>

/** A page ends at about this many bytes of JSON. */
const maxBytes = 8 * 1024 * 1024
/** Maximum number of rows per batch: typical pages need one statement. Batches shrink after large rows. */
export const maxBatch = 100

/**
 * Shows rows batch by batch until the page is full, by number of rows or by bytes. In the latter case `pagination.next`
 * is the offset to continue from.
 */
export async function showSlices<Row, Item>(
  { pagination, read }: Slices<Row>,
  show: (rows: readonly Row[]) => Promise<readonly Item[]>,
): Promise<Paginated<Item>> {
  const { offset: start, limit, total } = pagination
  const end = Math.min(start + limit, total)
  const data: Item[] = []
  let [at, batch, bytes] = [start, maxBatch, 0]
  while (at < end) {
    const requested = Math.min(batch, end - at)
    const before = bytes
    let next = at
    for await (const portion of portionsOf(await read({ offset: at, limit: requested })))
      for (const item of await show(portion)) {
        bytes += jsonBytes(item)
        if (bytes > maxBytes && next > start) return { data, pagination: { ...pagination, limit: next - start, next } }
        data.push(item)
        next++
      }
    batch = batchSizeFor((bytes - before) / Math.max(next - at, 1))
    // Fewer rows than requested: the others have been deleted meanwhile.
    at += requested
  }
  return { data, pagination }
}

/** The batch size for rows of this many bytes. */
const batchSizeFor = (bytes: number) => Math.max(1, Math.min(maxBatch, Math.floor(maxBytes / Math.max(bytes, 1))))

const portionsOf = <Row>(rows: Rows<Row>) => (Symbol.asyncIterator in rows ? rows : [rows])

/** Reads all rows of the page at once. */
export async function rowsIn<Row>({ pagination, read }: Slices<Row>): Promise<Row[]> {
  const all: Row[] = []
  for await (const portion of portionsOf(await read(pagination))) all.push(...portion)
  return all
}

export function showPage<Row, Shown>(
  ctx: RequestContext,
  view: View<Row, Shown>,
  slices: Slices<Row>,
  selection?: Selection,
  fallback?: string,
): Promise<Paginated<Partial<Shown>>> {
  return showSlices(slices, rows => view.showAll(ctx, rows, selection, fallback))
}

/** A page whose rows have been read already: they are small, and large parts are loaded when they are shown. */
export function slicesOf<Row>(pagination: Slices<Row>['pagination'], rows: readonly Row[]): Slices<Row> {
  const { offset: start } = pagination
  return { pagination, read: ({ offset, limit }) => rows.slice(offset - start, offset - start + limit) }
}

/** The requested page of rows that are all in memory. */
export function sliced<Row>(rows: readonly Row[], paging: Paging): Slices<Row> {
  const pagination = paginate(rows.length, paging)
  return slicesOf(pagination, rows.slice(pagination.offset, pagination.offset + pagination.limit))
}

/** Shows the requested page of a list that is in memory. */
export async function showList<Model, Shown>(
  ctx: RequestContext,
  view: View<Model, Shown>,
  rows: readonly Model[],
  query: Selection & Paging,
  fallback?: string,
): Promise<Paginated<Partial<Shown>>> {
  return showPage(ctx, view, sliced(rows, query), query, fallback)
}
