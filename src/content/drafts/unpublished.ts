import { hasTemplate } from '../../access/authorize/templates.ts'
import type { ContentLanguage } from '../../http/context.ts'
import type { Store } from '../../platform/store/store.ts'
import type { JoinedContent } from '../languages/contents/merged.ts'
import { decode } from '../queries.ts'
import { withChanges } from './draft-lock.ts'
import { decodeChanges, selectChangesOf, selectParentsOfFiles } from './queries.ts'

/** Lays the unpublished changes of owners (`page://…`) over their published content. */
export async function readUnpublished(
  store: Store,
  { key, fallback, changesOf }: ContentLanguage,
  owners: readonly string[],
): Promise<(owner: string, published: JoinedContent) => JoinedContent> {
  const shown = changesOf ? await previewable(store, changesOf, owners) : []
  const found = await selectChangesOf(store, shown, [...new Set([key, fallback])])
  const drafts = new Map(found.map(({ owner, language, data }) => [`${owner} ${language}`, data]))
  return (owner, { own, base }) => ({
    own: changed(own, drafts.get(`${owner} ${key}`)),
    ...(base !== undefined && { base: changed(base, drafts.get(`${owner} ${fallback}`)) }),
  })
}

type ChangesOf = NonNullable<ContentLanguage['changesOf']>

/** Whether the request may see the unpublished changes of this page. */
export const showsChangesOf = (changesOf: ChangesOf, { uuid, template }: { uuid: string; template: string }) =>
  hasTemplate(changesOf, template) &&
  (changesOf.page === undefined || changesOf.page === uuid) &&
  (changesOf.owners === undefined || changesOf.owners.includes(`page://${uuid}`))

/**
 * The owners whose changes the request may see. The caller has already filtered pages. Files follow their page, and
 * with a pass for one page or for a release everything else is left out.
 */
async function previewable(store: Store, changesOf: ChangesOf, owners: readonly string[]): Promise<readonly string[]> {
  const files = owners.filter(owner => owner.startsWith('file:'))
  const isWhole = changesOf.page === undefined && changesOf.owners === undefined
  if (files.length === 0 && isWhole) return owners
  const parents = new Map((await selectParentsOfFiles(store, files)).map(found => [found.owner, found]))
  return owners.filter(owner => {
    if (owner.startsWith('page:') || changesOf.owners?.includes(owner)) return true
    const { parent, uuid, template } = parents.get(owner) ?? {}
    if (uuid && template) return showsChangesOf(changesOf, { uuid, template })
    return isWhole || (parent !== undefined && changesOf.owners?.includes(parent))
  })
}

function changed(text: string | null, data: string | undefined): string | null {
  if (data === undefined) return text
  return JSON.stringify(withChanges(text === null ? {} : decode(text), decodeChanges(data)))
}
