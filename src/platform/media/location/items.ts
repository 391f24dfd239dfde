import { type Box, boxesIn, readMeta } from './boxes.ts'
import type { ByteSource } from './source.ts'

/** A metadata item of an AVIF or HEIC file. */
export interface Item {
  kind: 'exif' | 'xmp'
  start: number
  length: number
}

const maxItems = 10_000

/** EXIF and XMP items that are stored in one extent. */
export async function itemsOf(source: ByteSource): Promise<Item[]> {
  const meta = await readMeta(source)
  if (!meta) return []
  const { bytes } = meta
  try {
    const boxes = [...boxesIn(bytes, 4, bytes.length)]
    const [iinf, iloc, idat] = ['iinf', 'iloc', 'idat'].map(kind => boxes.find(box => box.kind === kind))
    if (!iinf || !iloc) return []
    const kinds = kindsIn(bytes, iinf)
    return [...placesIn(bytes, iloc, idat ? meta.start + idat.start : 0)].flatMap(({ id, start, length }) => {
      const kind = kinds.get(id)
      return kind ? [{ kind, start, length }] : []
    })
  } catch (error) {
    if (error instanceof RangeError) return [] // the file is truncated
    throw error
  }
}

/** The ids of the items that are EXIF or XMP. */
function kindsIn(bytes: Buffer, { start, end }: Box): Map<number, Item['kind']> {
  const kinds = new Map<number, Item['kind']>()
  const isShort = bytes.readUInt8(start) === 0
  for (const entry of boxesIn(bytes, start + (isShort ? 6 : 8), end)) {
    const version = bytes.readUInt8(entry.start)
    if (entry.kind !== 'infe' || version < 2) continue
    const idSize = version === 2 ? 2 : 4
    const id = bytes.readUIntBE(entry.start + 4, idSize)
    const typeAt = entry.start + 4 + idSize + 2
    const type = bytes.toString('latin1', typeAt, typeAt + 4)
    if (type === 'Exif') kinds.set(id, 'exif')
    if (type === 'mime' && bytes.subarray(typeAt, entry.end).includes('application/rdf+xml')) kinds.set(id, 'xmp')
  }
  return kinds
}

/**
 * Where items are stored; those with several extents are left out. `idat` is the start of data within the `meta` box.
 */
function* placesIn(
  bytes: Buffer,
  { start }: Box,
  idat: number,
): Generator<{ id: number; start: number; length: number }> {
  const version = bytes.readUInt8(start)
  const sizes = bytes.readUInt16BE(start + 4)
  const [offsetSize, lengthSize, baseSize] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15]
  const indexSize = version === 0 ? 0 : sizes & 15
  const idSize = version < 2 ? 2 : 4
  let at = start + 6
  const take = (size: number): number => {
    const value = size === 0 ? 0 : size === 8 ? Number(bytes.readBigUInt64BE(at)) : bytes.readUIntBE(at, size)
    at += size
    return value
  }
  const count = Math.min(take(idSize), maxItems)
  for (let index = 0; index < count; index++) {
    const id = take(idSize)
    const method = version === 0 ? 0 : take(2) & 15
    take(2) // data reference index: this file
    const base = take(baseSize)
    const extents = take(2)
    for (let extent = 0; extent < extents; extent++) {
      take(indexSize)
      const place = { id, start: base + take(offsetSize), length: take(lengthSize) }
      if (extents !== 1 || method > 1) continue
      yield { ...place, start: place.start + (method === 1 ? idat : 0) }
    }
  }
}
