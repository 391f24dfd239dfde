import type { Context } from '../../access/actor.ts'
import { contentLanguage } from '../../content/languages/languages.ts'
import { type Expected, mustBeCurrent } from '../../content/revision.ts'
import { contentToChange, saveContent } from '../../content/save.ts'
import { fail } from '../../platform/errors.ts'
import { releaseBlobs, useBlob } from '../../platform/media/blobs.ts'
import { indexOwners } from '../../platform/search/search.ts'
import { fileMustFollow } from './file-rules.ts'
import { type Bytes, lockFile, fileModelOf, recordFileChange } from './files.ts'
import type { FileRow } from './queries.ts'
import { keepVersions } from './versions/versions.ts'

export interface ReplaceOptions {
  /** The hash of the bytes that the caller knows: others in their place are a conflict. */
  knownHash?: string
  /** The focus point in the new bytes; an empty text is none. By default it stays. */
  focusAfter?: (focus: string) => string
}

/**
 * Replaces the bytes with others of the same media type; the former ones stay as a version. The name stays, the URL
 * changes.
 */
export async function replaceFile(
  ctx: Context,
  found: FileRow,
  bytes: Bytes,
  expected: Expected,
  { knownHash, focusAfter }: ReplaceOptions = {},
): Promise<number> {
  const { app } = ctx
  const language = await contentLanguage(app, undefined)
  return app.store.write(async tx => {
    const file = await lockFile(ctx, tx, found, 'replace', { expected, isPublic: true })
    if (knownHash !== undefined && file.hash !== knownHash) mustBeCurrent(file.revision, [])
    if (file.mime !== bytes.mime) throw fail('file.mime.differs', { mime: file.mime })
    if (file.hash === bytes.hash) return file.revision
    fileMustFollow(ctx, file, 'files.replace', { size: bytes.size, width: bytes.width, height: bytes.height })
    await useBlob(tx, bytes.hash)
    const model = fileModelOf(app, file)
    const { focus = '' } = await contentToChange(tx, model, language)
    const dropped = await keepVersions(ctx, tx, file, bytes, focus === '' ? null : focus)
    const revision = await recordFileChange(ctx, tx, file, {}, bytes, 'file.replaced')
    const sent = { focus: focusAfter?.(focus) ?? focus }
    if (sent.focus !== focus) {
      const save = {
        language,
        sent,
        validate: false,
        revision,
        action: 'update',
        shownReferences: 'all',
        checkTitle: 'noTitle',
        ignoreLock: true,
      } as const
      await saveContent(ctx, tx, model, save)
      await indexOwners(app.store, tx, [{ owner: model.owner }])
    }
    await releaseBlobs(tx, [file.hash, ...dropped])
    return revision
  })
}
