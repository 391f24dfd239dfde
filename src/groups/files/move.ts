import type { Context } from '../../access/actor.ts'
import { isFileActionAllowed, mustPublishFiles } from '../../access/authorize/files.ts'
import { recordEvent } from '../../content/change-events.ts'
import { completeReferences } from '../../content/ids/own-files.ts'
import { updateIdReferences } from '../../content/ids/update-references.ts'
import { fail } from '../../platform/errors.ts'
import { indexOwners } from '../../platform/search/search.ts'
import type { Tx } from '../../platform/store/store.ts'
import { copyOf, insertCopies } from './copy-files.ts'
import { fileMustFollow, uploadsMustFollow } from './file-rules.ts'
import {
  type Bytes,
  type FileRow,
  fileDetail,
  lockFileParent,
  lockFileSource,
  type LockedParent,
  lockFileWithin,
  ownerOfFile,
  ownersOfSameId,
  recordFileChange,
} from './files.ts'
import { numbered } from './names.ts'
import { namesOf } from './order.ts'
import * as queries from './queries.ts'
import type { FileModel, FileParent } from './target.ts'

/** The new place of files. */
export interface FilePlace {
  parent: FileParent
  /** A rule of the new parent; throws if the file does not fit there. */
  rule?: (tx: Tx, file: FileRow) => Promise<void>
}

/**
 * Moves a file to another parent, where it needs the permission to create it, as it needs the one to delete it here; a
 * file of a published page needs the one to publish that, too. Its uuid stays, and references to it follow. A taken
 * name gets a number. Returns the name.
 */
export async function moveFile(
  ctx: Context,
  { file: found, parent: from }: FileModel,
  { parent: to, rule }: FilePlace,
): Promise<{ uuid: string; filename: string }> {
  const { app } = ctx
  const { uuid } = found
  return app.store.write(async tx => {
    const parents = new Map<string, LockedParent>()
    for (const parent of await queries.selectInLockOrder(tx, [from.owner, to.owner]))
      parents.set(parent, await lockFileParent(ctx, tx, parent, { exclusive: true }))
    const formerParent = parents.get(from.owner)!
    const file = await lockFileWithin(ctx, tx, formerParent, uuid, ['delete'])
    if (from.owner === to.owner) return { uuid, filename: file.filename }
    // Elsewhere it could be changed, while published content still refers to it.
    mustPublishFiles(ctx, formerParent)
    fileMustFollow(ctx, file, 'files.delete', {})
    const filename = await nameAt(ctx, tx, file, { parent: to, ...(rule && { rule }) })
    const [oldPath, oldParent] = [file.filename, from.owner]
    const place = { parent: to.owner, filename, ...namesOf(filename) }
    await recordFileChange(
      ctx,
      tx,
      { ...file, ...place },
      { oldPath, oldParent },
      // The order of the former parent means nothing here.
      { ...place, sort: null },
      'file.moved',
    )
    await indexOwners(app.store, tx, [{ owner: ownerOfFile(uuid) }])
    const ids = { from: (await prefixOf(tx, from)) + oldPath, to: (await prefixOf(tx, to)) + filename }
    const former = { owner: oldParent, fields: from.form.fields, filename: oldPath, uri: ownerOfFile(uuid) }
    await completeReferences(app, tx, { ...former, ...ids })
    await updateIdReferences(app, tx, { types: ['files'], ...ids, ...(await ownersOfSameId(tx, ids.from)) })
    return { uuid, filename }
  })
}

/**
 * Copies a file with its content in every language; the bytes are stored once. A taken name gets a number. With `other`
 * the copy has these bytes, and the focus point in them: that needs the permission to replace the bytes of the file.
 */
export async function copyFile(
  ctx: Context,
  { file: found }: FileModel,
  place: FilePlace,
  other?: { bytes: Bytes; focusAfter: (focus: string) => string },
): Promise<{ uuid: string; filename: string }> {
  return ctx.app.store.write(async tx => {
    const parent = place.parent.owner
    const parents = new Map<string, LockedParent>()
    for (const owner of await queries.selectInLockOrder(tx, [found.parent, parent])) {
      const lock =
        owner === parent ? lockFileParent(ctx, tx, owner, { exclusive: true }) : lockFileSource(ctx, tx, owner)
      parents.set(owner, await lock)
    }
    const source = parents.get(found.parent)!
    const file = await lockFileWithin(ctx, tx, source, found.uuid, other ? ['replace'] : 'visibility')
    const filename = await nameAt(ctx, tx, { ...file, ...other?.bytes }, place)
    const copy = { ...copyOf(file, { parent, filename, sort: null }), ...other?.bytes }
    await insertCopies(ctx, tx, [{ file, copy, focusAfter: other?.focusAfter }])
    const facts = { ...fileDetail({ parent, template: file.template }), path: filename, revision: 1 }
    await recordEvent(ctx, tx, 'file.created', ownerOfFile(copy.uuid), facts)
    return { uuid: copy.uuid, filename }
  })
}

/** The name of a file at its new place, if it may be there. The parent must be locked, so the name stays free. */
async function nameAt(ctx: Context, tx: Tx, file: FileRow, { parent, rule }: FilePlace): Promise<string> {
  if (!isFileActionAllowed(ctx, 'create', file)) throw fail('file.create.permission')
  await rule?.(tx, file)
  const filename = await freeName(tx, parent.owner, file)
  uploadsMustFollow(ctx, parent.owner, [{ ...file, filename }])
  return filename
}

async function freeName(tx: Tx, parent: string, file: FileRow): Promise<string> {
  if (!(await queries.selectFileByName(tx, parent, file.filename))) return file.filename
  const [prefix] = numbered(file, 2).split(/2\.[^.]*$/) as [string]
  const taken = await queries.selectNamesLike(tx, parent, prefix)
  let number = 2
  while (taken.has(numbered(file, number).toLowerCase())) number++
  return numbered(file, number)
}

/** The prefix of the ids of files, by the path that a page has now. */
async function prefixOf(tx: Tx, { owner, idPrefix }: FileParent): Promise<string> {
  return owner.startsWith('page://') ? `${(await queries.selectParent(tx, owner)).path}/` : idPrefix
}
