import { type ExpressionBuilder, type Insertable, type RawBuilder, sql } from 'kysely'
import type { Database, UsersTable, UserStatus } from '../store/schema.ts'
import { now, type Store, type Tx } from '../store/store.ts'

const columns = [
  'id',
  'email',
  'email_key',
  'name',
  'role',
  'language',
  'status',
  'auth_epoch',
  'must_change_password',
  'created_at',
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

export type Change = Partial<Pick<UsersTable, 'name' | 'sort_key' | 'language' | 'role'>>

export async function updateUser(tx: Tx, id: string, change: Change): Promise<void> {
  await tx
    .updateTable('users')
    .set({ ...change, modified_at: now })
    .where('id', '=', id)
    .execute()
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

/** Whether anybody else is an administrator and can sign in. */
export async function hasOtherAdmin(store: Store, id: string): Promise<boolean> {
  const other = await store.db
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'admin')
    .where('status', '=', 'active')
    .where('id', '!=', id)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
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

/** One page of a list, in its order. */
export async function selectPage(store: Store, visible: Visible, offset: number, limit: number) {
  return store.db
    .selectFrom('users')
    .select(columns)
    .$if(!isEverybody(visible), query => query.where(visibleTo(visible)))
    .orderBy('sort_key')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute()
}

/** The store keeps count by role; only the own account may have to be looked at. */
export async function countVisible(store: Store, { roles, except, own }: Visible, ownRole: string): Promise<number> {
  const counts = await store.db.selectFrom('user_counts').selectAll().execute()
  const seen = (role: string) => (roles ? roles.includes(role) : !except.includes(role))
  const total = counts.filter(({ role }) => seen(role)).reduce((sum, { count }) => sum + count, 0)
  return own !== undefined && !seen(ownRole) ? total + 1 : total
}

/** Everybody who may be meant: those in whose data any of the words may occur. Without words: everybody. */
export async function selectCandidates(store: Store, visible: Visible, words: readonly string[]) {
  return store.db
    .selectFrom('users')
    .leftJoin('contents', join =>
      join.on('contents.language', '=', '').on('contents.owner', '=', sql<string>`'user://' || users.id`),
    )
    .select(columns.map(column => `users.${column}` as const))
    .select('contents.data as content')
    .$if(!isEverybody(visible), query => query.where(visibleTo(visible)))
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
}

function contains(text: RawBuilder<unknown>, word: string) {
  const pattern = `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return sql<boolean>`${text} like ${pattern} escape '\\'`
}

const hasFurtherLetters = (column: string) =>
  sql<boolean>`octet_length(${sql.ref(column)}) <> length(${sql.ref(column)})`

/** The accounts before and after this one, in the order of their ids. */
export async function selectNeighbour(store: Store, visible: Visible, id: string, after: boolean) {
  return store.db
    .selectFrom('users')
    .select(columns)
    .where('id', after ? '>' : '<', id)
    .$if(!isEverybody(visible), query => query.where(visibleTo(visible)))
    .orderBy('id', after ? 'asc' : 'desc')
    .limit(1)
    .executeTakeFirst()
}
