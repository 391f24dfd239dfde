import { open } from 'node:fs/promises'
import { type Box, boxesIn, readMeta } from './boxes.ts'
import { fileSource } from './source.ts'

/**
 * The displayed size of the main picture, for files whose first brand the picture library does not know (`avis`,
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
  const within = (box: Pick<Box, 'start' | 'end'> | undefined, kind: string) =>
    box && boxesIn(bytes, box.start, box.end).find(one => one.kind === kind)
  const meta = { start: 4, end: bytes.length }
  const [main, group] = [within(meta, 'pitm'), within(meta, 'iprp')]
  const [list, links] = [within(group, 'ipco'), within(group, 'ipma')]
  if (!main || !list || !links) return undefined
  const id = bytes.readUIntBE(main.start + 4, bytes.readUInt8(main.start) === 0 ? 2 : 4)
  const properties = [...boxesIn(bytes, list.start, list.end)]
  const own = propertiesOf(bytes, links, id).flatMap(index => properties[index - 1] ?? [])
  const size = own.find(({ kind }) => kind === 'ispe')
  if (!size) return undefined
  const [width, height] = [bytes.readUInt32BE(size.start + 4), bytes.readUInt32BE(size.start + 8)]
  const turn = own.find(({ kind }) => kind === 'irot')
  const isRotated = turn !== undefined && bytes.readUInt8(turn.start) % 2 === 1
  return isRotated ? { width: height, height: width } : { width, height }
}

/** The 1-based indexes of the properties of an item. */
function propertiesOf(bytes: Buffer, { start }: Box, itemId: number): number[] {
  const idSize = bytes.readUInt8(start) === 0 ? 2 : 4
  const isLong = (bytes.readUInt8(start + 3) & 1) === 1
  let at = start + 8
  for (let left = bytes.readUInt32BE(start + 4); left > 0; left--) {
    const id = bytes.readUIntBE(at, idSize)
    const count = bytes.readUInt8(at + idSize)
    at += idSize + 1
    const step = isLong ? 2 : 1
    if (id === itemId)
      return Array.from({ length: count }, (_, index) =>
        isLong ? bytes.readUInt16BE(at + index * 2) & 0x7fff : bytes.readUInt8(at + index) & 0x7f,
      )
    at += count * step
  }
  return []
}
