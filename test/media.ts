/** Images and files for tests, inserted directly into the database, so that a file can have any state. */
import { createHash } from 'node:crypto'
import { claimBlob, useBlob } from '../src/platform/media/blobs.ts'
import { loadSharp } from '../src/platform/media/sharp.ts'
import { mediaPath } from '../src/platform/media/urls.ts'
import { insertFile } from '../src/groups/files/queries.ts'
import { createId } from '../src/platform/lib/id.ts'
import type { FilesTable, PagesTable } from '../src/platform/store/tables/content.ts'
import { now } from '../src/platform/store/store.ts'
import type { TestApp } from './harness.ts'

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Stores bytes as a blob, and returns their hash. */
export async function keepBytes({ app }: TestApp, bytes: Uint8Array): Promise<string> {
  const received = await app.media.receive([bytes] as never, bytes.length)
  await claimBlob(app, received.hash, received.size)
  await received.keep()
  return received.hash
}

/** A file of a page, the site or an account. */
export async function addFile(
  site: TestApp,
  parent: string,
  filename: string,
  bytes: Uint8Array,
  more: Partial<FilesTable> & { focus?: string } = {},
): Promise<FilesTable> {
  const { app } = site
  const { focus, ...columns } = more
  const hash = await keepBytes(site, bytes)
  const uuid = createId()
  const extension = filename.slice(filename.lastIndexOf('.') + 1).toLowerCase()
  await app.store.write(async tx => {
    await useBlob(tx, hash)
    await insertFile(tx, {
      uuid, parent, filename, extension, hash, size: bytes.length, type: null, mime: 'application/octet-stream',
      template: null, sort: null, width: null, height: null, ...columns,
    }) // prettier-ignore
    if (focus !== undefined) {
      const row = { owner: `file://${uuid}`, language: '', data: JSON.stringify({ focus }), modified_at: now }
      await tx.insertInto('contents').values(row).execute()
    }
  })
  return app.store.db.selectFrom('files').selectAll().where('uuid', '=', uuid).executeTakeFirstOrThrow()
}

/** The URL of the file, or of a thumbnail of it. */
export function addressOf({ app }: TestApp, place: string, file: FilesTable, name = file.filename): string {
  return mediaPath(app, place, file, name)
}

/** Inserts a page, and returns its URI as an owner. */
export async function addPage({ app }: TestApp, path: string, more: Partial<PagesTable> = {}): Promise<string> {
  const uuid = createId()
  const slug = path.slice(path.lastIndexOf('/') + 1)
  await app.store.db
    .insertInto('pages')
    .values({
      uuid,
      parent: '',
      path,
      slug,
      status: 'unlisted',
      num: null,
      template: 'default',
      revision: 1,
      created_at: now,
      modified_at: now,
      ...more,
    })
    .execute()
  return `page://${uuid}`
}

/** An image with EXIF data, red on the left and blue on the right. */
export async function createImage(
  format: 'jpeg' | 'png' | 'webp' | 'avif' = 'png',
  { width = 400, height = 200, orientation = 1 } = {},
): Promise<Buffer> {
  const sharp = await loadSharp()
  const half = Math.floor(width / 2)
  const blue = { create: { width: width - half, height, channels: 3, background: '#00f' } } as const
  return sharp({ create: { width, height, channels: 3, background: '#f00' } })
    .composite([{ input: blue, left: half, top: 0 }])
    .withExif({ IFD0: { Copyright: 'somebody' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
    .withMetadata({ orientation })
    .toFormat(format)
    .toBuffer()
}

/** An animation of three frames. */
export async function animatedImage(format: 'gif' | 'webp'): Promise<Buffer> {
  const sharp = await loadSharp()
  const frames = Buffer.concat([0, 128, 255].map(level => Buffer.alloc(100 * 50 * 3, level)))
  const raw = { width: 100, height: 150, channels: 3, pageHeight: 50 } as const
  return sharp(frames, { raw })
    .toFormat(format, { delay: [100, 100, 100] })
    .toBuffer()
}
