import type { By } from '../../access/audit/audit.ts'
import { ApiError, fail } from '../../platform/errors.ts'
import type { ContentLanguage, RequestContext } from '../../http/context.ts'
import { batched } from '../../platform/store/batch.ts'
import type { Tx } from '../../platform/store/store.ts'
import { inLanguage } from '../../platform/translations/translations.ts'
import type { StoredContent } from '../content.ts'
import { personSeen } from '../person.ts'
import { type Author, type Changes, decodeChanges, selectAuthors, selectAuthorsNow, selectChanges } from './queries.ts'

/** For so long after their last word nobody else changes what somebody is working on. In milliseconds. */
const lockLifetimeMs = 10 * 60_000

/** What somebody has written and not published, of a thing in a language. */
export interface Draft {
  changes: Changes
  author: Author
}

/** The row of the thing itself is held. */
export async function findDraft(tx: Tx, owner: string, { key }: ContentLanguage): Promise<Draft | undefined> {
  const row = await selectChanges(tx, owner, key)
  return row && { changes: decodeChanges(row.data), author: row }
}

/** The one who has the thing to themselves now, unless it is this person. */
export function lockOf({ id, email, name, age, modified_at }: Author, person: string | undefined) {
  if (id === null || id === person || age >= lockLifetimeMs) return undefined
  return { user: { id, email: email!, username: name! || email! }, time: new Date(modified_at).toISOString() }
}

export type Lock = NonNullable<ReturnType<typeof lockOf>>

/** Two people who write at once would not see each other's words. */
export function mustNotBeLocked(kept: Draft | undefined, by: By): void {
  if (kept) mustBeFree(kept.author, by)
}

/**
 * Nobody else is at work on any of these things, in whatever language: what they have written would be lost, or would be
 * meant for another form or address. The rows of the things are held.
 */
export async function mustBeAlone(tx: Tx, owners: readonly string[], by: By): Promise<void> {
  for (const author of await selectAuthorsNow(tx, owners)) mustBeFree(author, by)
}

function mustBeFree(author: Author, { actor }: By): void {
  const lock = lockOf(author, actor)
  if (!lock) return
  const refusal = fail('content.lock', { name: lock.user.username }).with({ details: { ...lock, unlockable: true } })
  throw Object.assign(refusal, { cause: author })
}

/** Whoever is kept out is told by whom, as far as they may know them; else what they are. */
export function describeLockHolder(ctx: RequestContext, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.key !== 'content.lock') return error
  const author = error.cause as Author
  const user = personSeen(ctx, author)
  const role = () => inLanguage(ctx.app.blueprints.role(author.role!)?.title ?? '', ctx.caller.user.language)
  const name = user?.username || role()
  return fail('content.lock', { name }).with({ details: { ...error.details, user } })
}

export function withChanges(content: StoredContent, changes: Changes): Record<string, string> {
  return { ...content, ...Object.fromEntries(Object.entries(changes).map(([name, { to }]) => [name, to])) }
}

/** The names of what was published by others after it had been written over here. */
export function conflictsOf(content: StoredContent, changes: Changes): string[] {
  const isOther = (name: string, { from, to }: Changes[string]) => ![from, to].includes(content[name] ?? '')
  return Object.entries(changes).flatMap(([name, change]) => (isOther(name, change) ? [name] : []))
}

// Lists show many things at once: what is asked for each of them is read for all together.
const authors = batched(
  (store, keys: string[]) => {
    const pairs = keys.map(key => key.split(' ') as [language: string, owner: string])
    return selectAuthors(store, [...new Set(pairs.map(([, owner]) => owner))], [...new Set(pairs.map(([key]) => key))])
  },
  ({ owner, language }) => `${language} ${owner}`,
)

/** Who else is working on a thing in the language that is looked at, as views ask before they say what can be done with it. */
export async function lockedBy(ctx: RequestContext, owner: string): Promise<Lock | undefined> {
  const { key } = await ctx.language()
  const author = await authors(ctx.app.store, `${key} ${owner}`)
  if (author) ctx.timeDependent = true // until they have been silent for long enough
  return author && lockOf(author, ctx.caller.user.id)
}
