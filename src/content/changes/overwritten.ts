import type { By } from '../../access/audit/audit.ts'
import type { ContentLanguage } from '../../http/context.ts'
import type { Tx } from '../../platform/store/store.ts'
import type { StoredContent } from '../content.ts'
import { insertDraft } from '../queries.ts'
import { type Draft, withChanges } from './draft-lock.ts'

/** How long an overwritten draft can be brought back, in milliseconds. */
export const draftsFor = 24 * 60 * 60_000

interface Overwriting {
  owner: string
  language: ContentLanguage
  /** What is published, and the revision of that. */
  published: StoredContent
  revision: number
  kept: Draft
  action: 'overwritten' | 'discarded' | 'taken'
}

/** The draft stays in the history for a day. */
export async function keepDraft(tx: Tx, of: Overwriting): Promise<void> {
  const { owner, language, published, revision, kept, action } = of
  const fields = Object.keys(kept.changes)
  if (fields.length === 0) return
  const user = kept.author.id ?? undefined
  const saved = { owner, language: language.key, revision, action, user }
  await insertDraft(tx, saved, withChanges(published, kept.changes), fields)
}

/** The same, if another window or another person replaces a part of it. Whoever goes on writing overwrites only themselves. */
export async function keepOverwritten(
  tx: Tx,
  of: Omit<Overwriting, 'action'>,
  next: StoredContent,
  { by, window }: { by: By; window: string | undefined },
): Promise<void> {
  const { changes, author } = of.kept
  const isSameWriter = author.id === (by.actor ?? null) && author.window_id === (window ?? null)
  const isLost = Object.entries(changes).some(([name, { to }]) => to !== (next[name] ?? ''))
  if (!isSameWriter && isLost) await keepDraft(tx, { ...of, action: 'overwritten' })
}
