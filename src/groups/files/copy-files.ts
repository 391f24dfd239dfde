import { accountOf, type Context } from '../../access/actor.ts'
import { seesFile } from '../../access/authorize/files.ts'
import { decode, insertHistory, upsertContent } from '../../content/queries.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import { createId } from '../../platform/lib/id.ts'
import { useBlob } from '../../platform/media/blobs.ts'
import { indexOwners } from '../../platform/search/search.ts'
import type { Tx } from '../../platform/store/store.ts'
import { ownerOf } from './files.ts'
import * as queries from './queries.ts'

/**
 * Copies the files of each owner, as far as the actor may see them, to the new owner that `targets` names. Copies have
 * new uuids and share the blobs.
 */
export async function copyFilesOf(ctx: Context, tx: Tx, targets: ReadonlyMap<string, string>): Promise<void> {
  const { app } = ctx
  const files = (await queries.selectIn(tx, [...targets.keys()])).filter(file => seesFile(ctx, file))
  for (const batch of chunks(files)) {
    const copies = new Map(batch.map(file => [ownerOf(file.uuid), { ...file, uuid: createId() }]))
    for (const file of copies.values()) await queries.insertFile(tx, newFile(file, targets.get(file.parent)!))
    for (const hash of new Set(batch.map(file => file.hash).toSorted())) await useBlob(tx, hash)
    for (const { owner, language, data } of await queries.selectContents(tx, [...copies.keys()])) {
      const copy = copies.get(owner)!
      const [copyOwner, content] = [ownerOf(copy.uuid), decode(data)]
      await upsertContent(tx, copyOwner, language, content)
      const saved = { owner: copyOwner, language, revision: 1, action: 'create', user: accountOf(ctx) }
      await insertHistory(tx, saved, content, Object.keys(content))
    }
    await indexOwners(
      app.store,
      tx,
      [...copies.values()].map(({ uuid }) => ({ owner: ownerOf(uuid) })),
    )
  }
}

function newFile(file: queries.FileRow, parent: string): queries.NewFile {
  const { filename, extension, type, mime, template, sort, size, hash, width, height, uuid } = file
  return { uuid, parent, filename, extension, type, mime, template, sort, size, hash, width, height }
}
