import type { App } from '../../app.ts'
import { fail } from '../../platform/errors.ts'
import { type Received, TooLarge } from '../../platform/media/media.ts'
import { readFocus } from '../../platform/media/resize.ts'
import { loadSharp } from '../../platform/media/sharp.ts'
import { type Dimensions, formatOf, inImageQueue } from './images.ts'
import type { FileRow } from './queries.ts'
import { niceSize } from './size.ts'

/** First the crop, then the rest: in pixels of the upright image. */
export interface ImageEdit {
  crop?: { left: number; top: number; width: number; height: number } | undefined
  /** Mirrors left and right. */
  flip?: boolean | undefined
  /** Clockwise, in degrees. */
  rotate?: 90 | 180 | 270 | undefined
}

/** Lossy formats: each edit encodes the image again. */
const qualities: Readonly<Record<string, number>> = { jpeg: 90, webp: 90, avif: 70 }
const timeoutSeconds = 60

/**
 * The cropped and turned image, upright, with its colour profile. Other metadata is left out: it may have a small
 * image of what was cut off.
 */
export async function editImage(
  app: App,
  file: FileRow,
  edit: ImageEdit,
  language: string,
): Promise<{ received: Received; sizeBefore: Dimensions }> {
  const format = formatOf(file.extension)
  if (format === undefined) throw fail('file.edit.unsupported')
  const edited = await inImageQueue(app, file.filename, file.uuid, () =>
    app.media.borrow(file.hash, async path => {
      const sharp = await loadSharp()
      const image = sharp(path, {
        limitInputPixels: app.config.files.maxPixels,
        sequentialRead: true,
        failOn: 'error',
        autoOrient: true,
      })
      const { pages = 1, space, autoOrient } = await image.metadata()
      if (pages > 1) throw fail('file.edit.unsupported')
      if (edit.crop) {
        if (isOutside(edit.crop, autoOrient)) throw fail('file.edit.outside')
        image.extract(edit.crop)
      }
      if (edit.flip) image.flop()
      if (edit.rotate) image.rotate(edit.rotate)
      // The colours of a print become those of a screen, to which the profile does not apply.
      if (space !== 'cmyk') image.keepIccProfile()
      const quality = qualities[format]
      const stream = image
        .toFormat(format, quality === undefined ? {} : { quality })
        .timeout({ seconds: timeoutSeconds })
      const { maxSize } = app.config.files
      const bytes = stream as AsyncIterable<Uint8Array>
      const received = await app.media.receive(bytes, maxSize).catch((error: unknown) => {
        throw error instanceof TooLarge ? fail('file.maxsize', { max: niceSize(maxSize, language) }) : error
      })
      return { received, sizeBefore: autoOrient }
    }),
  )
  if (!edited) throw fail('file.image.invalid', { filename: file.filename })
  return edited
}

const isOutside = ({ left, top, width, height }: NonNullable<ImageEdit['crop']>, whole: Dimensions) =>
  left + width > whole.width || top + height > whole.height

/** Where the focus point is afterwards; none if it was cut off. The dimensions are those of the upright image before. */
export function focusAfter(text: string, { crop, flip, rotate }: ImageEdit, { width, height }: Dimensions): string {
  if (text === '') return ''
  const focus = readFocus(text)
  const part = crop ?? { left: 0, top: 0, width, height }
  let x = (focus.x * width - part.left) / part.width
  let y = (focus.y * height - part.top) / part.height
  if (x < 0 || x > 1 || y < 0 || y > 1) return ''
  if (flip) x = 1 - x
  if (rotate === 90) [x, y] = [1 - y, x]
  else if (rotate === 180) [x, y] = [1 - x, 1 - y]
  else if (rotate === 270) [x, y] = [y, 1 - x]
  return `${Math.round(x * 100)}% ${Math.round(y * 100)}%`
}
