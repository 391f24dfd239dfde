import { accountOf, type Context } from '../../../access/actor.ts'
import type { VersionedFile } from '../../../platform/media/urls.ts'
import type { Tx } from '../../../platform/store/store.ts'
import type { Bytes } from '../files.ts'
import { ownerOfFile } from '../model.ts'
import type { FileRow } from '../queries.ts'
import { deleteVersions, type FileVersionRow, insertVersion, selectNumbers, updateFocus } from './queries.ts'

/**
 * Keeps the bytes that a file is about to lose, and those that it gets, as its versions. The original stays, and the
 * newest ones up to `files.versions`. Bytes that the file had before are the same version again. Returns the hashes of
 * versions that are dropped. The file must be locked; `focus` is the focus point that goes with its present bytes.
 */
export async function keepVersions(
  ctx: Context,
  tx: Tx,
  file: FileRow,
  bytes: Bytes,
  focus: string | null,
): Promise<string[]> {
  const { versions: keep } = ctx.app.config.files
  const owner = ownerOfFile(file.uuid)
  if (keep === 0) return deleteVersions(tx, [owner])
  const versions = await selectNumbers(tx, owner)
  const isKnown = ({ hash }: Pick<Bytes, 'hash'>) => versions.some(version => version.hash === hash)
  const add = async ({ hash, size, width, height }: Bytes, more: { user_id: string | null; created_at?: number }) => {
    const number = (versions.at(-1)?.number ?? 0) + 1
    await insertVersion(tx, { owner, number, hash, size, width, height, focus, ...more })
    versions.push({ number, hash })
  }
  if (isKnown(file)) await updateFocus(tx, owner, file.hash, focus)
  else await add(file, { user_id: null, created_at: versions.length === 0 ? file.created_at : file.stored_at })
  if (!isKnown(bytes)) await add(bytes, { user_id: accountOf(ctx) ?? null })
  // Neither the original nor the present bytes are counted.
  const former = versions.slice(1).filter(({ hash }) => hash !== bytes.hash)
  const dropped = former.slice(0, Math.max(0, former.length - keep)).map(({ number }) => number)
  return dropped.length === 0 ? [] : deleteVersions(tx, [owner], dropped)
}

/** What the URL of a version depends on: its number in place of a time, so that no URL of the file itself is the same. */
export const inUrl = (
  { uuid }: Pick<FileRow, 'uuid'>,
  { hash, number }: Pick<FileVersionRow, 'hash' | 'number'>,
): VersionedFile => ({ uuid, hash, stored_at: number * 1000 })
