import type { Sharp } from 'sharp'
import { loadSharp } from './sharp.ts'
import type { Size } from './thumbs.ts'

/** The focus point, which a crop never cuts off: from 0 to 1 in both directions. */
export interface Focus {
  x: number
  y: number
}

export type ImageFormat = 'jpg' | 'png' | 'gif' | 'webp' | 'avif'

/** The image itself is broken or too large: a retry would fail as well. */
export class InvalidImage extends Error {}

/** Messages of the library for errors of the image itself. All other errors may be temporary. */
const ofImage =
  /unsupported image format|exceeds pixel limit|corrupt|premature end|truncated|bad extract area|^(?:Vips|gif|heif|jpeg|png|tiff|webp)\w*:/i

const timeoutSeconds = 20 // seconds

const isTooLarge = (error: unknown) => /exceeds pixel limit/i.test((error as Error).message)

/**
 * Scales an image down: upright, in sRGB, without metadata such as camera or position, animated if it was before.
 * Never enlarges it.
 */
export async function resize(
  path: string,
  size: Size,
  { format, focus, maxPixels }: { format: ImageFormat; focus: Focus; maxPixels: number },
): Promise<Buffer> {
  const sharp = await loadSharp()
  const make = async (animated: boolean) => {
    const image = sharp(path, {
      limitInputPixels: maxPixels,
      sequentialRead: true,
      failOn: 'error',
      animated,
      autoOrient: true,
    })
    const cut = size.crop ? await crop(image, size, focus) : image.resize({ width: size.width, ...shrinkOnly })
    return encode[format](cut).timeout({ seconds: timeoutSeconds }).toBuffer()
  }
  try {
    const moves = format === 'gif' || format === 'webp'
    // Too many pixels in all frames together: use the first frame only.
    return await make(moves).catch(error => {
      if (moves && isTooLarge(error)) return make(false)
      throw error
    })
  } catch (error) {
    const { message } = error as Error
    throw ofImage.test(message) && !/memory/i.test(message) ? new InvalidImage(message, { cause: error }) : error
  }
}

const shrinkOnly = { withoutEnlargement: true } as const

/** Cuts out the largest part with the requested aspect ratio around the focus point, then scales it down. */
async function crop(image: Sharp, { width, height = width }: Size, focus: Focus): Promise<Sharp> {
  const { autoOrient, pages = 1, pageHeight } = await image.metadata()
  const whole = { width: autoOrient.width, height: pages > 1 ? pageHeight! : autoOrient.height }
  const scale = Math.min(whole.width / width, whole.height / height)
  const part = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
  const left = place(focus.x, part.width, whole.width)
  const top = place(focus.y, part.height, whole.height)
  return image.extract({ left, top, ...part }).resize({ width, height, fit: 'fill', ...shrinkOnly })
}

/** Start of a part whose middle is as near to the focus point as possible. */
function place(focus: number, part: number, whole: number): number {
  return Math.round(Math.min(Math.max(focus * whole - part / 2, 0), whole - part))
}

const encode: Readonly<Record<ImageFormat, (image: Sharp) => Sharp>> = {
  jpg: image => image.jpeg({ quality: 82, progressive: true }),
  png: image => image.png(),
  gif: image => image.gif({ effort: 3 }),
  webp: image => image.webp({ quality: 80, effort: 3 }),
  avif: image => image.avif({ quality: 55, effort: 2 }),
}

/** `50% 30%`, as the panel writes it. Any other text is the middle. */
export function readFocus(text: string | undefined): Focus {
  const [, x, y] = /^\s*(\d{1,3}(?:\.\d+)?)%[\s,]+(\d{1,3}(?:\.\d+)?)%\s*$/.exec(text ?? '') ?? []
  return { x: partOf(x), y: partOf(y) }
}

const partOf = (percent = '50') => Math.min(Math.round(Number(percent)), 100) / 100
