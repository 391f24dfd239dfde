import { crc32, inflateSync } from 'node:zlib'
import { itemsOf } from './items.ts'
import { applyPatches, type ByteSource, memorySource, shiftPatches, type Patch, partOfSource } from './source.ts'
import { tiffPatches } from './tiff.ts'
import { xmpPatches } from './xmp.ts'

/**
 * The patches that remove the location from an image: the GPS directory of EXIF and the GPS properties of XMP. All
 * other bytes, above all the pixels, stay unchanged and in place. Empty for a file without a location.
 */
export async function locationPatches(source: ByteSource): Promise<Patch[]> {
  try {
    return await patchesOf(source)
  } catch (error) {
    if (error instanceof RangeError) return [] // truncated or broken: no location can be read from it
    throw error
  }
}

async function patchesOf(source: ByteSource): Promise<Patch[]> {
  const head = (await source.read(0, 16)).toString('latin1')
  if (head.startsWith('\xff\xd8\xff')) return jpegPatches(source)
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return pngPatches(source)
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return webpPatches(source)
  if (head.startsWith('ftyp', 4)) return itemPatches(source)
  return tiffPatches(source)
}

/** EXIF is a TIFF, with or without `exifPrefix`. */
async function exifPatches(source: ByteSource, start: number, length: number): Promise<Patch[]> {
  const head = (await source.read(start, 6)).toString('latin1')
  const skipped = head === exifPrefix ? exifPrefix.length : 0
  return shiftPatches(await tiffPatches(partOfSource(source, start + skipped, length - skipped)), start + skipped)
}

const exifPrefix = 'Exif\0\0'

// ---- JPEG

const xmpPrefix = 'http://ns.adobe.com/xap/1.0/\0'
const extendedXmpPrefix = 'http://ns.adobe.com/xmp/extension/\0'
/** After `http://ns.adobe.com/xmp/extension/` follow a hash, the total length and the offset of this part: 40 bytes. */
const extendedHeader = extendedXmpPrefix.length + 40
/** How much of the file is scanned at a time. */
const scanBytes = 256 * 1024
const maxSegments = 100

/**
 * Segments with EXIF or XMP, anywhere in the file: some cameras append further images to the first. Their marker
 * cannot occur in compressed pixels.
 */
async function jpegPatches(source: ByteSource): Promise<Patch[]> {
  const patches: Patch[] = []
  let count = 0
  for (let at = 0; at < source.size; at += scanBytes) {
    const chunk = await source.read(at, scanBytes + extendedHeader)
    for (let found = chunk.indexOf(app1); found >= 0 && found < scanBytes; found = chunk.indexOf(app1, found + 2)) {
      if (chunk[found + 4] !== firstLetters.E && chunk[found + 4] !== firstLetters.h) continue
      const start = at + found + 4
      const length = found + 4 <= chunk.length ? chunk.readUInt16BE(found + 2) - 2 : 0
      const prefix = chunk.toString('latin1', found + 4, found + 4 + extendedXmpPrefix.length)
      const isExif = prefix.startsWith(exifPrefix)
      const header = prefix.startsWith(xmpPrefix) ? xmpPrefix.length : prefix === extendedXmpPrefix ? extendedHeader : 0
      if ((!isExif && header === 0) || ++count > maxSegments) continue
      patches.push(
        ...(isExif
          ? await exifPatches(source, start, length)
          : await xmpPatches(source, start + header, length - header)),
      )
    }
  }
  return patches
}

const app1 = Buffer.from([0xff, 0xe1])
/** First letters of the segment prefixes: faster to compare than the whole prefixes. */
const firstLetters = { E: 0x45, h: 0x68 }

// ---- WebP

async function webpPatches(source: ByteSource): Promise<Patch[]> {
  const patches: Patch[] = []
  for (let at = 12; at + 8 <= source.size;) {
    const head = await source.read(at, 8)
    const kind = head.toString('latin1', 0, 4)
    const length = head.readUInt32LE(4)
    if (kind === 'EXIF') patches.push(...(await exifPatches(source, at + 8, length)))
    if (kind === 'XMP ') patches.push(...(await xmpPatches(source, at + 8, length)))
    at += 8 + length + (length % 2)
  }
  return patches
}

// ---- AVIF and HEIC

