import { t, textOf } from '../texts/texts.ts'
import type { Version } from './content-resource.ts'

/**
 * What each entry of a history did, newest first. Content of a page is *Published* or *Draft saved*, depending on the
 * status that the page had afterwards: `status` is the present one, and every change of it is an entry.
 */
export function versionNames(versions: readonly Version[], status: string | undefined): string[] {
  let now = status
  return versions.map((version, index) => {
    const { kind, action, detail } = version
    const name = textOf(`editor.history.action.${action}`) ?? action
    if (kind === 'event' && action === 'status') {
      now = detail?.before
      return wordFor(detail?.before, detail?.after) ?? name
    }
    if (kind !== 'version' || !['update', 'publish'].includes(action) || now === undefined) return name
    return t(
      now === 'draft' && !isPublishedWith(version, versions[index - 1]) ? 'editor.draftSaved' : 'editor.published',
    )
  })
}

/** Undefined if the page was published before and still is. */
function wordFor(before: string | undefined, after: string | undefined): string | undefined {
  if (after === 'draft') return t('pages.unpublished')
  return before === 'draft' ? t('editor.published') : undefined
}

/** Content and status are published in one transaction: the status is the next revision, at the same time. */
const isPublishedWith = (version: Version, next: Version | undefined) =>
  version.action === 'publish' &&
  next?.action === 'status' &&
  next.detail?.before === 'draft' &&
  next.revision === version.revision + 1
