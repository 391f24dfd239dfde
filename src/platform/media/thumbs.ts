/** How an image is scaled down. Without a height it keeps its aspect ratio; a crop without one is square. */
export interface Size {
  width: number
  height?: number
  crop?: boolean
}

/** Widths of the `thumbs` of a file in the API. */
export const thumbWidths = { tiny: 128, small: 256, medium: 512, large: 768, huge: 1024 } as const
/** Widths for lists, cardlets and cards of the panel, on screens of different density. */
const listWidths = [38, 76, 96, 192, 352, 864, 1408]
const panelWidths: ReadonlySet<number> = new Set([...Object.values(thumbWidths), ...listWidths])
const avatarWidth = 512
export const avatarSize: Size = { width: avatarWidth, crop: true }

const ratios = ['1/1', '3/2', '2/3', '4/3', '3/4', '5/4', '4/5', '16/9', '9/16', '2/1', '1/2', '21/9'].map(text => {
  const [width, height] = text.split('/').map(Number) as [number, number]
  return width / height
})
const heightFor = (width: number) => (ratio: number) => Math.round(width / ratio)

const resizable: ReadonlySet<string> = new Set(['jpg', 'jpeg', 'png', 'gif', 'webp'])

export function isResizable(extension: string): boolean {
  return resizable.has(extension.toLowerCase())
}

/** Whether the panel may request this size. */
function isOfPanel({ width, height, crop = false }: Size): boolean {
  if (!crop) return height === undefined && panelWidths.has(width)
  if (height === undefined) return width === avatarWidth
  return listWidths.includes(width) && ratios.map(heightFor(width)).includes(height)
}

/** `gears.png` → `gears-128x.png` */
export function thumbName(filename: string, { width, height, crop = false }: Size): string {
  const at = filename.lastIndexOf('.')
  const extension = filename.slice(at + 1).replace(/^jpeg$/i, 'jpg')
  return `${filename.slice(0, at)}-${width}x${height ?? ''}${crop ? '-crop' : ''}.${extension}`
}

/** A crop with an unusual aspect ratio gets the nearest one that the panel may request. */
export function nearestOfPanel(size: Size): Size {
  const { width, height, crop } = size
  if (isOfPanel(size) || !crop || height === undefined) return size
  const heights = ratios.map(heightFor(width))
  const nearest = heights.reduce((best, one) => (Math.abs(one - height) < Math.abs(best - height) ? one : best))
  return { width, height: nearest, crop }
}

export interface Thumb {
  /** Possible filenames of the original: `jpg` may stand for `jpeg`. */
  filenames: string[]
  size: Size
  /** Whether the size is in `media.sizes`; otherwise it is a size of the panel, for signed-in callers. */
  isConfigured: boolean
}

/**
 * Undefined unless it is the name of a thumbnail in a size of `media.sizes` or of the panel. Otherwise visitors could
 * request an unlimited number of thumbnails.
 */
export function readThumbName(name: string, sizes: readonly string[]): Thumb | undefined {
  const [, base, text, extension] =
    /^(.+)-([1-9]\d{0,3}x(?:[1-9]\d{0,3})?(?:-crop)?)\.([A-Za-z]{3,4})$/.exec(name) ?? []
  if (base === undefined || !isResizable(extension!)) return undefined
  const size = readSize(text!)
  const isConfigured = sizes.includes(text!)
  if (!isConfigured && !isOfPanel(size)) return undefined
  const extensions = extension!.toLowerCase() === 'jpg' ? ['jpg', 'jpeg'] : [extension!]
  return { filenames: extensions.map(one => `${base}.${one}`), size, isConfigured }
}

/** `640x`, `640x-crop` (square), `640x480-crop` */
export function readSize(text: string): Size {
  const [, width, height, crop] = /^(\d+)x(\d+)?(-crop)?$/.exec(text)!
  return {
    width: Number(width),
    ...(height !== undefined && { height: Number(height) }),
    ...(crop !== undefined && { crop: true }),
  }
}
