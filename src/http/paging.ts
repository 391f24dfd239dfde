import { z } from 'zod'
import { fail } from '../errors.ts'
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
}

/** Where the wanted page of so many things begins. */
export function paginate(
  total: number,
  { page, limit }: { page: number; limit: number },
): Paginated<never>['pagination'] {
  const wanted = Math.max(page, 1)
  if (wanted > 1 && (wanted - 1) * limit >= total) throw fail('errorPage')
  return { page: total === 0 ? 0 : wanted, total, offset: (wanted - 1) * limit, limit }
}
