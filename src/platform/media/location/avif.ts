import { open } from 'node:fs/promises'
import { type Box, boxesIn, readMeta } from './boxes.ts'
import { fileSource } from './source.ts'

/**
 * The displayed size of the main image, for files whose first brand the image library does not know (`avis`,
 * `MA1B`). Undefined if the file does not contain it.
 */
export async function avifSize(path: string): Promise<{ width: number; height: number } | undefined> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const meta = await readMeta(fileSource(file, size))
    return meta && sizeIn(meta.bytes)
  } catch (error) {
    if (error instanceof RangeError) return undefined // the file is truncated
    throw error
  } finally {
    await file.close()
  }
}

function sizeIn(bytes: Buffer): { width: number; height: number } | undefined {
  const childBox = (box: Pick<Box, 'start' | 'end'> | undefined, kind: string) =>
    box && boxesIn(bytes, box.start, box.end).find(one => one.kind === kind)
  const meta = { start: 4, end: bytes.length }
  const [primaryItem, itemProperties] = [childBox(meta, 'pitm'), childBox(meta, 'iprp')]
  const [container, associations] = [childBox(itemProperties, 'ipco'), childBox(itemProperties, 'ipma')]
  if (!primaryItem || !container || !associations) return undefined
  const id = bytes.readUIntBE(primaryItem.start + 4, bytes.readUInt8(primaryItem.start) === 0 ? 2 : 4)
  const properties = [...boxesIn(bytes, container.start, container.end)]
  const propertiesOfItem = propertyIndexes(bytes, associations, id).flatMap(index => properties[index - 1] ?? [])
  const size = propertiesOfItem.find(({ kind }) => kind === 'ispe')
  if (!size) return undefined
  const [width, height] = [bytes.readUInt32BE(size.start + 4), bytes.readUInt32BE(size.start + 8)]
  const rotation = propertiesOfItem.find(({ kind }) => kind === 'irot')
  const isRotated = rotation !== undefined && bytes.readUInt8(rotation.start) % 2 === 1
  return isRotated ? { width: height, height: width } : { width, height }
}

/** The 1-based indexes of the properties of an item. */
function propertyIndexes(bytes: Buffer, { start }: Box, itemId: number): number[] {
  const idSize = bytes.readUInt8(start) === 0 ? 2 : 4
  const isLong = (bytes.readUInt8(start + 3) & 1) === 1
  let offset = start + 8
  for (let entriesLeft = bytes.readUInt32BE(start + 4); entriesLeft > 0; entriesLeft--) {
    const id = bytes.readUIntBE(offset, idSize)
    const count = bytes.readUInt8(offset + idSize)
    offset += idSize + 1
    const indexSize = isLong ? 2 : 1
    if (id === itemId)
      return Array.from({ length: count }, (_, index) =>
        isLong ? bytes.readUInt16BE(offset + index * 2) & 0x7fff : bytes.readUInt8(offset + index) & 0x7f,
      )
    offset += count * indexSize
  }
  return []
}
