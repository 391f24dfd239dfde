import type { Context } from '../../../access/actor.ts'
import { denied } from '../../../access/authorize/authorize.ts'
import { isFileActionAllowed, canViewFile } from '../../../access/authorize/files.ts'
import { fail } from '../../../platform/errors.ts'
import { insertFiles, lockFileParent, type NewFile, removeFiles, trashFile } from '../../files/files.ts'
import { contentLanguage } from '../../../content/languages/languages.ts'
import type { Tx } from '../../../platform/store/store.ts'
import { purgeIfTrashIsOff } from '../../../content/trash/trash.ts'
import { ownerOfUser } from '../users.ts'
import { avatarTemplate, selectAvatarsOf } from './queries.ts'

/** Replaces the former avatar. The bytes of the new one are already stored as a blob. */
export async function setAvatar(ctx: Context, { id }: { id: string }, file: NewFile): Promise<string> {
  const { app } = ctx
  const language = await contentLanguage(app, undefined)
  return app.store.write(async tx => {
    const parent = await lockOwner(ctx, tx, id)
    const before = await selectAvatarsOf(tx, parent.owner)
    const isSame = (one: NewFile) => one.hash === file.hash && one.filename === file.filename
    await removeFiles(
      app,
      tx,
      before.filter(one => !isSame(one)),
    )
    const [uuid] = await insertFiles(ctx, tx, { parent, files: [file], language })
    return uuid!
  })
}

export async function removeAvatar(ctx: Context, { id }: { id: string }): Promise<void> {
  const { app } = ctx
  await app.store.write(async tx => {
    const { owner } = await lockOwner(ctx, tx, id)
    const avatar = { template: avatarTemplate }
    if (!isFileActionAllowed(ctx, 'delete', avatar)) throw denied('files.delete')
    const files = canViewFile(ctx, avatar) ? await selectAvatarsOf(tx, owner) : []
    if (files.length === 0) throw fail('file.avatar.notFound')
    for (const file of files) await trashFile(ctx, tx, file)
  })
  purgeIfTrashIsOff(app)
}

const lockOwner = (ctx: Context, tx: Tx, id: string) =>
  lockFileParent(ctx, tx, ownerOfUser(id), { exclusive: true, missing: () => fail('user.notFound', { name: id }) })

/** An account has at most one avatar: a file that comes from elsewhere does not replace it. */
export async function mustBeOnlyAvatar(
  tx: Tx,
  owner: string,
  { template, filename }: { template: string | null; filename: string },
): Promise<void> {
  if (template === avatarTemplate && (await selectAvatarsOf(tx, owner)).length > 0)
    throw fail('file.duplicate', { filename })
}
