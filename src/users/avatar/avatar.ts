import type { App } from '../../app.ts'
import { type By, record } from '../../audit/audit.ts'
import { fail } from '../../errors.ts'
import { insertFiles, type NewFile, ownerOf as fileOwner, removeFiles } from '../../files/files.ts'
import { holdParent } from '../../files/queries.ts'
import { contentLanguage } from '../../languages/languages.ts'
import { ownerOf } from '../users.ts'
import { avatarsIn } from './queries.ts'

/** In the place of the one before. The bytes are kept already. */
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
    await removeFiles(app, tx, files)
    for (const { uuid, filename: name } of files)
      await record(tx, { event: 'file.deleted', subject: fileOwner(uuid), ...by, detail: { parent, name } })
  })
}
