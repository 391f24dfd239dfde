import type { App } from '../../../app.ts'
import type { By } from '../../../access/audit/audit.ts'
import { fail } from '../../../platform/errors.ts'
import { insertFiles, type NewFile, removeFiles, trashFile } from '../../files/files.ts'
import { holdParent } from '../../files/queries.ts'
import { contentLanguage } from '../../../content/languages/languages.ts'
import { purgeUnlessKept } from '../../../content/trash/trash.ts'
import { ownerOf } from '../users.ts'
import { avatarsIn } from './queries.ts'

/** Replaces the former avatar. The bytes of the new one are already stored as a blob. */
export async function setAvatar(app: App, { id }: { id: string }, file: NewFile, by: By): Promise<string> {
  const parent = ownerOf(id)
  const language = await contentLanguage(app, undefined)
  return app.store.write(async tx => {
    if (!(await holdParent(app.store, tx, parent, true))) throw fail('user.notFound', { name: id })
    const before = await avatarsIn(tx, parent)
    const isSame = (one: NewFile) => one.hash === file.hash && one.filename === file.filename
    await removeFiles(
      app,
      tx,
      before.filter(one => !isSame(one)),
    )
    const [uuid] = await insertFiles(app, tx, { parent, files: [file], language }, by)
    return uuid!
  })
}

export async function removeAvatar(app: App, { id }: { id: string }, by: By): Promise<void> {
  const parent = ownerOf(id)
  await app.store.write(async tx => {
    if (!(await holdParent(app.store, tx, parent, true))) throw fail('user.notFound', { name: id })
    const files = await avatarsIn(tx, parent)
    if (files.length === 0) throw fail('file.avatar.notFound')
    for (const file of files) await trashFile(app, tx, file, by)
  })
  purgeUnlessKept(app)
}
