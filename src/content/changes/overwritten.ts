import { accountOf, type Context } from '../../access/actor.ts'
import type { ContentLanguage } from '../../http/context.ts'
import type { Tx } from '../../platform/store/store.ts'
import type { StoredContent } from '../content.ts'
import { insertDraft } from '../queries.ts'
import { type Draft, withChanges } from './draft-lock.ts'

/** How long an overwritten draft can be restored, in ms. */
export const draftRetentionMs = 24 * 60 * 60_000

interface LostDraft {
  owner: string
  language: ContentLanguage
  /** The published content and its revision. */
  published: StoredContent
  revision: number
  draft: Draft
  action: 'overwritten' | 'discarded' | 'taken'
}

/** Saves the draft to the history, where it stays for `draftRetentionMs`. */
export async function recordLostDraft(tx: Tx, of: LostDraft): Promise<void> {
  const { owner, language, published, revision, draft, action } = of
  const fields = Object.keys(draft.changes)
  if (fields.length === 0) return
  const user = draft.author.id ?? undefined
  const saved = { owner, language: language.key, revision, action, user }
  await insertDraft(tx, saved, withChanges(published, draft.changes), fields)
}

/**
 * The same, but only if values are lost to another window or account. Autosaves of the same window are not recorded.
 */
export async function recordOverwrittenDraft(
  ctx: Context,
  tx: Tx,
  of: Omit<LostDraft, 'action'>,
  next: StoredContent,
  window: string | undefined,
): Promise<void> {
  const { changes, author } = of.draft
  const isSameWriter = author.id === (accountOf(ctx) ?? null) && author.window_id === (window ?? null)
  const isLost = Object.entries(changes).some(([name, { to }]) => to !== (next[name] ?? ''))
  if (!isSameWriter && isLost) await recordLostDraft(tx, { ...of, action: 'overwritten' })
}
