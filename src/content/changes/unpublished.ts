import type { ContentLanguage } from '../../http/context.ts'
import type { Store } from '../../platform/store/store.ts'
import type { Texts } from '../languages/contents/merged.ts'
import { decode } from '../queries.ts'
import { withChanges } from './draft-lock.ts'
import { decodeChanges, selectChangesOf } from './queries.ts'

/** Lays the unpublished changes of owners (`page://…`) over their published content. */
export async function readUnpublished(
  store: Store,
  { key, fallback }: ContentLanguage,
  owners: readonly string[],
): Promise<(owner: string, published: Texts) => Texts> {
  const found = await selectChangesOf(store, owners, [...new Set([key, fallback])])
  const drafts = new Map(found.map(({ owner, language, data }) => [`${owner} ${language}`, data]))
  return (owner, { own, base }) => ({
    own: changed(own, drafts.get(`${owner} ${key}`)),
    ...(base !== undefined && { base: changed(base, drafts.get(`${owner} ${fallback}`)) }),
  })
}

function changed(text: string | null, data: string | undefined): string | null {
  if (data === undefined) return text
  return JSON.stringify(withChanges(text === null ? {} : decode(text), decodeChanges(data)))
}
