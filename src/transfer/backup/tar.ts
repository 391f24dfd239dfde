/** Reads and writes tar: POSIX ustar, with pax headers for long names and large sizes. */
import { BackupRefusal } from './refusal.ts'

const blockSize = 512 // bytes
const maxOctalSize = 8 ** 11 - 1 // bytes: the size field has eleven octal digits
const maxNameBytes = 100
const maxPaxBytes = 64 * 1024

/** Offset and length in bytes of the fields of a ustar header. */
const ustar = {
  name: [0, 100],
  mode: [100, 8],
  userId: [108, 8],
  groupId: [116, 8],
  size: [124, 12],
  modified: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 5],
  version: [263, 2],
  prefix: [345, 155],
} as const

/** The header of a file. Its bytes follow, then `paddingOf` them. */
export function headerOf(name: string, size: number, modified: number): Buffer {
  const isPlain = Buffer.byteLength(name) <= maxNameBytes && size <= maxOctalSize
  if (isPlain) return plainHeader(name, size, modified, '0')
  const records = Buffer.from(record('path', name) + record('size', String(size)))
  return Buffer.concat([
    plainHeader('pax-header', records.length, modified, 'x'),
    records,
    paddingOf(records.length),
    plainHeader(shortened(name), size <= maxOctalSize ? size : 0, modified, '0'),
  ])
}

export function paddingOf(size: number): Buffer {
  return Buffer.alloc((blockSize - (size % blockSize)) % blockSize)
}

export const endOfArchive = Buffer.alloc(2 * blockSize)

const shortened = (name: string) =>
  Buffer.from(name).subarray(0, maxNameBytes).toString('latin1').replaceAll(/\W/g, '_')

function plainHeader(name: string, size: number, modified: number, type: '0' | 'x'): Buffer {
  const header = Buffer.alloc(blockSize)
  const octal = (value: number, [start, length]: readonly [number, number]) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, start, 'latin1')
  header.write(name, ustar.name[0])
  octal(0o600, ustar.mode)
  octal(0, ustar.userId)
  octal(0, ustar.groupId)
  octal(size, ustar.size)
  octal(Math.max(0, Math.floor(modified / 1000)), ustar.modified)
  header.write(type, ustar.type[0])
  header.write('ustar\0', ustar.magic[0], 'latin1')
  header.write('00', ustar.version[0], 'latin1')
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, ustar.checksum[0], 'latin1')
  return header
}

/** The sum of all bytes. The checksum field itself counts as eight spaces. */
function checksumOf(header: Buffer): number {
  const [start, length] = ustar.checksum
  let sum = length * 32
  for (const [index, byte] of header.entries()) if (index < start || index >= start + length) sum += byte
  return sum
}

/** `<length> <key>=<value>\n`, where the length includes itself. */
function record(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  let length = rest + String(rest).length
  if (String(length).length > String(rest).length) length++
  return `${length} ${key}=${value}\n`
}

export interface TarEntry {
  name: string
  size: number
  /** Must be consumed before the next entry. */
  bytes: AsyncIterable<Buffer>
}

/** Accepts regular files only; links, folders and devices are refused. Names are not validated here. */
export async function* entriesOf(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const input = readerOf(source)
  try {
    for (let override: Override = {}; ;) {
      const header = await input.exactly(blockSize)
      if (header.every(byte => byte === 0)) break
      const { type, ...plain } = parsed(header)
      if (type === 'x' || type === 'L') {
        override = { ...override, ...(await readOverride(input, type, plain.size)) }
        continue
      }
      const entry = { ...plain, ...override }
      if (type !== '0' && type !== '\0')
        throw new BackupRefusal(
          `The archive contains an entry that is not a regular file: ${printableName(entry.name)}`,
        )
      override = {}
      const bytes = input.next(entry.size)
      yield { ...entry, bytes }
      if ((await bytes.next()).done !== true) throw new Error('an entry has not been read to its end')
      await input.exactly(paddingOf(entry.size).length)
    }
    await input.mustEndWithZeros()
  } finally {
    await input.close()
  }
}

async function readOverride(input: Reader, type: 'x' | 'L', size: number): Promise<Override> {
  if (size > maxPaxBytes) throw new BackupRefusal('The archive has a name that is too long.')
  const text = (await input.exactly(size)).toString()
  await input.exactly(paddingOf(size).length)
  return type === 'x' ? parsedRecords(text) : { name: text.replace(/\0.*$/s, '') }
}

/** Names are untrusted: control characters could be escape sequences of the terminal. */
export const printableName = (name: string) => name.replaceAll(/[\p{C}\u2028\u2029]/gu, '?').slice(0, 200)

/** Name and size of the next entry, from the pax or GNU header before it. */
interface Override {
  name?: string
  size?: number
}

const damaged = () => new BackupRefusal('This is not an archive of Quoin, or it is damaged.')

function parsed(header: Buffer): { name: string; size: number; type: string } {
  const text = ([start, length]: readonly [number, number]) =>
    header.toString('utf8', start, start + length).replace(/\0.*$/s, '')
  if (text(ustar.magic) !== 'ustar' || Number.parseInt(text(ustar.checksum).trim(), 8) !== checksumOf(header))
    throw damaged()
  const prefix = text(ustar.prefix)
  const name = text(ustar.name)
  // GNU tar writes a space as the version and has other fields in place of the prefix.
  return {
    name: prefix && header[ustar.version[0]] === 48 ? `${prefix}/${name}` : name,
    size: sizeIn(header),
    type: String.fromCharCode(header[ustar.type[0]]!),
  }
}

/** In octal digits or, for large files, as a binary number of eleven bytes. */
function sizeIn(header: Buffer): number {
  const [start, length] = ustar.size
  if (header[start] === 0x80) {
    const size = Number(BigInt(`0x${header.toString('hex', start + 1, start + length)}`))
    if (Number.isSafeInteger(size)) return size
    throw damaged()
  }
  const digits = header.toString('latin1', start, start + length).replaceAll(/[\0 ]/g, '')
  if (!/^[0-7]{1,12}$/.test(digits)) throw damaged()
  return Number.parseInt(digits, 8)
}

function parsedRecords(text: string): Override {
  const override: Override = {}
  for (const [, key, value] of text.matchAll(/\d+ ([^=\n]+)=([^\n]*)\n/g)) {
    if (key === 'path') override.name = value!
    if (key === 'size') {
      if (!/^\d{1,15}$/.test(value!)) throw damaged()
      override.size = Number(value)
    }
  }
  return override
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
  /** Yields exactly `size` bytes in chunks, or throws. */
  async function* next(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0;) {
      if (rest.length === 0) {
        if (!(await more())) throw new BackupRefusal('The archive ends too early: it has been cut off.')
        continue
      }
      const chunk = rest.subarray(0, left)
      rest = rest.subarray(chunk.length)
      left -= chunk.length
      yield chunk
    }
  }
  return {
    next,
    exactly: async (size: number) => Buffer.concat(await Array.fromAsync(next(size))),
    async mustEndWithZeros(): Promise<void> {
      do if (rest.some(byte => byte !== 0)) throw new BackupRefusal('The archive has data after its end.')
      while (await more())
    },
    close: () => chunks.return?.(),
  }
}
