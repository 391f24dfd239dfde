import type { App } from '../../app.ts'
import type { Plain } from '../../blueprints/source.ts'
import { ApiError, fail } from '../../platform/errors.ts'
import { type ConcurrencyLimiter, createLimiter, LimiterFull } from '../../platform/lib/concurrency-limiter.ts'
import { avifSize } from '../../platform/media/location/avif.ts'
import type { Received } from '../../platform/media/media.ts'
import { loadSharp } from '../../platform/media/sharp.ts'

export interface Dimensions {
  width: number
  height: number
}

/** Image formats whose dimensions are in the header, so that nothing has to be decoded. */
const readable = new Set(['avif', 'gif', 'jpe', 'jpeg', 'jpg', 'png', 'tif', 'tiff', 'webp'])
export const isReadable = (extension: string) => readable.has(extension)

/** The dimensions after applying the EXIF orientation. Reads only the header, never the pixels. */
export async function measure(
  { config }: App,
  filename: string,
  { path }: Pick<Received, 'path'>,
): Promise<Dimensions> {
  const sharp = await loadSharp()
  const metadata = await sharp(path, { limitInputPixels: false, failOn: 'error' })
    .metadata()
    .catch(() => undefined)
  const size = metadata?.autoOrient ?? (await avifSize(path))
  if (!size) throw fail('file.image.invalid', { filename })
  const { width, height } = size
  // The limit applies to one frame: an animation decodes frame by frame.
  if (width * height > config.files.maxPixels) throw fail('file.image.tooLarge', { filename })
  return { width, height }
}

/** The dimensions from the attributes of an SVG; undefined if it has none. */
export function measureSvg(attributes: ReadonlyMap<string, string>): Dimensions | undefined {
  const pixels = (name: string) =>
    Number(/^\s*(\d{1,6}(?:\.\d+)?)(?:px)?\s*$/.exec(attributes.get(name) ?? '')?.[1] ?? 0)
  const box = (attributes.get('viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const [width, height] = [pixels('width') || (box[2] ?? 0), pixels('height') || (box[3] ?? 0)].map(Math.round)
  return width! > 0 && height! > 0 && width! < 1e6 && height! < 1e6 ? { width: width!, height: height! } : undefined
}

// ---- conversion of new images by the blueprint

const formats = { avif: 'avif', gif: 'gif', jpeg: 'jpeg', jpg: 'jpeg', png: 'png', webp: 'webp' } as const
type Format = keyof typeof formats
const isFormat = (name: string): name is Format => Object.hasOwn(formats, name)
/** The format to encode; undefined if such files cannot be converted. */
export const formatOf = (extension: string) => (isFormat(extension) ? formats[extension] : undefined)

export interface Processing {
  width: number | undefined
  height: number | undefined
  crop: string | undefined
  quality: number | undefined
  format: Format
}

const maxPixels = 10_000
const cropPositions = new Set([
  'top left',
  'top',
  'top right',
  'left',
  'right',
  'bottom left',
  'bottom',
  'bottom right',
])

/** Undefined if the blueprint requires no conversion, or the format cannot be converted. */
export function processingOf(
  create: Plain | undefined,
  extension: string,
  keepsFormat = false,
): Processing | undefined {
  if (typeof create !== 'object' || create === null || Array.isArray(create) || !isFormat(extension)) return undefined
  const settings = create as Record<string, unknown>
  const number = (name: string, max: number) => {
    const value = Number(settings[name] ?? Number.NaN)
    return value >= 1 && value <= max ? Math.round(value) : undefined
  }
  const requestedFormat = typeof settings['format'] === 'string' && !keepsFormat ? settings['format'].toLowerCase() : ''
  const crop = settings['crop']
  const processing: Processing = {
    width: number('width', maxPixels),
    height: number('height', maxPixels),
    crop: crop === undefined || crop === false || crop === null ? undefined : cropPositionOf(crop),
    quality: number('quality', 100),
    format: isFormat(requestedFormat) ? requestedFormat : extension,
  }
  const { width, height, quality, format } = processing
  return (width ?? height ?? quality ?? (format !== extension ? format : undefined)) ? processing : undefined
}

const cropPositionOf = (crop: unknown) => (typeof crop === 'string' && cropPositions.has(crop) ? crop : 'centre')

const limiters = new WeakMap<App, ConcurrencyLimiter>()

/** One at a time: each conversion uses a CPU core and much memory. */
function limiterOf(app: App): ConcurrencyLimiter {
  let limiter = limiters.get(app)
  if (!limiter) limiters.set(app, (limiter = createLimiter({ slots: 1, maxWaiting: 20, timeoutMs: 15_000 })))
  return limiter
}

/** Converts an image as the blueprint says. The result replaces the uploaded one. */
export async function transformImage(
  app: App,
  filename: string,
  received: Received,
  processing: Processing,
): Promise<Received> {
  try {
    return await inImageQueue(app, filename, received.path, () => make(app, received, processing))
  } finally {
    await received.discard()
  }
}

/** Runs a conversion when it is its turn; `client` has one waiting place. */
export async function inImageQueue<Value>(
  app: App,
  filename: string,
  client: string,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await limiterOf(app).run(client, work)
  } catch (error) {
    if (error instanceof ApiError) throw error
    if (error instanceof LimiterFull) throw fail('busy')
    if (/exceeds pixel limit/i.test((error as Error).message)) throw fail('file.image.tooLarge', { filename })
    app.log.debug({ err: error }, 'an image could not be changed')
    throw fail('file.image.invalid', { filename })
  }
}

async function make({ config, media }: App, { path }: Received, processing: Processing): Promise<Received> {
  const { width, height, crop, quality, format } = processing
  const sharp = await loadSharp()
  const image = sharp(path, {
    limitInputPixels: config.files.maxPixels,
    sequentialRead: true,
    failOn: 'error',
    animated: format === 'gif' || format === 'webp',
    autoOrient: true,
  })
  if (width !== undefined || height !== undefined)
    image.resize({
      width: width ?? (crop === undefined ? undefined : height),
      height: height ?? (crop === undefined ? undefined : width),
      fit: crop === undefined ? 'inside' : 'cover',
      position: crop ?? 'centre',
      withoutEnlargement: true,
    })
  const stream = image.toFormat(formats[format], quality === undefined || format === 'gif' ? {} : { quality })
  return media.receive(stream as AsyncIterable<Uint8Array>, config.files.maxSize)
}
