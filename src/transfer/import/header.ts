import { crc32 } from 'node:zlib'

/** What the header of an image says about it. */
export interface Header {
  mime: string
  /** After the image is rotated for display. */
  width: number
  height: number
}

const extensions = new Set(['jpe', 'jpeg', 'jpg', 'png', 'webp'])
export const hasHeader = (extension: string) => extensions.has(extension)

/**
 * Supports only plain images of the usual formats. Undefined for anything unusual, animated, or with an orientation
 * that is not understood here: then the image library reads it, which takes a hundred times as long.
 */
export function readHeader(bytes: Buffer): Header | undefined {
  try {
    return readPng(bytes) ?? readJpeg(bytes) ?? readWebp(bytes)
  } catch (error) {
    if (error instanceof RangeError) return undefined // truncated file
    throw error
  }
}

const sized = (mime: string, width: number, height: number) =>
  width > 0 && height > 0 ? { mime, width, height } : undefined

// ---- PNG

const pngStart = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
/** The valid bit depths of each PNG colour type. */
const depths: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16],
} // prettier-ignore

function readPng(bytes: Buffer): Header | undefined {
  if (!bytes.subarray(0, pngStart.length).equals(pngStart)) return undefined
  const [depth, colours, compression, filter, interlace] = bytes.subarray(24, 29)
  const isValid = depths[colours!]?.includes(depth!) && compression === 0 && filter === 0 && interlace! <= 1
  if (!isValid || crc32(bytes.subarray(12, 29)) !== bytes.readUInt32BE(29)) return undefined
  for (let at = 33; ; at += bytes.readUInt32BE(at) + 12) {
    const chunk = bytes.toString('latin1', at + 4, at + 8)
    if (chunk === 'IDAT') return sized('image/png', bytes.readUInt32BE(16), bytes.readUInt32BE(20))
    // Animated, with an orientation, or damaged.
    if (chunk === 'acTL' || chunk === 'eXIf' || !/^[A-Za-z]{4}$/.test(chunk)) return undefined
  }
}

// ---- JPEG

function readJpeg(bytes: Buffer): Header | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined
  let isRotated = false
  for (let at = 2; bytes.readUInt8(at) === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const kind = bytes.readUInt8(at + 1)
    if (kind === 0xe1) {
      const orientation = orientationIn(bytes.subarray(at + 4, at + 2 + bytes.readUInt16BE(at + 2)))
      if (orientation === undefined) return undefined
      isRotated = orientation >= 5
    } else if (kind === 0xc0 || kind === 0xc1 || kind === 0xc2) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)]
      return isRotated ? sized('image/jpeg', height, width) : sized('image/jpeg', width, height)
    } else if (kind !== 0xc4 && (kind < 0xdb || kind === 0xff)) return undefined // another format, or damaged
  }
  return undefined
}

const exif = Buffer.from('Exif\0\0', 'latin1')

/** The Exif orientation, 1 to 8; 1 also for a segment without one. Undefined if it cannot be read. */
function orientationIn(segment: Buffer): number | undefined {
  if (!segment.subarray(0, exif.length).equals(exif)) return 1
  const data = segment.subarray(exif.length)
  const order = data.toString('latin1', 0, 2)
  if (order !== 'II' && order !== 'MM') return undefined
  const short = (at: number) => (order === 'II' ? data.readUInt16LE(at) : data.readUInt16BE(at))
  const start = order === 'II' ? data.readUInt32LE(4) : data.readUInt32BE(4)
  for (let entry = 0; entry < short(start); entry++) {
    const at = start + 2 + entry * 12
    if (short(at) !== 0x0112) continue
    const value = short(at + 8)
    return short(at + 2) === 3 && value >= 1 && value <= 8 ? value : undefined
  }
  return 1
}

// ---- WebP

/** Simple WebP files only: animated or extended ones have another header. */
function readWebp(bytes: Buffer): Header | undefined {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') return undefined
  const kind = bytes.toString('latin1', 12, 16)
  if (kind === 'VP8 ' && bytes.readUIntBE(23, 3) === 0x9d012a)
    return sized('image/webp', bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff)
  if (kind !== 'VP8L' || bytes.readUInt8(20) !== 0x2f) return undefined
  const bits = bytes.readUInt32LE(21)
  return sized('image/webp', (bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
}
