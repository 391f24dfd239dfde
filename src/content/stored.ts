import type { Fields } from '../blueprints/fields/field.ts'
import type { ContentLanguage } from '../http/context.ts'
import { merged } from './languages/contents/merged.ts'
import { batched } from '../platform/store/batch.ts'
import type { Store } from '../platform/store/store.ts'
import type { StoredContent } from './content.ts'
import { readUnpublished } from './drafts/unpublished.ts'
import { selectRows } from './queries.ts'

export { merged, type JoinedContent } from './languages/contents/merged.ts'

// Lists ask for every item at once: one statement reads them all.
const rows = batched(
  (store, keys: string[]) => {
    const pairs = keys.map(key => key.split(' ') as [language: string, owner: string])
    return selectRows(store, [...new Set(pairs.map(([, owner]) => owner))], [...new Set(pairs.map(([key]) => key))])
  },
  ({ owner, language }) => `${language} ${owner}`,
)

/** The content of one owner (`user://…`) in a language, with fallbacks. Batched. */
export async function readStored(
  store: Store,
  owner: string,
  language: ContentLanguage,
  fields: Fields,
): Promise<StoredContent> {
  const { key, fallback, changesOf } = language
  const [own, base] = await Promise.all([
    rows(store, `${key} ${owner}`),
    key === fallback ? undefined : rows(store, `${fallback} ${owner}`),
  ])
  const published = { own: own?.data ?? null, base: base?.data ?? null }
  // Accounts have no visitors: their drafts belong to their forms alone.
  if (!changesOf || owner.startsWith('user:')) return merged(published, fields)
  return merged((await readUnpublished(store, language, [owner]))(owner, published), fields)
}
