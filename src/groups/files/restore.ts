import type { Context } from '../../access/actor.ts'
import { recordEvent } from '../../content/change-events.ts'
import { fileDetail, lockFileParent } from './files.ts'
import { ApiError, fail } from '../../platform/errors.ts'
import type { Tx } from '../../platform/store/store.ts'
import { selectFirst, withValues } from '../../content/trash/queries.ts'
import { lockTrashEntry, returnEntry } from '../../content/trash/trash.ts'
import { renamed } from './names.ts'
import { namesOf } from './order.ts'
import { type FileRow, selectFileByName } from './queries.ts'
import { nameMustBeFree } from './rules.ts'

export interface FileRestoration {
  /** Another parent: `page://…`, `site://`. */
  parent?: string | undefined
  /** Another name; the extension stays. */
  name?: string | undefined
  /** A rule of the new parent; throws if the file does not fit there. */
  rule?: (tx: Tx, file: FileRow) => Promise<void>
}

/** A parent that the actor may not see is as good as deleted. */
function mustHaveParent(error: unknown): never {
  throw error instanceof ApiError && error.status === 404 ? fail('trash.parent') : error
}

/** Restores a file from the trash. */
export async function restoreFile(
  ctx: Context,
  id: string,
  { parent: newParent, name, rule }: FileRestoration,
): Promise<{ uuid: string; filename: string }> {
  const { app } = ctx
  return app.store.write(async tx => {
    const entry = await lockTrashEntry(ctx, tx, id)
    const uuid = entry.owner.slice('file://'.length)
    const file = await selectFirst<FileRow>(tx, id, 'files', uuid)
    const parent = newParent ?? file.parent
    await lockFileParent(ctx, tx, parent, { exclusive: true }).catch(mustHaveParent)
    await rule?.(tx, file)
    const filename = name === undefined ? file.filename : renamed(file, name)
    nameMustBeFree(file, filename, await selectFileByName(tx, parent, filename))
    const files = withValues({ parent, filename, ...namesOf(filename) })
    await returnEntry(app, tx, entry, { files })
    const moved = filename === file.filename ? {} : { oldPath: file.filename }
    const facts = { ...fileDetail({ parent, template: file.template }), path: filename, ...moved }
    await recordEvent(ctx, tx, 'file.restored', entry.owner, facts)
    return { uuid, filename }
  })
}
