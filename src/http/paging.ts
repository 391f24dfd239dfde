import { z } from 'zod'
import { fail } from '../platform/errors.ts'
import type { Paginated } from './answer.ts'

/** In a URL, numbers are text. */
const number = () => z.coerce.number<number | string>().int()

/** Some clients send numbers as text in a body, too (`"2"`). */
export const intOrText = (schema: z.ZodNumber) =>
  z.union([
    schema,
    z
      .string()
      .regex(/^-?\d{1,15}$/)
      .transform(Number)
      .pipe(schema),
  ])

/** The query parameters of every list. Pages count from 1; 0 means the first page, too. */
export const pagingQuery = {
  page: number().min(0).max(1_000_000_000).default(1).describe('The page of the list, from 1.'),
  limit: number().min(1).max(1000).default(100).describe('Entries per page.'),
  // Not called `offset`: some clients send that without expecting an effect.
  next: number()
    .min(0)
    .max(1_000_000_000)
    .optional()
    .describe('Where the page begins, instead of `page`: the `next` of the pagination before.'),
}

export interface Paging {
  page: number
  limit: number
  next?: number | undefined
}

/** The position of the requested page in a list of `total` entries. */
export function paginate(total: number, paging: Paging): Paginated<never>['pagination'] {
  const { limit } = paging
  const offset = offsetOf(paging)
  if (offset > 0 && offset >= total) throw fail('errorPage')
  return { page: total === 0 ? 0 : Math.floor(offset / limit) + 1, total, offset, limit }
}

export const offsetOf = ({ page, limit, next = (Math.max(page, 1) - 1) * limit }: Paging): number => next
