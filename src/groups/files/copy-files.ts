import { accountOf, type Context } from '../../access/actor.ts'
import { canViewFile } from '../../access/authorize/files.ts'
import { decode, insertHistory, upsertContent } from '../../content/queries.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import { createId } from '../../platform/lib/id.ts'
import { useBlob } from '../../platform/media/blobs.ts'
import { indexOwners } from '../../platform/search/search.ts'
import type { Tx } from '../../platform/store/store.ts'
import { ownerOfFile } from './files.ts'
import * as queries from './queries.ts'

/**
 * Copies the files of each owner, as far as the actor may see them, to the new owner that `targets` names. Copies have
 * new uuids and share the blobs.
 */
export async function copyFilesOf(ctx: Context, tx: Tx, targets: ReadonlyMap<string, string>): Promise<void> {
  const files = (await queries.selectFilesIn(tx, [...targets.keys()])).filter(file => canViewFile(ctx, file))
  for (const batch of chunks(files))
    await insertCopies(
      ctx,
      tx,
      batch.map(file => ({ file, copy: copyOf(file, { parent: targets.get(file.parent)!, sort: file.sort }) })),
    )
}

/** The row of a copy: another uuid, the same bytes. */
export function copyOf(
  file: queries.FileRow,
  place: Pick<queries.NewFileRow, 'parent' | 'sort'> & { filename?: string },
): queries.NewFileRow {
  const { filename, extension, type, mime, template, size, hash, width, height } = file
  return { uuid: createId(), filename, extension, type, mime, template, size, hash, width, height, ...place }
}

interface CopiedFile {
  file: queries.FileRow
  copy: queries.NewFileRow
  /** For a copy with other bytes. */
  focusAfter?: ((focus: string) => string) | undefined
}

/** Inserts copies with their contents in every language. Their names must be free. */
export async function insertCopies(ctx: Context, tx: Tx, pairs: readonly CopiedFile[]): Promise<void> {
  const owners = new Map(pairs.map(pair => [ownerOfFile(pair.file.uuid), pair]))
  for (const { copy } of pairs) await queries.insertFile(tx, copy)
  for (const hash of new Set(pairs.map(({ copy }) => copy.hash).toSorted())) await useBlob(tx, hash)
  for (const { owner, language, data } of await queries.selectContentsOfFiles(tx, [...owners.keys()])) {
    const { copy, focusAfter } = owners.get(owner)!
    const [copyOwner, { focus, ...others }] = [ownerOfFile(copy.uuid), decode(data)]
    const content = focus === undefined ? others : { ...others, focus: focusAfter?.(focus) ?? focus }
    await upsertContent(tx, copyOwner, language, content)
    const saved = { owner: copyOwner, language, revision: 1, action: 'create', user: accountOf(ctx) }
    await insertHistory(tx, saved, content, Object.keys(content))
  }
  await indexOwners(
    ctx.app.store,
    tx,
    pairs.map(({ copy }) => ({ owner: ownerOfFile(copy.uuid) })),
  )
}
