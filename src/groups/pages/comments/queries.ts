import type { CommentsTable } from '../../../platform/store/tables/content.ts'
import { now, type Store, type Tx } from '../../../platform/store/store.ts'

/** All comments of a page (`page://…`), the oldest first. */
export async function selectComments(store: Store, owner: string) {
  const query = store.db
    .selectFrom('comments')
    .leftJoin('users as author', 'author.id', 'comments.user_id')
    .leftJoin('users as resolver', 'resolver.id', 'comments.resolved_by')
    .select(['comments.id as comment', 'comments.thread', 'comments.field', 'comments.text'])
    .select(['comments.created_at', 'comments.modified_at', 'comments.resolved_at'])
    .select(['author.id', 'author.name', 'author.email', 'author.role'])
    .select([
      'resolver.id as resolver_id',
      'resolver.name as resolver_name',
      'resolver.email as resolver_email',
      'resolver.role as resolver_role',
    ])
    .where('comments.owner', '=', owner)
    .orderBy('comments.created_at')
    .orderBy('comments.id')
  type Row = Awaited<ReturnType<(typeof query)['executeTakeFirstOrThrow']>>
  return (await store.read(query.compile())) as Row[]
}

export type CommentRow = Awaited<ReturnType<typeof selectComments>>[number]

export async function selectAccounts(store: Store, ids: readonly string[]) {
  if (ids.length === 0) return []
  const query = store.db.selectFrom('users').select(['id', 'name', 'email', 'role']).where('id', 'in', ids)
  return (await store.read(query.compile())) as { id: string; name: string; email: string; role: string }[]
}

// ---- within a transaction: the page is locked

export async function selectComment(tx: Tx, owner: string, id: string) {
  return tx
    .selectFrom('comments')
    .select(['id', 'thread', 'user_id', 'text', 'resolved_at'])
    .where('owner', '=', owner)
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function countComments(tx: Tx, owner: string): Promise<number> {
  const { count } = await tx
    .selectFrom('comments')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('owner', '=', owner)
    .executeTakeFirstOrThrow()
  return Number(count)
}

type NewComment = Pick<CommentsTable, 'id' | 'owner' | 'thread' | 'field' | 'user_id' | 'text'>

export async function insertComment(tx: Tx, comment: NewComment): Promise<void> {
  const row = { ...comment, created_at: now, modified_at: null, resolved_at: null, resolved_by: null }
  await tx.insertInto('comments').values(row).execute()
}

export async function updateText(tx: Tx, id: string, text: string): Promise<void> {
  await tx.updateTable('comments').set({ text, modified_at: now }).where('id', '=', id).execute()
}

/** Resolves a thread, or opens it again. */
export async function updateResolved(
  tx: Tx,
  id: string,
  { isResolved, user }: { isResolved: boolean; user: string | undefined },
) {
  await tx
    .updateTable('comments')
    .set(isResolved ? { resolved_at: now, resolved_by: user ?? null } : { resolved_at: null, resolved_by: null })
    .where('id', '=', id)
    .execute()
}

/** The authors of a comment and, if it is the first of a thread, of its replies. */
export async function selectAuthorsBelow(tx: Tx, owner: string, id: string): Promise<(string | null)[]> {
  const rows = await tx
    .selectFrom('comments')
    .select('user_id')
    .where('owner', '=', owner)
    .where(eb => eb.or([eb('id', '=', id), eb('thread', '=', id)]))
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** Deletes a comment and, if it is the first of a thread, its replies. */
export async function deleteComments(tx: Tx, owner: string, id: string): Promise<void> {
  await tx
    .deleteFrom('comments')
    .where('owner', '=', owner)
    .where(eb => eb.or([eb('id', '=', id), eb('thread', '=', id)]))
    .execute()
}

/** The active ones of these accounts. */
export async function selectRecipients(tx: Tx, ids: readonly string[]) {
  if (ids.length === 0) return []
  return tx
    .selectFrom('users')
    .select(['id', 'email', 'language', 'name', 'role'])
    .where('status', '=', 'active')
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
}
