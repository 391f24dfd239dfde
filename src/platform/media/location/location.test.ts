import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { engine } from '../../../../test/harness.ts'
import { locationPatches } from './location.ts'
import { applyPatches, memorySource } from './source.ts'

/** Degrees, minutes and seconds as EXIF has them: three fractions, each with its denominator. */
const latitude = [51, 1, 30, 1, 17, 1]
const longitude = [7, 1, 23, 1, 11, 1]
const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
 exif:GPSLatitude="51,30.5N" dc:format="kept"><exif:GPSLongitude>0,7.3W</exif:GPSLongitude></rdf:Description></rdf:RDF></x:xmpmeta>`

const formats = ['jpeg', 'png', 'webp', 'avif', 'tiff'] as const

const photo = (format: (typeof formats)[number]) =>
  sharp({ create: { width: 40, height: 30, channels: 3, background: '#c33' } })
    .withExif({
      IFD0: { Copyright: 'somebody' },
      IFD2: { DateTimeOriginal: '2020:01:01 10:10:10' },
      IFD3: { GPSLatitude: '51/1 30/1 17/1', GPSLatitudeRef: 'N', GPSLongitude: '7/1 23/1 11/1' },
    })
    .withMetadata({ orientation: 6 })
    .withXmp(xmp)
    .toFormat(format)
    .toBuffer()

async function removeLocation(bytes: Buffer): Promise<Buffer> {
  const copy = Buffer.from(bytes)
  applyPatches(await locationPatches(memorySource(bytes)), copy)
  return copy
}

/** Whether any coordinate is left: of EXIF, in both orders of bytes, or of XMP. */
const hasLocation = (bytes: Buffer) =>
  [latitude, longitude].some(coordinate =>
    (['writeUInt32LE', 'writeUInt32BE'] as const).some(write => {
      const encoded = Buffer.alloc(24)
      for (const [index, value] of coordinate.entries()) encoded[write](value, index * 4)
      return bytes.includes(encoded)
    }),
  ) || ['51,30.5N', '0,7.3W'].some(text => bytes.includes(text))

const pixels = (bytes: Buffer) => sharp(bytes).raw().toBuffer()

/**
 * An image of 2 × 1 pixels with a location, as TIFF or BigTIFF and in both orders of bytes. Its parts are at fixed
 * offsets: the directory at 32, the GPS directory at 600, its coordinates at 800, and the pixels at 990.
 */
function tiff(isBig: boolean, isLittleEndian: boolean): Buffer {
  const [entrySize, width] = isBig ? [20, 8] : [12, 4]
  const bytes = Buffer.alloc(1000)
  const put = (value: number, at: number, size: number) => {
    const number = Buffer.alloc(8)
    number.writeUIntLE(value, 0, 6)
    bytes.set(isLittleEndian ? number.subarray(0, size) : number.subarray(0, size).toReversed(), at)
  }
  bytes.write(isLittleEndian ? 'II' : 'MM', 'latin1')
  put(isBig ? 43 : 42, 2, 2)
  if (isBig) put(8, 4, 2)
  put(32, isBig ? 8 : 4, width)
  const directory = (at: number, entries: [tag: number, type: number, count: number, value: number][]) => {
    put(entries.length, at, isBig ? 8 : 2)
    for (const [index, [tag, type, count, value]] of entries.entries()) {
      const start = at + (isBig ? 8 : 2) + index * entrySize
      put(tag, start, 2)
      put(type, start + 2, 2)
      put(count, start + 4, width)
      put(value, start + 4 + width, type === 3 ? 2 : type === 4 ? 4 : width)
    }
  }
  // Types: 3 is a number of 2 bytes, 4 one of 4 bytes, 5 a fraction, and 18 the offset of a directory in a BigTIFF.
  directory(32, [
    [256, 3, 1, 2], // width
    [257, 3, 1, 1], // height
    [258, 3, 1, 8], // bits per sample
    [259, 3, 1, 1], // no compression
    [262, 3, 1, 1], // 0 is black
    [273, 4, 1, 990], // offset of the pixels
    [277, 3, 1, 1], // samples per pixel
    [278, 3, 1, 1], // rows per strip
    [279, 4, 1, 2], // bytes of the pixels
    [0x8825, isBig ? 18 : 4, 1, 600], // GPS directory
    [0x8827, 3, 1, 100], // ISO speed: an entry after the GPS directory, which must move up
  ])
  directory(600, [
    [2, 5, 3, 800], // latitude
    [4, 5, 3, 824], // longitude
  ])
  for (const [index, value] of [...latitude, ...longitude].entries()) put(value, 800 + index * 4, 4)
  bytes.set([7, 200], 990)
  return bytes
}

// The store is not used: one engine is enough.
describe.runIf(engine === 'sqlite')('the location is removed from', () => {
  test.each(formats)('%s, and nothing else changes', async format => {
    const before = await photo(format)
    const after = await removeLocation(before)
    expect(after).toHaveLength(before.length)
    expect([hasLocation(before), hasLocation(after)]).toEqual([true, false])
    const [had, has] = [await sharp(before).metadata(), await sharp(after).metadata()]
    expect(await pixels(after)).toEqual(await pixels(before))
    const changed = { exif: undefined, xmp: undefined, xmpAsString: undefined }
    expect({ ...has, ...changed }).toEqual({ ...had, ...changed })
    // sharp writes no EXIF into a TIFF: only its XMP has the location.
    if (format !== 'tiff') {
      expect(had.exif!.includes(Buffer.from('somebody'))).toBe(true)
      for (const preserved of ['somebody', '2020:01:01']) expect(has.exif!.includes(preserved)).toBe(true)
    }
    // sharp compresses the XMP of a PNG: all of it is removed, because it cannot be patched in place.
    if (format !== 'png') expect(has.xmp?.toString()).toContain('dc:format="kept"')
    expect(await locationPatches(memorySource(after)), 'nothing is left to remove').toEqual([])
  })

  test.each([
    [false, true], [false, false], [true, true], [true, false],
  ])('a TIFF (big: %s, little endian: %s)', async (isBig, isLittleEndian) => {
    const before = tiff(isBig, isLittleEndian)
    const after = await removeLocation(before)
    expect([hasLocation(before), hasLocation(after)]).toEqual([true, false])
    expect(await pixels(after)).toEqual(await pixels(before))
    expect([...(await pixels(after))].slice(0, 1)).toEqual([7])
    expect(await locationPatches(memorySource(after))).toEqual([])
  }) // prettier-ignore

  test('the second image in a JPEG', async () => {
    const one = await photo('jpeg')
    const after = await removeLocation(Buffer.concat([one, one]))
    expect(hasLocation(after)).toBe(false)
    expect(await pixels(after)).toEqual(await pixels(one))
  })
})

test.runIf(engine === 'sqlite').each(formats)('%s without a location stays unchanged', async format => {
  const plain = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#33c' } })
    .toFormat(format)
    .toBuffer()
  expect(await locationPatches(memorySource(plain))).toEqual([])
})

test.runIf(engine === 'sqlite').each(formats)('a broken %s causes no error', async format => {
  const whole = await photo(format)
  for (let step = 0; step < 60; step++) {
    const cut = whole.subarray(0, Math.floor((whole.length * step) / 60))
    expect(await removeLocation(cut)).toHaveLength(cut.length)
    const damaged = Buffer.from(whole)
    // Numbers that lead nowhere, at places that differ from step to step.
    for (let at = step; at < damaged.length; at += 61) damaged[at] = (at * 7 + step) % 256
    expect(await removeLocation(damaged)).toHaveLength(damaged.length)
  }
})
