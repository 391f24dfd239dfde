import type { ContentLanguage } from '../../http/context.ts'
import type { Tx } from '../../platform/store/store.ts'
import type { StoredContent } from '../content.ts'
import { decode } from '../queries.ts'
import { type Draft, type Lock, lockLifetimeMs } from './draft-lock.ts'
import { selectTakenDraft, updateHistoryDraft } from './queries.ts'

/** A draft that was taken over, as the history has it, and what became of it. */
export interface TakenDraft {
  /** Of the row in the history. */
  id: number
  content: StoredContent
  fields: readonly string[]
  lock: Lock
  draft: Draft
}

interface Wanted {
  owner: string
  language: ContentLanguage
  /** The former author. */
  user: string | undefined
  lock: Lock
  currentDraft: Draft
}

/** The draft that was last taken over from an account, as long as its own edit lock would have lasted. */
export async function findTakenDraft(
  tx: Tx,
  { owner, language, user, lock, currentDraft }: Wanted,
): Promise<TakenDraft | undefined> {
  if (user === undefined) return undefined
  const row = await selectTakenDraft(tx, owner, language.key, user, lockLifetimeMs)
  return (
    row && {
      id: row.id,
      content: decode(row.data),
      fields: JSON.parse(row.fields) as string[],
      lock,
      draft: currentDraft,
    }
  )
}

/** Adds the last words of the former author. The caller has locked the row of the model. */
export async function updateTakenDraft(tx: Tx, taken: TakenDraft, content: StoredContent): Promise<void> {
  const { id, content: before, fields } = taken
  const changed = Object.keys(content).filter(name => content[name] !== before[name])
  await updateHistoryDraft(tx, id, content, [...new Set([...fields, ...changed])])
}
