import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../../platform/store/schema.ts'
import { isInList, type ListParameter, listParameter } from '../../../platform/store/among.ts'
import { prepared, type Store } from '../../../platform/store/store.ts'
import { isRoleVisible, type VisibleAccounts } from '../../../access/authorize/accounts.ts'
import { columns } from '../queries.ts'

const isVisibleAccount = (visible: VisibleAccounts) => (eb: ExpressionBuilder<Database, 'users'>) => {
  const { roles, except, own } = visible
  const byRole = roles
    ? roles.length > 0
      ? eb('role', 'in', roles)
      : eb.lit(false)
    : except.length > 0
      ? eb('role', 'not in', except)
      : eb.lit(true)
  return own === undefined ? byRole : eb.or([byRole, eb('id', '=', own)])
}

const canViewEveryone = ({ roles, except }: VisibleAccounts) => roles === undefined && except.length === 0

/** A sort key. Roles and languages have few values and are sorted by a rank that is computed here. */
export type UserOrder =
  | { by: 'id' | 'email' | 'name' | 'username'; direction: 1 | -1 }
  | { by: 'role' | 'language'; direction: 1 | -1; ranks: Map<string, number> }

/** One page of a list. The default order breaks ties. */
export async function selectSortedAccounts(
  store: Store,
  visible: VisibleAccounts,
  { offset, limit }: { offset: number; limit: number },
  order: readonly UserOrder[],
) {
  let query = store.db
    .selectFrom('users')
    .select(columns)
    .$if(!canViewEveryone(visible), selected => selected.where(isVisibleAccount(visible)))
  for (const one of order) query = query.orderBy(orderOf(store, one), one.direction === 1 ? 'asc' : 'desc')
  return query.orderBy('sort_key').orderBy('id').limit(limit).offset(offset).execute()
}

function orderOf(store: Store, order: UserOrder): RawBuilder<unknown> {
  switch (order.by) {
    case 'id':
      return byCodePoint(store, 'id')
    case 'email':
      return byCodePoint(store, 'email_key')
    case 'username':
      return sql`sort_key`
    case 'name':
      return sql`case when name = '' then '' else sort_key end`
    default: {
      const ranks = [...order.ranks].map(([value, rank]) => sql`when ${value} then ${sql.lit(rank)}`)
      return ranks.length > 0 ? sql`case ${sql.ref(order.by)} ${sql.join(ranks, sql` `)} end` : sql`sort_key`
    }
  }
}

/** Sorts by code point in both databases, as JavaScript does. */
function byCodePoint({ name }: Store, column: string): RawBuilder<unknown> {
  return name === 'postgres' ? sql`${sql.ref(column)} collate "C"` : sql.ref(column)
}

/**
 * Whether the database sorts by these columns as `compare` does, which ignores case and accents and compares numbers by
 * value. They differ only if some account has an unusual name, address or id.
 */
export async function isSortedLikeJavaScript(store: Store, names: ReadonlySet<string>): Promise<boolean> {
  const different = [
    ...(names.has('username') || names.has('name') ? [isNumber('sort_key')] : []),
    ...(names.has('email') ? [hasNonAsciiCharacters('email'), sql<boolean>`email_key <> lower(email)`] : []),
    ...(names.has('id') ? [isNumber('id'), hasNonAsciiCharacters('id'), sql<boolean>`id <> lower(id)`] : []),
  ]
  if (different.length === 0) return true
  const [found] = await store.db
    .selectFrom('users')
    .select('id')
    .where(eb => eb.or(different))
    .limit(1)
    .execute()
  return found === undefined
}

/** Whether the text has non-ASCII characters: SQLite, PostgreSQL and JavaScript lowercase and sort only ASCII alike. */
const hasNonAsciiCharacters = (column: string) =>
  sql<boolean>`octet_length(${sql.ref(column)}) <> length(${sql.ref(column)})`

const isNumber = (column: string) => sql<boolean>`rtrim(${sql.ref(column)}, '0123456789.-') = ''`

export async function selectDistinct(store: Store, column: 'role' | 'language'): Promise<string[]> {
  const rows = await store.db.selectFrom('users').select(`${column} as value`).distinct().execute()
  return rows.map(({ value }) => value)
}

/** Sums the stored counts by role. The caller's own account is added if its role is not visible. */
export async function countVisible(store: Store, visible: VisibleAccounts, ownRole: string): Promise<number> {
  const counts = await store.db.selectFrom('user_counts').selectAll().execute()
  const total = counts.filter(({ role }) => isRoleVisible(visible, role)).reduce((sum, { count }) => sum + count, 0)
  return visible.own !== undefined && !isRoleVisible(visible, ownRole) ? total + 1 : total
}

/** Rows in the order of `ids`. */
export async function selectByIds(store: Store, ids: readonly string[]) {
  if (ids.length === 0) return []
  const rows = await store.db.selectFrom('users').select(columns).where('id', 'in', ids).execute()
  const byId = new Map(rows.map(row => [row.id, row]))
  return ids.flatMap(id => byId.get(id) ?? [])
}

/** For each id the next (or previous) visible account, ordered by id. */
export async function selectUserNeighbours(
  store: Store,
  visible: VisibleAccounts,
  ids: readonly string[],
  after: boolean,
) {
  return store.db
    .selectFrom('users as one')
    .innerJoin('users', join =>
      join.on('users.id', '=', eb =>
        eb
          .selectFrom('users')
          .select('users.id')
          .where('users.id', after ? '>' : '<', eb.ref('one.id'))
          .$if(!canViewEveryone(visible), query => query.where(isVisibleAccount(visible) as never))
          .orderBy('users.id', after ? 'asc' : 'desc')
          .limit(1),
      ),
    )
    .select('one.id as of')
    .select(columns.map(column => `users.${column}` as const))
    .where('one.id', 'in', ids)
    .execute()
}

const byKeys = prepared((db, keys: ListParameter) =>
  db
    .selectFrom('users')
    .select(columns)
    .where(eb => eb.or([isInList(db, 'id', keys), isInList(db, 'email_key', keys)])),
)

/** The visible accounts among these ids or e-mail keys. */
export async function selectReferred(store: Store, visible: VisibleAccounts, keys: readonly string[]) {
  const found = await byKeys(store, listParameter(store, keys))
  return found.filter(({ id, role }) => id === visible.own || isRoleVisible(visible, role))
}

// ---- searching

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
      .$if(!canViewEveryone(visible), query => query.where(isVisibleAccount(visible)))
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
            hasNonAsciiCharacters('users.email'),
            hasNonAsciiCharacters('contents.data'),
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
