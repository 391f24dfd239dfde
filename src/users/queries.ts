import { type ExpressionBuilder, type Insertable, type RawBuilder, sql } from 'kysely'
import type { Database, UsersTable, UserStatus } from '../store/schema.ts'
import { now, type Store, type Tx } from '../store/store.ts'

const columns = [
  'id',
  'email',
  'email_key',
  'name',
  'blank_name',
  'role',
  'language',
  'status',
  'auth_epoch',
  'must_change_password',
  'created_at',
  'revision',
] as const

/** False if the address or the id is taken. */
export async function insertUser(
  tx: Tx,
  user: Omit<Insertable<UsersTable>, 'created_at' | 'modified_at' | 'password_set_at'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('users')
    .values({ ...user, password_set_at: user.password_hash === null ? null : now, created_at: now, modified_at: now })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function selectUsers(store: Store) {
  return store.db.selectFrom('users').select(columns).orderBy('email_key').execute()
}

export async function selectUser(store: Store, idOrKey: string) {
  return store.db
    .selectFrom('users')
    .select(columns)
    .where(eb => eb.or([eb('id', '=', idOrKey), eb('email_key', '=', idOrKey)]))
    .executeTakeFirst()
}

/** Sets the hash and everything that a new password makes right again. */
export async function updatePassword(tx: Tx, id: string, hash: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({
      password_hash: hash,
      bcrypt_cost: null,
      password_set_at: now,
      password_fail_streak: 0,
      password_disabled_at: null,
      must_change_password: 0,
      modified_at: now,
    })
    .where('id', '=', id)
    .execute()
}

export type Change = Partial<Pick<UsersTable, 'name' | 'sort_key' | 'language' | 'role'> & { blank_name: number }>

export async function updateUser(tx: Tx, id: string, change: Change): Promise<void> {
  await tx
    .updateTable('users')
    .set(eb => ({ ...change, revision: eb('revision', '+', 1), modified_at: now }))
    .where('id', '=', id)
    .execute()
}

/** The account is held. */
export async function selectRevision(tx: Tx, id: string): Promise<number> {
  const { revision } = await tx.selectFrom('users').select('revision').where('id', '=', id).executeTakeFirstOrThrow()
  return revision
}

/** The account is held. Answers with what it is at now. */
export async function raiseRevision(tx: Tx, id: string): Promise<number> {
  const { revision } = await tx
    .updateTable('users')
    .set(eb => ({ revision: eb('revision', '+', 1), modified_at: now }))
    .where('id', '=', id)
    .returning('revision')
    .executeTakeFirstOrThrow()
  return revision
}

export async function isUsedId(tx: Tx, id: string): Promise<boolean> {
  return (await tx.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

export async function enable(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({ status: sql`case when password_hash is null then 'invited' else 'active' end`, modified_at: now })
    .where('id', '=', id)
    .execute()
}

export async function updateStatus(tx: Tx, id: string, status: UserStatus): Promise<void> {
  await tx.updateTable('users').set({ status, modified_at: now }).where('id', '=', id).execute()
}

export async function deleteUserRow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('users').where('id', '=', id).execute()
}

export type Admin = Awaited<ReturnType<typeof holdAdmins>>[number]

/** All administrators. The rows are held, so that two cannot step down at once; before any other row, so that none waits. */
export async function holdAdmins(store: Store, tx: Tx) {
  return tx
    .selectFrom('users')
    .select(['id', 'status'])
    .where('role', '=', 'admin')
    .orderBy('id')
    .$if(store.name === 'postgres', query => query.forNoKeyUpdate())
    .execute()
}

export async function hasOthers(tx: Tx, id: string): Promise<boolean> {
  return (await tx.selectFrom('users').select('id').where('id', '!=', id).limit(1).executeTakeFirst()) !== undefined
}

// ---- lists

/** Whom a caller may see: all, or accounts of these roles (or of all but these), and perhaps the own one. */
export interface Visible {
  roles: readonly string[] | undefined
  except: readonly string[]
  own: string | undefined
}

const visibleTo = (visible: Visible) => (eb: ExpressionBuilder<Database, 'users'>) => {
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

const isEverybody = ({ roles, except }: Visible) => roles === undefined && except.length === 0

/** By what a list can be ordered. Of few values we say ourselves in which order they come. */
export type Order =
  | { by: 'id' | 'email' | 'name' | 'username'; factor: 1 | -1 }
  | { by: 'role' | 'language'; factor: 1 | -1; ranks: Map<string, number> }

/** One page of a list, in its order or in another. */
export async function selectPage(
  store: Store,
  visible: Visible,
  { offset, limit }: { offset: number; limit: number },
  order: readonly Order[],
) {
  let query = store.db
    .selectFrom('users')
    .select(columns)
    .$if(!isEverybody(visible), selected => selected.where(visibleTo(visible)))
  for (const one of order) query = query.orderBy(orderOf(store, one), one.factor === 1 ? 'asc' : 'desc')
  return query.orderBy('sort_key').orderBy('id').limit(limit).offset(offset).execute()
}

function orderOf(store: Store, order: Order): RawBuilder<unknown> {
  switch (order.by) {
    case 'id':
      return byLetters(store, 'id')
    case 'email':
      return byLetters(store, 'email_key')
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

/** Both engines order by code point, as we do. */
function byLetters({ name }: Store, column: string): RawBuilder<unknown> {
  return name === 'postgres' ? sql`${sql.ref(column)} collate "C"` : sql.ref(column)
}

/**
 * Whether these columns are ordered by the store as by us, who compare without accents and numbers by their size. Only
 * accounts with unusual names, addresses or ids make a difference.
 */
export async function areOrderedAlike(store: Store, names: ReadonlySet<string>): Promise<boolean> {
  const different = [
    ...(names.has('username') || names.has('name') ? [isNumber('sort_key')] : []),
    ...(names.has('email') ? [hasFurtherLetters('email'), sql<boolean>`email_key <> lower(email)`] : []),
    ...(names.has('id') ? [isNumber('id'), hasFurtherLetters('id'), sql<boolean>`id <> lower(id)`] : []),
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

const isNumber = (column: string) => sql<boolean>`rtrim(${sql.ref(column)}, '0123456789.-') = ''`

export async function selectDistinct(store: Store, column: 'role' | 'language'): Promise<string[]> {
  const rows = await store.db.selectFrom('users').select(`${column} as value`).distinct().execute()
  return rows.map(({ value }) => value)
}

/** The store keeps count by role; only the own account may have to be looked at. */
export async function countVisible(store: Store, { roles, except, own }: Visible, ownRole: string): Promise<number> {
  const counts = await store.db.selectFrom('user_counts').selectAll().execute()
  const seen = (role: string) => (roles ? roles.includes(role) : !except.includes(role))
  const total = counts.filter(({ role }) => seen(role)).reduce((sum, { count }) => sum + count, 0)
  return own !== undefined && !seen(ownRole) ? total + 1 : total
}

export type Candidate = Awaited<ReturnType<typeof selectPiece>>[number]

const pieceSize = 1000
/** More than these the store would look for again and again in the same text, and everybody would wait for it. */
const mostWords = 5

/**
 * Everybody who may be meant, in the order of lists: those in whose data any of the words may occur. Without words:
 * everybody. They come in pieces, because with SQLite nobody else is served while one is read.
 */
export async function* selectCandidates(
  store: Store,
  visible: Visible,
  { words, language }: { words: readonly string[]; language: string | undefined },
): AsyncGenerator<Candidate[]> {
  const wanted = words.length > mostWords ? [] : words
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

const hasFurtherLetters = (column: string) =>
  sql<boolean>`octet_length(${sql.ref(column)}) <> length(${sql.ref(column)})`

/** In the order of these ids. */
export async function selectByIds(store: Store, ids: readonly string[]) {
  if (ids.length === 0) return []
  const rows = await store.db.selectFrom('users').select(columns).where('id', 'in', ids).execute()
  const byId = new Map(rows.map(row => [row.id, row]))
  return ids.flatMap(id => byId.get(id) ?? [])
}

/** The account after (or before) each of these, in the order of their ids. */
export async function selectNeighbours(store: Store, visible: Visible, ids: readonly string[], after: boolean) {
  return store.db
    .selectFrom('users as one')
    .innerJoin('users', join =>
      join.on('users.id', '=', eb =>
        eb
          .selectFrom('users')
          .select('users.id')
          .where('users.id', after ? '>' : '<', eb.ref('one.id'))
          .$if(!isEverybody(visible), query => query.where(visibleTo(visible) as never))
          .orderBy('users.id', after ? 'asc' : 'desc')
          .limit(1),
      ),
    )
    .select('one.id as of')
    .select(columns.map(column => `users.${column}` as const))
    .where('one.id', 'in', ids)
    .execute()
}

/** Those of these ids or addresses that the caller may see. */
export async function selectReferred(store: Store, visible: Visible, keys: readonly string[]) {
  return store.db
    .selectFrom('users')
    .select(columns)
    .where(eb => eb.or([eb('id', 'in', keys), eb('email_key', 'in', keys)]))
    .$if(!isEverybody(visible), query => query.where(visibleTo(visible)))
    .execute()
}
