import { z } from 'zod'
import { fail } from '../platform/errors.ts'
import type { Paginated } from './answer.ts'

/** In the address numbers are texts. */
const number = () => z.coerce.number<number | string>().int()

/** In a body, too, some clients send numbers as text (`"2"`). */
export const intOrText = (schema: z.ZodNumber) =>
  z.union([
    schema,
    z
      .string()
      .regex(/^-?\d{1,15}$/)
      .transform(Number)
      .pipe(schema),
  ])

/** The query parameters of every list. Pages are counted from 1; 0 is the first one, too. */
export const pagingQuery = {
  page: number().min(0).max(1_000_000_000).default(1),
  limit: number().min(1).max(1000).default(100),
  // Not `offset`: clients send that and mean nothing by it.
  next: number()
    .min(0)
    .max(1_000_000_000)
    .optional()
    .describe('Where the page begins, instead of `page`: the `next` of the pagination before.'),
}

/** Which part of a list is wanted. */
export interface Paging {
  page: number
  limit: number
  next?: number | undefined
}

/** Where the wanted page of so many things begins. */
export function paginate(total: number, paging: Paging): Paginated<never>['pagination'] {
  const { limit } = paging
  const offset = offsetOf(paging)
  if (offset > 0 && offset >= total) throw fail('errorPage')
  return { page: total === 0 ? 0 : Math.floor(offset / limit) + 1, total, offset, limit }
}

export const offsetOf = ({ page, limit, next = (Math.max(page, 1) - 1) * limit }: Paging): number => next
