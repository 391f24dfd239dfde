import { accountOf, type Context } from '../../access/actor.ts'
import type { ContentLanguage } from '../../http/context.ts'
import type { Tx } from '../../platform/store/store.ts'
import type { StoredContent } from '../content.ts'
import { insertDraftVersion } from '../queries.ts'
import { type Draft, withChanges } from './draft-lock.ts'

/** How long a draft that was overwritten, discarded or taken over can be restored, in ms. */
export const draftRetentionMs = 24 * 60 * 60_000

interface ReplacedDraft {
  /** The URI of the model. */
  owner: string
  language: ContentLanguage
  /** The published content, which the draft changes, and its revision. */
  published: StoredContent
  revision: number
  draft: Draft
  /** `taken`: another account has taken over the draft. */
  action: 'overwritten' | 'discarded' | 'taken'
}

/** Saves the draft to the history for at most `draftRetentionMs`; only the newest `maxDrafts` are kept. */
export async function recordReplacedDraft(tx: Tx, replaced: ReplacedDraft): Promise<void> {
  const { owner, language, published, revision, draft, action } = replaced
  const fields = Object.keys(draft.changes)
  if (fields.length === 0) return
  const user = draft.author.id ?? undefined
  const saved = { owner, language: language.key, revision, action, user }
  await insertDraftVersion(tx, saved, withChanges(published, draft.changes), fields)
}

/**
 * The same, but only if another browser tab or account overwrites values. Autosaves of the same tab are not recorded.
 */
export async function recordOverwrittenDraft(
  ctx: Context,
  tx: Tx,
  replaced: Omit<ReplacedDraft, 'action'>,
  newContent: StoredContent,
  tabId: string | undefined,
): Promise<void> {
  const { changes, author } = replaced.draft
  const isSameAuthor = author.id === (accountOf(ctx) ?? null) && author.window_id === (tabId ?? null)
  const isLost = Object.entries(changes).some(([name, { to }]) => to !== (newContent[name] ?? ''))
  if (!isSameAuthor && isLost) await recordReplacedDraft(tx, { ...replaced, action: 'overwritten' })
}
