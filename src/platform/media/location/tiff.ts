import type { ByteSource, Patch } from './source.ts'
import { xmpPatches } from './xmp.ts'

const gpsPointer = 0x8825
const xmp = 700
/** Tags that point to further directories: EXIF, and smaller versions of the image. */
const directories = new Set([0x8769, 0x014a])
/** Bytes of one value, by type. */
const typeSizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]

const maxDirectories = 5000
const maxEntries = 4096
/** The longest value of a location, in bytes. A longer one may be the image itself, and is left alone. */
const maxValue = 1024

/** The sizes of numbers in directories, in bytes: they differ between TIFF and BigTIFF. */
interface Form {
  isLittleEndian: boolean
  countSize: 2 | 8
  entrySize: 12 | 20
  offsetSize: 4 | 8
}

interface IfdEntry {
  tag: number
  /** The size of the value in bytes; it is at `offset` if it does not fit into the entry. */
  length: number
  inline: Buffer
  offset: number
}

interface Directory {
  at: number
  table: Buffer
  entries: IfdEntry[]
  next: number
}

interface Range {
  start: number
  end: number
}

/**
 * The patches that remove the location from a TIFF, or from the EXIF of other images, which has the same format. All
 * other bytes stay in place.
 */
export async function tiffPatches(source: ByteSource): Promise<Patch[]> {
  const head = await source.read(0, 16)
  const form = formOf(head)
  if (!form) return []
  const gpsDirectories: Directory[] = []
  const withLocation: Directory[] = []
  const used: Range[] = []
  const patches: Patch[] = []
  const waiting = [number(form, head, form.offsetSize === 4 ? 4 : 8, form.offsetSize)]
  const visited = new Set<number>()
  for (let at = waiting.pop(); at !== undefined && visited.size < maxDirectories; at = waiting.pop()) {
    if (at === 0 || visited.has(at)) continue
    visited.add(at)
    const directory = await readDirectory(source, form, at)
    if (!directory) continue
    used.push({ start: at, end: at + directory.table.length })
    if (directory.next !== 0) waiting.push(directory.next)
    for (const { tag, length, inline, offset } of directory.entries) {
      if (tag === gpsPointer) {
        const found = await readDirectory(source, form, offset)
        if (found) gpsDirectories.push(found)
        continue
      }
      if (length > form.offsetSize) used.push({ start: offset, end: offset + length })
      if (directories.has(tag)) waiting.push(...(await offsetsIn(source, form, { length, inline, offset })))
      if (tag === xmp && length > form.offsetSize) patches.push(...(await xmpPatches(source, offset, length)))
    }
    if (directory.entries.some(({ tag }) => tag === gpsPointer)) withLocation.push(directory)
  }
  for (const directory of withLocation) patches.push(withoutPointer(form, directory))
  for (const directory of gpsDirectories) patches.push(...blanked(form, directory, used, source.size))
  return patches
}

function formOf(head: Buffer): Form | undefined {
  const order = head.toString('latin1', 0, 2)
  if ((order !== 'II' && order !== 'MM') || head.length < 8) return undefined
  const isLittleEndian = order === 'II'
  const version = isLittleEndian ? head.readUInt16LE(2) : head.readUInt16BE(2)
  if (version === 42) return { isLittleEndian, countSize: 2, entrySize: 12, offsetSize: 4 }
  return version === 43 && head.length === 16
    ? { isLittleEndian, countSize: 8, entrySize: 20, offsetSize: 8 }
    : undefined
}

function number({ isLittleEndian }: Form, bytes: Buffer, at: number, size: 2 | 4 | 8): number {
  if (size === 2) return isLittleEndian ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at)
  if (size === 4) return isLittleEndian ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)
  return Number(isLittleEndian ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at))
}

async function readDirectory(source: ByteSource, form: Form, at: number): Promise<Directory | undefined> {
  const { countSize, entrySize, offsetSize } = form
  if (at < 8 || at + countSize > source.size) return undefined
  const count = number(form, await source.read(at, countSize), 0, countSize)
  const size = countSize + count * entrySize + offsetSize
  if (count > maxEntries || at + size > source.size) return undefined
  const table = Buffer.from(await source.read(at, size))
  const entries = Array.from({ length: count }, (_, index): IfdEntry => {
    const start = countSize + index * entrySize
    const values = number(form, table, start + 4, offsetSize)
    const value = start + entrySize - offsetSize
    return {
      tag: number(form, table, start, 2),
      length: values * (typeSizes[number(form, table, start + 2, 2)] ?? 0),
      inline: table.subarray(value, value + offsetSize),
      offset: number(form, table, value, offsetSize),
    }
  })
  return { at, table, entries, next: number(form, table, size - offsetSize, offsetSize) }
}

/** The offsets of one directory, or of a short list of them. */
async function offsetsIn(source: ByteSource, form: Form, value: Pick<IfdEntry, 'length' | 'inline' | 'offset'>) {
  const { offsetSize } = form
  if (value.length <= offsetSize) return [value.offset]
  const bytes = await source.read(value.offset, Math.min(value.length, maxValue))
  return Array.from({ length: Math.floor(bytes.length / offsetSize) }, (_, index) =>
    number(form, bytes, index * offsetSize, offsetSize),
  )
}

/** Removes the GPS pointer: the entries after it move up, their values stay where they are. */
function withoutPointer(form: Form, { at, table, entries }: Directory): Patch {
  const { countSize, entrySize, offsetSize, isLittleEndian } = form
  const remaining = entries.flatMap(({ tag }, index) =>
    tag === gpsPointer ? [] : [table.subarray(countSize + index * entrySize, countSize + (index + 1) * entrySize)],
  )
  const bytes = Buffer.alloc(table.length)
  // The high bytes of a longer number are zero in any case.
  if (isLittleEndian) bytes.writeUInt16LE(remaining.length, 0)
  else bytes.writeUInt16BE(remaining.length, countSize - 2)
  Buffer.concat([...remaining, table.subarray(table.length - offsetSize)]).copy(bytes, countSize)
  return { at, bytes }
}

/** Zeroes the location itself, unless another entry uses the same bytes. */
function blanked(
  { offsetSize }: Form,
  { at, table, entries }: Directory,
  used: readonly Range[],
  size: number,
): Patch[] {
  const values = entries.filter(({ length }) => length > offsetSize && length <= maxValue)
  const ranges = [
    { start: at, end: at + table.length },
    ...values.map(({ offset, length }) => ({ start: offset, end: offset + length })),
  ]
  return ranges
    .filter(({ start, end }) => start >= 8 && end <= size && !used.some(one => start < one.end && one.start < end))
    .map(({ start, end }) => ({ at: start, bytes: Buffer.alloc(end - start) }))
}
