import type { App } from '../app.ts'
import { record } from '../audit/audit.ts'
import { mustBeAlone } from '../content/changes/kept.ts'
import { deleteContents } from '../content/queries.ts'
import { mustBeCurrent } from '../content/revision.ts'
import { fail } from '../errors.ts'
import { deleteFilesOf, type FileRow } from '../files/files.ts'
import { templatesIn } from '../files/queries.ts'
import { keepLanguages } from '../languages/queries.ts'
import { forgetFindable } from '../search/search.ts'
import { isInRow, leavePlace, rowOf } from './numbers.ts'
import { ownerOf } from './pages.ts'
import { isPossible } from './rules.ts'
import { everythingBelow, mostDeleted } from './tree/below.ts'
import { chunks } from '../lib/chunks.ts'
import { holdPlace } from './tree/hold.ts'
import { deleteRows, type Node } from './tree/queries.ts'
import type { Change } from './update.ts'

export interface Deletion extends Change {
  /** With all that is below it. */
  force?: boolean | undefined
  /** Whether a page may be deleted; asked for every one of them. */
  mayDelete?: (page: Pick<Node, 'template'>) => boolean
  /** The same of their files. */
  mayDeleteFile?: (file: Pick<FileRow, 'template'>) => boolean
}

/** All of it or nothing: one page or file that may not be deleted, or that somebody is working on, keeps all the others. */
export async function deletePage(app: App, { uuid }: { uuid: string }, deletion: Deletion): Promise<void> {
  const { by, expected, force = false, mayDelete = () => true, mayDeleteFile = () => true } = deletion
  await app.store.write(async tx => {
    const { page } = await holdPlace(app, tx, uuid, undefined, { alone: true, numbering: true })
    mustBeCurrent(page.revision, expected)
    const below = await everythingBelow(tx, page, mostDeleted)
    const all: Node[] = [page, ...below]
    if (!all.every(one => isPossible(app, one, 'delete') && mayDelete(one))) throw fail('page.delete.permission')
    if (below.length > 0 && !force) throw fail('page.delete.hasChildren')
    if (isInRow(app, page)) await leavePlace(tx, rowOf(app, page.parent), uuid)
    await keepLanguages(tx) // before the first slug goes: whoever deletes a language holds it first, too
    for (const some of chunks(all)) {
      const owners = some.map(one => ownerOf(one.uuid))
      await mustBeAlone(tx, owners, by)
      const files = await templatesIn(tx, owners)
      if (!files.every(template => mayDeleteFile({ template }))) throw fail('file.delete.permission')
      await deleteRows(
        tx,
        some.map(one => one.uuid),
      )
      await deleteContents(tx, owners)
      await deleteFilesOf(app, tx, owners)
      await forgetFindable(app.store, tx, owners)
    }
    await record(tx, { event: 'page.deleted', subject: ownerOf(uuid), ...by, detail: { pages: all.length } })
  })
}
