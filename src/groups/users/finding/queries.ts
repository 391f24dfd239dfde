import { type RawBuilder, sql } from 'kysely'
import type { Store } from '../../../platform/store/store.ts'
import { hasFurtherLetters, isEverybody, type Visible, visibleTo } from '../listing/queries.ts'
import { columns } from '../queries.ts'

export type Candidate = Awaited<ReturnType<typeof selectPiece>>[number]

const pieceSize = 1000
/** More than these the store would look for again and again in the same text, and everybody would wait for it. */
const maxWords = 5

/**
 * Everybody who may be meant, in the order of lists: those in whose data any of the words may occur. Without words:
 * everybody. They come in pieces, because with SQLite nobody else is served while one is read.
 */
export async function* selectCandidates(
  store: Store,
  visible: Visible,
  { words, language }: { words: readonly string[]; language: string | undefined },
): AsyncGenerator<Candidate[]> {
  const wanted = words.length > maxWords ? [] : words
  for (let after: End | undefined, isLast = false; !isLast;) {
    const until = await selectEnd(store, after)
    yield await selectPiece(store, visible, wanted, language, after, until)
    isLast = until === undefined
    after = until
  }
}

interface End {
  sort_key: string
  id: string
}

/** The last account of a full piece: a piece is as long whether many of its accounts are meant or none. */
async function selectEnd(store: Store, after: End | undefined): Promise<End | undefined> {
  return store.db
    .selectFrom('users')
    .select(['sort_key', 'id'])
    .$if(after !== undefined, query => query.where(isBeyond(after!)))
    .orderBy('sort_key')
    .orderBy('id')
    .limit(1)
    .offset(pieceSize - 1)
    .executeTakeFirst()
}

const isBeyond = (end: End) => sql<boolean>`(users.sort_key, users.id) > (${end.sort_key}, ${end.id})`
const isUpTo = (end: End) => sql<boolean>`(users.sort_key, users.id) <= (${end.sort_key}, ${end.id})`

async function selectPiece(
  store: Store,
  visible: Visible,
  words: readonly string[],
  /** In which contents are read; undefined if none are needed. */
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
      // One without fields has nothing that could be asked for.
      .select(sql<string | null | undefined>`nullif(contents.data, '{}')`.as('content'))
      .$if(!isEverybody(visible), query => query.where(visibleTo(visible)))
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
              // JSON writes these signs in another way.
              /^[ -!#-[\]-~]+$/.test(word)
                ? contains(sql`lower(contents.data)`, word)
                : sql<boolean>`contents.data <> '{}'`,
            ]),
            // Only letters of ASCII are made small alike by both engines and by us; the others are looked at afterwards.
            hasFurtherLetters('users.email'),
            hasFurtherLetters('contents.data'),
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
