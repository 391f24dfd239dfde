/** Reads and writes tar: POSIX ustar, with pax headers for long names and large sizes. */
import { Refusal } from './refusal.ts'

const blockSize = 512
const maxInOctal = 8 ** 11 - 1
const maxNameLength = 100
const maxExtended = 64 * 1024

/** The header of a file. Its bytes follow, then `paddingOf` them. */
export function headerOf(name: string, size: number, modified: number): Buffer {
  const isPlain = Buffer.byteLength(name) <= maxNameLength && size <= maxInOctal
  if (isPlain) return plainHeader(name, size, modified, '0')
  const records = Buffer.from(record('path', name) + record('size', String(size)))
  return Buffer.concat([
    plainHeader('pax-header', records.length, modified, 'x'),
    records,
    paddingOf(records.length),
    plainHeader(shortened(name), size <= maxInOctal ? size : 0, modified, '0'),
  ])
}

export function paddingOf(size: number): Buffer {
  return Buffer.alloc((blockSize - (size % blockSize)) % blockSize)
}

export const endOfArchive = Buffer.alloc(2 * blockSize)

const shortened = (name: string) =>
  Buffer.from(name).subarray(0, maxNameLength).toString('latin1').replaceAll(/\W/g, '_')

function plainHeader(name: string, size: number, modified: number, type: '0' | 'x'): Buffer {
  const header = Buffer.alloc(blockSize)
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1')
  header.write(name, 0)
  octal(0o600, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(Math.max(0, Math.floor(modified / 1000)), 136, 12)
  header.write(type, 156)
  header.write('ustar\u000000', 257, 'latin1')
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

/** The checksum of the header, with spaces in its own place. */
function sumOf(header: Buffer): number {
  let sum = 8 * 32
  for (const [index, byte] of header.entries()) if (index < 148 || index >= 156) sum += byte
  return sum
}

/** `<length> <key>=<value>\n`, where the length includes itself. */
function record(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  let length = rest + String(rest).length
  if (String(length).length > String(rest).length) length++
  return `${length} ${key}=${value}\n`
}

export interface Entry {
  name: string
  size: number
  /** Must be consumed before the next entry. */
  bytes: AsyncIterable<Buffer>
}

/** Accepts regular files only; links, folders and devices are refused. Names are not validated here. */
export async function* entriesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  const input = readerOf(source)
  try {
    for (let extended: Extended = {}; ;) {
      const header = await input.exactly(blockSize)
      if (header.every(byte => byte === 0)) break
      const { type, ...plain } = parsed(header)
      if (type === 'x' || type === 'L') {
        extended = { ...extended, ...(await readExtended(input, type, plain.size)) }
        continue
      }
      const entry = { ...plain, ...extended }
      if (type !== '0' && type !== '\0')
        throw new Refusal(`The archive has something that is not a plain file: ${printableName(entry.name)}`)
      extended = {}
      const bytes = input.next(entry.size)
      yield { ...entry, bytes }
      if ((await bytes.next()).done !== true) throw new Error('an entry has not been read to its end')
      await input.exactly(paddingOf(entry.size).length)
    }
    await input.onlyZeros()
  } finally {
    await input.close()
  }
}

async function readExtended(input: Reader, type: 'x' | 'L', size: number): Promise<Extended> {
  if (size > maxExtended) throw new Refusal('The archive has a name that is too long.')
  const text = (await input.exactly(size)).toString()
  await input.exactly(paddingOf(size).length)
  return type === 'x' ? parsedRecords(text) : { name: text.replace(/\0.*$/s, '') }
}

/** Names are untrusted: control characters could be escape sequences of the terminal. */
export const printableName = (name: string) => name.replaceAll(/[\p{C}\u2028\u2029]/gu, '?').slice(0, 200)

interface Extended {
  name?: string
  size?: number
}

const damaged = () => new Refusal('This is not an archive of Quoin, or it is damaged.')

function parsed(header: Buffer): { name: string; size: number; type: string } {
  const text = (start: number, length: number) => header.toString('utf8', start, start + length).replace(/\0.*$/s, '')
  if (text(257, 5) !== 'ustar' || Number.parseInt(text(148, 8).trim(), 8) !== sumOf(header)) throw damaged()
  const prefix = text(345, 155)
  const name = text(0, maxNameLength)
  return {
    name: prefix && header[263] === 48 ? `${prefix}/${name}` : name,
    size: sizeIn(header),
    type: String.fromCharCode(header[156]!),
  }
}

/** In octal digits or, for large files, as a binary number of eleven bytes. */
function sizeIn(header: Buffer): number {
  if (header[124] === 0x80) {
    const size = Number(BigInt(`0x${header.toString('hex', 125, 136)}`))
    if (Number.isSafeInteger(size)) return size
    throw damaged()
  }
  const digits = header.toString('latin1', 124, 136).replaceAll(/[\0 ]/g, '')
  if (!/^[0-7]{1,12}$/.test(digits)) throw damaged()
  return Number.parseInt(digits, 8)
}

function parsedRecords(text: string): Extended {
  const extended: Extended = {}
  for (const [, key, value] of text.matchAll(/\d+ ([^=\n]+)=([^\n]*)\n/g)) {
    if (key === 'path') extended.name = value!
    if (key === 'size') {
      if (!/^\d{1,15}$/.test(value!)) throw damaged()
      extended.size = Number(value)
    }
  }
  return extended
}

type Reader = ReturnType<typeof readerOf>

function readerOf(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)

  async function more(): Promise<boolean> {
    const { done, value } = await chunks.next()
    if (done !== true) rest = value
    return done !== true
  }
  /** Yields exactly so many bytes, piece by piece, or throws. */
  async function* next(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0;) {
      if (rest.length === 0) {
        if (!(await more())) throw new Refusal('The archive ends too early: it has been cut off.')
        continue
      }
      const piece = rest.subarray(0, left)
      rest = rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }
  return {
    next,
    exactly: async (size: number) => Buffer.concat(await Array.fromAsync(next(size))),
    async onlyZeros(): Promise<void> {
      do if (rest.some(byte => byte !== 0)) throw new Refusal('Something follows the end of the archive.')
      while (await more())
    },
    close: () => chunks.return?.(),
  }
}
