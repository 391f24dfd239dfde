import type { VisibleAccounts } from '../../../access/authorize/accounts.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Store } from '../../../platform/store/store.ts'
import { hasNonAsciiLetters, seesEveryone, isVisibleAccount } from '../listing/queries.ts'
import { columns } from '../queries.ts'

export type AccountCandidate = Awaited<ReturnType<typeof selectPiece>>[number]

const batchSize = 1000
/**
 * With more words the database filters nothing: each is another LIKE over the same text, and SQLite blocks the event
 * loop.
 */
const maxWords = 5

/**
 * All visible accounts that may match, in list order: those whose data may contain any of the words, or all accounts
 * without words. The caller checks them exactly. They are read in batches, because SQLite blocks the event loop while
 * it reads.
 */
export async function* selectCandidates(
  store: Store,
  visible: VisibleAccounts,
  { words, language }: { words: readonly string[]; language: string | undefined },
): AsyncGenerator<AccountCandidate[]> {
  const searchedWords = words.length > maxWords ? [] : words
  for (let after: End | undefined, isLast = false; !isLast;) {
    const until = await selectEnd(store, after)
    yield await selectPiece(store, visible, searchedWords, language, after, until)
    isLast = until === undefined
    after = until
  }
}

interface End {
  sort_key: string
  id: string
}

/**
 * The last account of the next batch; undefined for the last batch. A batch covers the same number of rows, however
 * many of them match.
 */
async function selectEnd(store: Store, after: End | undefined): Promise<End | undefined> {
  return store.db
    .selectFrom('users')
    .select(['sort_key', 'id'])
    .$if(after !== undefined, query => query.where(isBeyond(after!)))
    .orderBy('sort_key')
    .orderBy('id')
    .limit(1)
    .offset(batchSize - 1)
    .executeTakeFirst()
}

const isBeyond = (end: End) => sql<boolean>`(users.sort_key, users.id) > (${end.sort_key}, ${end.id})`
const isUpTo = (end: End) => sql<boolean>`(users.sort_key, users.id) <= (${end.sort_key}, ${end.id})`

async function selectPiece(
  store: Store,
  visible: VisibleAccounts,
  words: readonly string[],
  /** The language of the content to read; undefined if no content is needed. */
  language: string | undefined,
  after: End | undefined,
  until: End | undefined,
) {
  return (
    store.db
      .selectFrom('users')
      .leftJoin('contents', join =>
        join
          .on('contents.language', '=', language ?? '')
          .on('contents.owner', '=', language === undefined ? sql<string>`''` : sql<string>`'user://' || users.id`),
      )
      .select(columns.map(column => `users.${column}` as const))
      // Content without fields cannot match: null spares parsing it.
      .select(sql<string | null | undefined>`nullif(contents.data, '{}')`.as('content'))
      .$if(!seesEveryone(visible), query => query.where(isVisibleAccount(visible)))
      .$if(after !== undefined, query => query.where(isBeyond(after!)))
      .$if(until !== undefined, query => query.where(isUpTo(until!)))
      .$if(words.length > 0, query =>
        query.where(eb =>
          eb.or([
            ...words.flatMap(word => [
              contains(sql.ref('users.sort_key'), word),
              contains(sql.ref('users.email_key'), word),
              contains(sql`lower(users.role)`, word),
              contains(sql`lower(users.id)`, word),
              // JSON escapes some of the other characters: every account with content stays a candidate.
              /^[ -!#-[\]-~]+$/.test(word)
                ? contains(sql`lower(contents.data)`, word)
                : sql<boolean>`contents.data <> '{}'`,
            ]),
            // SQLite, PostgreSQL and JavaScript lowercase only ASCII alike: accounts with other characters stay
            // candidates.
            hasNonAsciiLetters('users.email'),
            hasNonAsciiLetters('contents.data'),
          ]),
        ),
      )
      .orderBy('sort_key')
      .orderBy('users.id')
      .execute()
  )
}

function contains(text: RawBuilder<unknown>, word: string) {
  const pattern = `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return sql<boolean>`${text} like ${pattern} escape '\\'`
}
