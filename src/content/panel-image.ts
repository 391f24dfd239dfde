import { isMap } from '../blueprints/fields/stored.ts'
import type { PanelImage } from '../blueprints/panel-image.ts'

/** An image that lists show instead of an icon. */
export interface ImageSource {
  url: string
  /** Returns a thumbnail URL; missing if no thumbnail can be made. */
  thumb?: ((size: { width: number; height?: number; crop?: boolean }) => string) | undefined
}

const defaultImage: PanelImage = { back: 'pattern', color: 'gray-500', cover: false, icon: 'page' }

export const defaultPageImage = (icon: string | undefined): PanelImage => ({
  ...defaultImage,
  ...(icon !== undefined && { icon }),
})

export const userImage: PanelImage = { ...defaultImage, back: 'black', icon: 'user', ratio: '1/1' }

type ColorAndIcon = readonly [color: string, icon: string]

/** A Map, because keys come from filenames and blueprints: `constructor` must not find an inherited property. */
function lookUp<Value>(values: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> {
  return new Map(Object.entries(values))
}

/** File type → colour and icon. */
const byType = lookUp<ColorAndIcon>({
  archive: ['gray-500', 'archive'],
  audio: ['aqua-500', 'audio'],
  code: ['pink-500', 'code'],
  document: ['red-500', 'document'],
  image: ['orange-500', 'image'],
  video: ['yellow-500', 'video'],
})
const table: ColorAndIcon = ['green-500', 'table']
const writing: ColorAndIcon = ['blue-500', 'pen']
const byExtension = lookUp<ColorAndIcon>({
  csv: table,
  doc: writing,
  docx: writing,
  indd: ['purple-500', 'document'],
  md: ['red-500', 'markdown'],
  mdown: ['red-500', 'markdown'],
  rtf: writing,
  xls: table,
  xlsx: table,
})

export function fileImage({ type, extension }: { type: string | null; extension: string }): PanelImage {
  const [color, icon] = byExtension.get(extension) ?? byType.get(type ?? '') ?? ['gray-500', 'file']
  return { ...defaultImage, color, icon }
}

/** A transparent pixel, shown while the image loads. */
const blank = 'data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw'

/**
 * Settings override the default image: first those of the list, then those of the blueprint. `false` in any of them
 * hides the image. `source` is shown instead of the icon, if there is one.
 */
export function panelImage(
  from: PanelImage,
  settings: readonly unknown[],
  { source, layout = 'list' }: { source?: ImageSource | undefined; layout?: string | undefined } = {},
): PanelImage | null {
  if (settings.includes(false)) return null
  const image: PanelImage = Object.assign({}, from, ...settings.filter(isMap))
  delete image['query']
  if (!source) return image
  const { url, thumb } = source
  return {
    ...image,
    url,
    ...(thumb && { src: blank, srcset: srcset(image, thumb, layout) }),
  }
}

/** Thumbnail widths in pixels, by layout of the list. */
const widths = lookUp<readonly number[]>({
  list: [38, 76],
  cardlets: [96, 192],
  cards: [352, 864, 1408],
})

function srcset(image: PanelImage, thumb: NonNullable<ImageSource['thumb']>, layout: string): string {
  const sizes = widths.get(layout) ?? widths.get('list')!
  if (!image.cover) return sizes.map(width => `${thumb({ width })} ${width}w`).join(', ')
  if (layout !== 'cards')
    return sizes.map((width, at) => `${thumb({ width, height: width, crop: true })} ${at + 1}x`).join(', ')
  const ratio = ratioOf(image.ratio)
  return sizes.map(width => `${thumb({ width, height: Math.round(width / ratio), crop: true })} ${width}w`).join(', ')
}

/** `3/2` → 1.5 */
function ratioOf(ratio: unknown): number {
  const [width = 1, height = 1] = (typeof ratio === 'string' ? ratio : '1/1').split('/').map(Number)
  return width > 0 && height > 0 ? width / height : 1
}
