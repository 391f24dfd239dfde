import { accountOf, type Context } from '../../access/actor.ts'
import { ApiError, fail } from '../../platform/errors.ts'
import type { ContentLanguage, RequestContext } from '../../http/context.ts'
import { batched } from '../../platform/store/batch.ts'
import type { Tx } from '../../platform/store/store.ts'
import { inLanguage } from '../../platform/translations/translations.ts'
import type { StoredContent } from '../content.ts'
import { showUserSummary } from '../user-summary.ts'
import {
  type Author,
  type DraftChanges,
  decodeChanges,
  selectAuthors,
  selectAuthorsNow,
  selectChanges,
} from './queries.ts'

/** Edit lock: lifetime after the last autosave, in ms. */
export const lockLifetimeMs = 10 * 60_000

/** The unpublished changes of one model in one language. */
export interface Draft {
  changes: DraftChanges
  author: Author
}

/** The caller must have locked the row of the model. */
export async function findDraft(tx: Tx, owner: string, { key }: ContentLanguage): Promise<Draft | undefined> {
  const row = await selectChanges(tx, owner, key)
  return row && { changes: decodeChanges(row.data), author: row }
}

/** The active edit lock of another account; undefined if it has expired or belongs to `account`. */
export function lockOf({ id, email, name, age, modified_at }: Author, account: string | undefined) {
  if (id === null || id === account || age >= lockLifetimeMs) return undefined
  return { user: { id, email: email!, username: name! || email! }, time: new Date(modified_at).toISOString() }
}

export type Lock = NonNullable<ReturnType<typeof lockOf>>

/** Fails if another account holds the edit lock: the two would overwrite each other. */
export function mustNotBeLocked(ctx: Context, draft: Draft | undefined): void {
  if (draft) mustNotHoldLock(ctx, draft.author)
}

/**
 * Fails if another account holds an edit lock on any of the owners, in any language. For deletions, moves, new
 * templates and new slugs: the draft would be lost, or would belong to another form or URL. The caller must have
 * locked the rows.
 */
export async function mustNotBeEditedByOthers(ctx: Context, tx: Tx, owners: readonly string[]): Promise<void> {
  for (const author of await selectAuthorsNow(tx, owners)) mustNotHoldLock(ctx, author)
}

function mustNotHoldLock(ctx: Context, author: Author): void {
  const lock = lockOf(author, accountOf(ctx))
  if (lock) throw lockRefusal(lock, author)
}

export function lockRefusal(lock: Lock, author: Author, details: object = {}): ApiError {
  const refusal = fail('content.lock', { name: lock.user.username })
  return Object.assign(refusal.with({ details: { ...lock, unlockable: true, ...details } }), { cause: author })
}

/** Names the lock holder as far as the caller may see the account; without a name, by the title of the role. */
export function describeLockHolder(ctx: RequestContext, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.key !== 'content.lock') return error
  const author = error.cause as Author
  const user = showUserSummary(ctx, author)
  const role = () => inLanguage(ctx.app.blueprints.role(author.role!)?.title ?? '', ctx.locale)
  const name = user?.username || role()
  return fail('content.lock', { name }).with({ details: { ...error.details, user } })
}

export function withChanges(content: StoredContent, changes: DraftChanges): Record<string, string> {
  return { ...content, ...Object.fromEntries(Object.entries(changes).map(([name, { to }]) => [name, to])) }
}

/** Fields of the draft whose published value has changed since they were edited, to another value than the draft's. */
export function conflictsOf(content: StoredContent, changes: DraftChanges): string[] {
  const isOther = (name: string, { from, to }: DraftChanges[string]) => ![from, to].includes(content[name] ?? '')
  return Object.entries(changes).flatMap(([name, change]) => (isOther(name, change) ? [name] : []))
}

// Lists ask for every item at once: one statement reads them all.
const authors = batched(
  (store, keys: string[]) => {
    const pairs = keys.map(key => key.split(' ') as [language: string, owner: string])
    return selectAuthors(store, [...new Set(pairs.map(([, owner]) => owner))], [...new Set(pairs.map(([key]) => key))])
  },
  ({ owner, language }) => `${language} ${owner}`,
)

/** The edit lock of another account in the content language of the request. Views disable actions by it. */
export async function lockedBy(ctx: RequestContext, owner: string): Promise<Lock | undefined> {
  const { key } = await ctx.language()
  const author = await authors(ctx.app.store, `${key} ${owner}`)
  if (author) ctx.timeDependent = true // the lock expires without a change of the database
  return author && lockOf(author, accountOf(ctx))
}
