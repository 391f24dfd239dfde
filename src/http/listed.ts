import { z } from 'zod'
import type { Paginated } from './answer.ts'
import { jsonBytes } from './json-bytes.ts'
import { paginate, type Paging, pagingQuery } from './paging.ts'
import type { RequestContext } from './context.ts'
import { type Selection, selectionQuery, type View } from './view.ts'

/** The query of a list that has nothing else to ask. */
export const listQuery = z.strictObject({ ...selectionQuery, ...pagingQuery })

/** A page of a list whose rows are read in batches: rows may be large, and none is needed after it has been shown. */
export interface Slices<Row> {
  pagination: Paginated<never>['pagination']
  /** Rows of the whole list, from `offset` on. */
  read: (slice: { offset: number; limit: number }) => readonly Row[] | Promise<readonly Row[]>
}

/** A page of a list ends at about so many bytes of JSON. */
const maxBytes = 8 * 1024 * 1024
/** Rows that are read and shown together, so that usual lists take as many statements as short ones. Fewer after large ones. */
const maxBatch = 100

/** Shows rows batch by batch until the page is full: by its number of rows or by its bytes, which `next` tells. */
export async function showSlices<Row, Item>(
  { pagination, read }: Slices<Row>,
  show: (rows: readonly Row[]) => Promise<readonly Item[]>,
): Promise<Paginated<Item>> {
  const { offset: start, limit, total } = pagination
  const end = Math.min(start + limit, total)
  const data: Item[] = []
  let [at, batch, bytes] = [start, maxBatch, 0]
  while (at < end) {
    const wanted = Math.min(batch, end - at)
    const rows = await read({ offset: at, limit: wanted })
    const before = bytes
    let next = at
    for (const some of portionsOf(rows))
      for (const item of await show(some)) {
        bytes += jsonBytes(item)
        if (bytes > maxBytes && next > start) return { data, pagination: { ...pagination, limit: next - start, next } }
        data.push(item)
        next++
      }
    // Fewer rows than wanted: the others have been deleted meanwhile.
    at += wanted
    const stored = rows.reduce((sum, row) => sum + textLength(row), 0)
    batch = fitting(Math.max(bytes - before, stored) / Math.max(rows.length, 1))
  }
  return { data, pagination }
}

/** How many of so many bytes each are taken together. */
const fitting = (bytes: number) => Math.max(1, Math.min(maxBatch, Math.floor(maxBytes / Math.max(bytes, 1))))

/** Rows with large texts are shown a few at a time: usual ones all together. */
function* portionsOf<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  let [start, letters] = [0, 0]
  for (const [index, row] of rows.entries()) {
    letters += textLength(row)
    if (letters < maxBytes) continue
    yield rows.slice(start, index + 1)
    ;[start, letters] = [index + 1, 0]
  }
  if (start < rows.length) yield start === 0 ? rows : rows.slice(start)
}

/** The letters of a row: whatever is large in one is text. */
function textLength(row: unknown): number {
  let sum = 0
  for (const value of Object.values(row as object)) if (typeof value === 'string') sum += value.length
  return sum
}

/** All rows of the page at once, for those who need them together. */
export const rowsIn = <Row>({ pagination, read }: Slices<Row>) => read(pagination)

/** A page of a list as a view shows it. */
export function showPage<Row, Shown>(
  ctx: RequestContext,
  view: View<Row, Shown>,
  slices: Slices<Row>,
  selection?: Selection,
  fallback?: string,
): Promise<Paginated<Partial<Shown>>> {
  return showSlices(slices, rows => view.showAll(ctx, rows, selection, fallback))
}

/** A page whose rows have been read: they are small, and what is large is read when they are shown. */
export function slicesOf<Row>(pagination: Slices<Row>['pagination'], rows: readonly Row[]): Slices<Row> {
  const { offset: start } = pagination
  return { pagination, read: ({ offset, limit }) => rows.slice(offset - start, offset - start + limit) }
}

/** The wanted page of rows that are all at hand. */
export function sliced<Row>(rows: readonly Row[], paging: Paging): Slices<Row> {
  const pagination = paginate(rows.length, paging)
  return slicesOf(pagination, rows.slice(pagination.offset, pagination.offset + pagination.limit))
}

/** The wanted page of a list that is at hand as a whole. Only what is on it is shown. */
export async function listed<Model, Shown>(
  ctx: RequestContext,
  view: View<Model, Shown>,
  rows: readonly Model[],
  query: Selection & Paging,
  fallback?: string,
): Promise<Paginated<Partial<Shown>>> {
  return showPage(ctx, view, sliced(rows, query), query, fallback)
}
