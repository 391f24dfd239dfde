import type { ByteSource } from './source.ts'

/** A box of an ISO base media file, such as AVIF and HEIC. */
export interface Box {
  kind: string
  /** Start of its content, after the header. */
  start: number
  end: number
}

const maxMeta = 4 * 1024 * 1024
const maxBoxes = 10_000

/** The content of the `meta` box, and where it begins in the file. */
export async function readMeta(source: ByteSource): Promise<{ bytes: Buffer; start: number } | undefined> {
  const meta = await findMeta(source)
  if (!meta || meta.end - meta.start > maxMeta) return undefined
  return { bytes: Buffer.from(await source.read(meta.start, meta.end - meta.start)), start: meta.start }
}

async function findMeta(source: ByteSource): Promise<Box | undefined> {
  for (let [at, count] = [0, 0]; at + 8 <= source.size && count < maxBoxes; count++) {
    const head = await source.read(at, 16)
    const box = readBox(head, 0, source.size - at)
    if (!box) return undefined
    if (box.kind === 'meta') return { kind: box.kind, start: at + box.start, end: at + box.end }
    at += box.end
  }
  return undefined
}

/** Start and end are relative to the beginning of `bytes`. */
function readBox(bytes: Buffer, at: number, rest: number): Box | undefined {
  if (at + 8 > bytes.length) return undefined
  const declared = bytes.readUInt32BE(at)
  const isLong = declared === 1 && at + 16 <= bytes.length
  const size = declared === 0 ? rest : isLong ? Number(bytes.readBigUInt64BE(at + 8)) : declared
  const header = isLong ? 16 : 8
  if (size < header || size > rest) return undefined
  return { kind: bytes.toString('latin1', at + 4, at + 8), start: at + header, end: at + size }
}

export function* boxesIn(bytes: Buffer, start: number, end: number): Generator<Box> {
  let count = 0
  for (let at = start; at < end && count < maxBoxes; count++) {
    const box = readBox(bytes, at, end - at)
    if (!box) return
    yield box
    at = box.end
  }
}
