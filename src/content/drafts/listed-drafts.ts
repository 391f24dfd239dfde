import type { RequestContext } from '../../http/context.ts'
import { batched } from '../../platform/store/batch.ts'
import { type Author, type DraftChanges, decodeChanges, selectListedDrafts } from './queries.ts'

/** A draft as lists need it. */
export interface ListedDraft {
  author: Author
  /** Undefined if the draft is too long to be read for a list. */
  changes: DraftChanges | undefined
}

// Lists ask for every item at once: one statement reads them all.
const drafts = batched(
  (store, keys: string[]) => {
    const pairs = keys.map(key => key.split(' ') as [language: string, owner: string])
    const [owners, languages] = [pairs.map(([, owner]) => owner), pairs.map(([language]) => language)]
    return selectListedDrafts(store, [...new Set(owners)], [...new Set(languages)])
  },
  ({ owner, language }) => `${language} ${owner}`,
)

/** The draft in the content language of the request. */
export async function listedDraft(ctx: RequestContext, owner: string): Promise<ListedDraft | undefined> {
  const { key } = await ctx.language()
  const row = await drafts(ctx.app.store, `${key} ${owner}`)
  if (!row) return undefined
  ctx.timeDependent = true // the lock expires without a change of the database
  return { author: row, changes: row.data === null ? undefined : decodeChanges(row.data) }
}