async function itemPatches(source: ByteSource): Promise<Patch[]> {
  const patches: Patch[] = []
  for (const { kind, start, length } of await itemsOf(source)) {
    if (kind === 'xmp') patches.push(...(await xmpPatches(source, start, length)))
    else {
      // The item begins with the offset of the TIFF, in 4 bytes.
      const head = await source.read(start, 4)
      const skipped = head.length === 4 ? 4 + head.readUInt32BE(0) : length
      if (skipped < length) patches.push(...(await exifPatches(source, start + skipped, length - skipped)))
    }
  }
  return patches
}

// ---- PNG

/** Limit for text and EXIF chunks, in bytes; larger ones are ignored. */
const maxChunkBytes = 4 * 1024 * 1024
const maxTexts = 100

async function pngPatches(source: ByteSource): Promise<Patch[]> {
  const patches: Patch[] = []
  let texts = 0
  for (let at = 8; at + 12 <= source.size;) {
    const head = await source.read(at, 8)
    const length = head.readUInt32BE(0)
    const kind = head.toString('latin1', 4, 8)
    const isText = kind === 'iTXt' || kind === 'zTXt' || kind === 'tEXt'
    if ((kind === 'eXIf' || (isText && ++texts <= maxTexts)) && length <= maxChunkBytes) {
      const chunk = Buffer.from(await source.read(at + 4, length + 4))
      if (chunk.length === length + 4 && (await changeChunk(kind, chunk)))
        patches.push({ at: at + 4, bytes: withChecksum(chunk) })
    }
    at += 12 + length
  }
  return patches
}

/** The chunk with its checksum. */
function withChecksum(chunk: Buffer): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(chunk))
  return Buffer.concat([chunk, sum])
}

/** Changes type and data in place; true if anything changed. */
async function changeChunk(kind: string, chunk: Buffer): Promise<boolean> {
  const text = kind === 'eXIf' ? undefined : readText(kind, chunk)
  if (kind !== 'eXIf' && !text) return false
  if (text && text.start === undefined) {
    if ((await profilePatches(text.bytes)).length === 0) return false
    // Compressed text cannot be patched in place: the chunk gets an unknown type and is zeroed.
    chunk.fill(0)
    chunk.write('quPd', 'latin1')
    return true
  }
  const source = memorySource(chunk)
  const start = text?.start ?? 4
  const find = text ? xmpPatches : exifPatches
  const patches = await find(source, start, chunk.length - start)
  applyPatches(patches, chunk)
  return patches.length > 0
}

const maxInflatedBytes = 4 * 1024 * 1024

/** Plain or compressed XMP, or a raw profile as older programs write it; `start` is where plain XMP begins. */
function readText(kind: string, chunk: Buffer): { bytes: Buffer; start?: number } | undefined {
  const nameEnd = chunk.indexOf(0, 4)
  if (nameEnd < 0) return undefined
  const name = chunk.toString('latin1', 4, nameEnd)
  if (name === 'XML:com.adobe.xmp' && kind === 'iTXt') {
    // Compression flag and method, then a language and a translated keyword, which each end with a zero byte.
    const textStart = chunk.indexOf(0, chunk.indexOf(0, nameEnd + 3) + 1) + 1
    if (textStart === 0) return undefined
    return chunk[nameEnd + 1] === 0 ? { bytes: chunk, start: textStart } : inflated(chunk.subarray(textStart))
  }
  if (!/^(?:Raw profile type (?:exif|app1|xmp)|XML:com\.adobe\.xmp)$/i.test(name)) return undefined
  return kind === 'zTXt' ? inflated(chunk.subarray(nameEnd + 2)) : { bytes: chunk.subarray(nameEnd + 1) }
}

function inflated(bytes: Buffer): { bytes: Buffer } | undefined {
  try {
    return { bytes: inflateSync(bytes, { maxOutputLength: maxInflatedBytes }) }
  } catch {
    return undefined
  }
}

/** Plain XMP, or EXIF or XMP in hexadecimal digits after a name and a length. */
async function profilePatches(bytes: Buffer): Promise<Patch[]> {
  const text = bytes.toString('latin1')
  if (text.includes('<')) return xmpPatches(memorySource(bytes), 0, bytes.length)
  const digits = /^\s*\w+\s+\d+\s+([\s0-9a-f]*)$/i.exec(text)?.[1] ?? ''
  const profile = Buffer.from(digits.replaceAll(/\s/g, ''), 'hex')
  if (profile.includes('<')) return xmpPatches(memorySource(profile), 0, profile.length)
  return exifPatches(memorySource(profile), 0, profile.length)
}
