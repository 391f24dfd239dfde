import { z } from 'zod'
import { type Expected, mustBeCurrent, revisionBody } from '../../../content/revision.ts'
import { showUserSummary, userSummarySchema } from '../../../content/user-summary.ts'
import type { RequestContext } from '../../../http/context.ts'
import { fail } from '../../../platform/errors.ts'
import { namedSchema } from '../../../platform/lib/schema-names.ts'
import { isResizable, thumbName, thumbWidths } from '../../../platform/media/thumbs.ts'
import { mediaUrl } from '../../../platform/media/urls.ts'
import { editImage, focusAfter } from '../../files/edit-image.ts'
import type { Bytes, FileRow } from '../../files/files.ts'
import { ownerOfFile } from '../../files/model.ts'
import { copyFile } from '../../files/move.ts'
import type { Dimensions } from '../../files/images.ts'
import { prepareThumbs } from '../../files/prepare.ts'
import { replaceFile } from '../../files/replace.ts'
import { type FileTarget, mustBeChangeable } from '../../files/target.ts'
import { checkReplacement, storeBytes, withStoredBytes } from '../../files/upload.ts'
import { selectFileVersion, selectFileVersions } from '../../files/versions/queries.ts'
import { inUrl } from '../../files/versions/versions.ts'
import { findAnyFile, placeIn, shown } from './library.ts'

export const fileVersions = namedSchema(
  'FileVersions',
  z.array(
    z.object({
      number: z.int(),
      /** Whether the file has these bytes now. */
      current: z.boolean(),
      time: z.string(),
      /** Null if the account was deleted, and for the original. */
      user: userSummarySchema.nullable(),
      size: z.int(),
      width: z.int().nullable(),
      height: z.int().nullable(),
      url: z.string(),
      /** A small image; null if there is none. */
      thumb: z.string().nullable(),
    }),
  ),
)

/** The file, if the caller may change what it belongs to. */
export async function findToEdit(ctx: RequestContext, uuid: string): Promise<FileTarget> {
  const target = await findAnyFile(ctx, uuid)
  mustBeChangeable(target.parent)
  return target
}

export async function listVersions(
  ctx: RequestContext,
  { file, parent }: FileTarget,
): Promise<z.output<typeof fileVersions>> {
  const { app } = ctx
  const rows = await selectFileVersions(app.store, ownerOfFile(file.uuid))
  return rows.map(({ number, hash, size, width, height, created_at, user }) => {
    const urlOf = (name: string) => mediaUrl(app, parent.place, inUrl(file, { hash, number }), name)
    return {
      number,
      current: hash === file.hash,
      time: new Date(created_at).toISOString(),
      user: showUserSummary(ctx, user),
      size,
      width,
      height,
      url: urlOf(file.filename),
      thumb: isResizable(file.extension) ? urlOf(thumbName(file.filename, { width: thumbWidths.small })) : null,
    }
  })
}

const pixels = z.int().min(0)
const side = pixels.min(1)

export const editBody = z
  .strictObject({
    crop: z.strictObject({ left: pixels, top: pixels, width: side, height: side }).optional(),
    flip: z.boolean().optional(),
    rotate: z.literal([90, 180, 270]).optional(),
    version: z.int().min(1).optional(),
    copy: z.boolean().optional(),
    ...revisionBody,
  })
  .refine(({ crop, flip, rotate, version }) => crop || flip || rotate || version)

type Edit = Omit<z.output<typeof editBody>, 'revision'>

/** Gives the file other bytes, or a copy of it. Returns where the file or the copy is. */
export async function editFile(
  ctx: RequestContext,
  { file, parent }: FileTarget,
  { version, copy = false, ...edit }: Edit,
  expected: Expected,
) {
  const { app } = ctx
  mustBeCurrent(file.revision, expected)
  const from = version === undefined ? undefined : await findVersion(ctx, file, version)
  const source = { ...file, ...from?.bytes }

  async function store(bytes: Bytes, sizeBefore?: Dimensions) {
    const focusOf = (focus: string) => {
      const before = from ? from.focus : focus
      return sizeBefore ? focusAfter(before, edit, sizeBefore) : before
    }
    const stored = copy
      ? await copyFile(ctx, { file, parent }, placeIn(parent), { bytes, focusAfter: focusOf })
      : await replaceFile(ctx, file, bytes, expected, { knownHash: file.hash, focusAfter: focusOf }).then(() => file)
    prepareThumbs(app, { ...file, ...bytes })
    return shown(parent, stored)
  }

  if (from && !edit.crop && !edit.flip && !edit.rotate) return withStoredBytes(app, [], () => store(from.bytes))
  const { received: made, sizeBefore } = await editImage(app, source, edit, ctx.locale)
  const uploaded = { clientName: file.filename, received: made }
  try {
    const { received, ...bytes } = await checkReplacement(app, uploaded, file, ctx.locale)
    await storeBytes(app, received)
    return await withStoredBytes(app, [received], () => store(bytes, sizeBefore))
  } finally {
    await uploaded.received.discard()
  }
}

async function findVersion({ app }: RequestContext, { uuid, mime }: FileRow, number: number) {
  const found = await selectFileVersion(app.store, ownerOfFile(uuid), number)
  if (!found) throw fail('file.version.notFound')
  const { hash, size, width, height, focus } = found
  return { bytes: { hash, size, width, height, mime }, focus: focus ?? '' }
}
