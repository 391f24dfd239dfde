import { z } from 'zod'
import type { Paginated } from './answer.ts'
import { paginate, pagingQuery } from './paging.ts'
import type { Look } from './look.ts'
import { type Selection, selectionQuery, type View } from './view.ts'

/** The query of a list that has nothing else to ask. */
export const listQuery = z.strictObject({ ...selectionQuery, ...pagingQuery })

/** The wanted page of a list that is at hand as a whole. Only what is on it is shown. */
export async function listed<Model, Shown>(
  look: Look,
  view: View<Model, Shown>,
  rows: readonly Model[],
  query: Selection & { page: number; limit: number },
  fallback?: string,
): Promise<Paginated<Partial<Shown>>> {
  const pagination = paginate(rows.length, query)
  const { offset, limit } = pagination
  const page = rows.slice(offset, offset + limit)
  return { data: await view.showAll(look, page, query, fallback), pagination }
}
