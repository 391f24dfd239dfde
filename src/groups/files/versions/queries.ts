import type { AccountColumns } from '../../../content/user-summary.ts'
import type { FileVersionsTable } from '../../../platform/store/tables/content.ts'
import { now, type Store, type Tx } from '../../../platform/store/store.ts'

export type FileVersionRow = FileVersionsTable

/** All versions of a file, the newest first, with the account that made each. */
export async function selectFileVersions(
  store: Store,
  owner: string,
): Promise<(Omit<FileVersionRow, 'owner' | 'user_id'> & { user: AccountColumns })[]> {
  const query = store.db
    .selectFrom('file_versions')
    .leftJoin('users', 'users.id', 'file_versions.user_id')
    .select(['number', 'hash', 'size', 'width', 'height', 'focus', 'file_versions.created_at'])
    .select(['users.id', 'users.name', 'users.email', 'users.role'])
    .where('owner', '=', owner)
    .orderBy('number', 'desc')
  const rows = (await store.read(query.compile())) as (FileVersionRow & AccountColumns)[]
  return rows.map(({ id, name, email, role, ...version }) => ({ ...version, user: { id, name, email, role } }))
}

export async function selectFileVersion(
  store: Store,
  owner: string,
  number: number,
): Promise<FileVersionRow | undefined> {
  const query = store.db.selectFrom('file_versions').selectAll().where('owner', '=', owner).where('number', '=', number)
  return ((await store.read(query.compile())) as FileVersionRow[])[0]
}

// ---- inside a transaction that has locked the file

export async function selectNumbers(tx: Tx, owner: string): Promise<Pick<FileVersionRow, 'number' | 'hash'>[]> {
  return tx
    .selectFrom('file_versions')
    .select(['number', 'hash'])
    .where('owner', '=', owner)
    .orderBy('number')
    .execute()
}

/** `created_at` is now unless it is given. */
export async function insertVersion(
  tx: Tx,
  { created_at, ...version }: Omit<FileVersionRow, 'created_at'> & { created_at?: number },
): Promise<void> {
  await tx
    .insertInto('file_versions')
    .values({ ...version, created_at: created_at ?? now })
    .execute()
}

export async function updateFocus(tx: Tx, owner: string, hash: string, focus: string | null): Promise<void> {
  await tx.updateTable('file_versions').set({ focus }).where('owner', '=', owner).where('hash', '=', hash).execute()
}

/** Deletes these versions of a file; without `numbers`, all versions of these files. Returns the hashes. */
export async function deleteVersions(
  tx: Tx,
  owners: readonly string[],
  numbers?: readonly number[],
): Promise<string[]> {
  const rows = await tx
    .deleteFrom('file_versions')
    .where('owner', 'in', owners)
    .$if(numbers !== undefined, query => query.where('number', 'in', numbers!))
    .returning('hash')
    .execute()
  return rows.map(({ hash }) => hash)
}
