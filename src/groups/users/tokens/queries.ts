import type { Tx } from '../../../platform/store/store.ts'

export async function countTokens(tx: Tx, userId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('api_tokens')
    .select(query => query.fn.countAll<number>().as('count'))
    .where('owner_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}
