import { sql } from 'kysely'
import { isPostgres } from '../../platform/store/among.ts'
import type { Tx } from '../../platform/store/store.ts'

export interface ReferenceCandidate {
  owner: string
  language: string
  data: string
  /** Null for accounts and the site. */
  template: string | null
  /** Only for accounts. */
  role: string | null
}

const chunkSize = 200

/**
 * Batches of contents or drafts whose text contains an id. The rows are locked: otherwise, on PostgreSQL, a concurrent
 * save that has already read one could write the old id back.
 */
export async function* lockCandidates(
  tx: Tx,
  table: 'contents' | 'changes',
  id: string,
): AsyncGenerator<ReferenceCandidate[]> {
  let after = { owner: '', language: '' }
  for (;;) {
    const rows: ReferenceCandidate[] = await tx
      .selectFrom(table)
      .leftJoin('pages', join =>
        join.on(sql<boolean>`${sql.ref(`${table}.owner`)} = 'page://' || ${sql.ref('pages.uuid')}`),
      )
      .leftJoin('files', join =>
        join.on(sql<boolean>`${sql.ref(`${table}.owner`)} = 'file://' || ${sql.ref('files.uuid')}`),
      )
      .leftJoin('users', join =>
        join.on(sql<boolean>`${sql.ref(`${table}.owner`)} = 'user://' || ${sql.ref('users.id')}`),
      )
      .select([`${table}.owner`, `${table}.language`, `${table}.data`, 'users.role'])
      .select(eb => eb.fn.coalesce('pages.template', 'files.template').as('template'))
      .where(sql<boolean>`${sql.ref(`${table}.data`)} like ${`%${escaped(id)}%`} escape '!'`)
      .where(eb =>
        eb.or([
          eb(`${table}.owner`, '>', after.owner),
          eb.and([eb(`${table}.owner`, '=', after.owner), eb(`${table}.language`, '>', after.language)]),
        ]),
      )
      .orderBy(`${table}.owner`)
      .orderBy(`${table}.language`)
      .limit(chunkSize)
      .$if(isPostgres(tx), query => query.forNoKeyUpdate(table))
      .execute()
    if (rows.length > 0) yield rows
    if (rows.length < chunkSize) return
    after = rows.at(-1)!
  }
}

/** Contents or drafts of one owner in every language, locked for the same reason. */
export async function lockTextsOf(
  tx: Tx,
  table: 'contents' | 'changes',
  owner: string,
): Promise<Pick<ReferenceCandidate, 'owner' | 'language' | 'data'>[]> {
  return tx
    .selectFrom(table)
    .select(['owner', 'language', 'data'])
    .where('owner', '=', owner)
    .orderBy('language')
    .$if(isPostgres(tx), query => query.forNoKeyUpdate())
    .execute()
}

const escaped = (text: string) => text.replaceAll(/[!%_]/g, '!$&')

export async function updateChangedIds(
  tx: Tx,
  table: 'contents' | 'changes',
  { owner, language }: Pick<ReferenceCandidate, 'owner' | 'language'>,
  data: string,
): Promise<void> {
  await tx.updateTable(table).set({ data }).where('owner', '=', owner).where('language', '=', language).execute()
}
