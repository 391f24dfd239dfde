import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import { createGunzip } from 'node:zlib'
import { z } from 'zod'
import { migrations } from '../../platform/store/migrate.ts'
import { createHashes, type Hashes } from './hashes.ts'
import type { Row } from './queries.ts'
import { BackupRefusal } from './refusal.ts'
import { createDigest, parseRows } from './rows.ts'
import { type Shape, shapeAfter, type TableSchema } from './schema/queries.ts'
import { entriesOf, type TarEntry, printableName } from './tar.ts'

/**
 * The names of the entries in an archive, in their order: metadata, secrets, rows in parts, blobs by hash, and the
 * manifest with all checksums.
 */
export const names = {
  about: 'about.json',
  secrets: 'secrets.json',
  manifest: 'manifest.json',
  rows: (table: string, part: number) => `rows/${table}.${String(part).padStart(6, '0')}.jsonl`,
  bytes: (hash: string) => `media/${hash.slice(0, 2)}/${hash}`,
}

/** Size limits in bytes: each of these entries is read into memory as a whole. */
const maxSizes = { about: 1024 * 1024, secrets: 64 * 1024, part: 256 * 1024 * 1024, manifest: 256 * 1024 * 1024 }

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().min(0)

const metadata = z.strictObject({
  format: z.literal('quoin-backup'),
  version: z.literal(1),
  release: z.string().max(100),
  engine: z.enum(['sqlite', 'postgres']),
  created: z.iso.datetime(),
  migrations: z
    .array(z.strictObject({ name: z.string().max(200), release: z.string().max(100), applied_at: z.int() }))
    .max(10_000),
})
export type Metadata = z.output<typeof metadata>

const manifest = z.strictObject({
  about: sha256,
  secrets: sha256.nullable(),
  tables: z.record(z.string(), z.strictObject({ rows: count, sha256 })),
  parts: z.array(z.strictObject({ name: z.string(), size: count, rows: count, sha256 })),
  /** `sha256` is the hash of all lines `<hash> <size>`. */
  media: z.strictObject({ count, bytes: count, sha256 }),
  /** Hashes of blobs that could not be read when the archive was made. */
  missing: z.array(sha256),
})
export type Manifest = z.output<typeof manifest>

export interface ArchiveContents {
  metadata: Metadata
  shape: Shape
  secrets: string | undefined
  prints: { ring: string; key_id: string; print: string }[]
  hashes: Hashes
  manifest: Manifest
}

export interface ArchiveVisitor {
  metadata?(metadata: Metadata, shape: Shape): Promise<void>
  rows?(table: TableSchema, rows: Row[]): Promise<void>
  /** Must consume all bytes. */
  bytes?(hash: string, size: number, bytes: AsyncIterable<Buffer>): Promise<void>
  progress?: (bytes: number) => void
}

/** Reads and verifies a whole archive, which is untrusted input: any deviation throws a `BackupRefusal`. */
export async function readArchive(path: string, visitor: ArchiveVisitor = {}): Promise<ArchiveContents> {
  try {
    return await read(path, visitor)
  } catch (error) {
    // zlib's error codes for data that it cannot decompress
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_'))
      throw new BackupRefusal('The archive is damaged or cut off: it cannot be unpacked.')
    throw error
  }
}

async function read(path: string, visitor: ArchiveVisitor): Promise<ArchiveContents> {
  const entries = entriesOf(await bytesOf(path, visitor.progress ?? (() => {})))
  try {
    const metadataBytes = await readAll(await next(entries, names.about), maxSizes.about)
    const expected = parsedAs(metadata, metadataBytes, names.about)
    const shape = await shapeOf(expected)
    await visitor.metadata?.(expected, shape)
    let entry = await next(entries)
    const secrets = entry.name === names.secrets ? await readAll(entry, maxSizes.secrets) : undefined
    if (secrets) entry = await next(entries)
    const rows = await readRows(entry, entries, shape, visitor)
    const media = await readMedia(rows.following, entries, visitor)
    const parsed = parsedAs(
      manifest,
      await readAll(mustBe(media.following, names.manifest), maxSizes.manifest),
      names.manifest,
    )
    const end = await entries.next()
    if (end.done !== true) throw unexpectedEntry(end.value)
    compare(parsed, {
      about: sumOf(metadataBytes),
      secrets: secrets ? sumOf(secrets) : null,
      tables: rows.tables,
      parts: rows.parts,
      media: media.sums,
      missing: parsed.missing,
    })
    if (rows.known.sumWithout(parsed.missing) !== parsed.media.sha256)
      throw new BackupRefusal('The archive does not have the bytes of all its files.')
    const { prints } = rows
    return { metadata: expected, shape, secrets: secrets?.toString(), prints, hashes: media.hashes, manifest: parsed }
  } finally {
    await entries.return(undefined)
  }
}

async function bytesOf(path: string, progress: (bytes: number) => void): Promise<AsyncIterable<Buffer>> {
  const file = await open(path)
  const start = Buffer.alloc(2)
  const { bytesRead } = await file.read(start, 0, 2, 0).catch(async (error: unknown) => {
    await file.close()
    throw error
  })
  async function* counted() {
    let done = 0
    for await (const chunk of file.createReadStream({
      start: 0,
      highWaterMark: 1024 * 1024,
    }) as AsyncIterable<Buffer>) {
      progress((done += chunk.length))
      yield chunk
    }
  }
  if (bytesRead < 2 || start.readUInt16BE() !== 0x1f8b) return counted()
  return pipeline(counted(), createGunzip({ chunkSize: 256 * 1024 }), () => {}) as AsyncIterable<Buffer>
}

async function readRows(
  first: TarEntry,
  entries: AsyncGenerator<TarEntry>,
  { tables }: Shape,
  visitor: ArchiveVisitor,
) {
  let following = first
  const sums: Manifest['tables'] = {}
  const parts: Manifest['parts'] = []
  const prints: ArchiveContents['prints'] = []
  const known = createKnown()
  for (const table of tables) {
    const digest = createDigest()
    for (let part = 1; following.name === names.rows(table.name, part); part++) {
      const bytes = await readAll(following, maxSizes.part)
      const rows = [...parseRows(bytes, table)]
      for (const row of rows) {
        digest.add(row)
        if (table.name === 'blobs') known.add(row)
        if (table.name === 'key_prints') prints.push(row as never)
      }
      parts.push({ name: following.name, size: bytes.length, rows: rows.length, sha256: sumOf(bytes) })
      await visitor.rows?.(table, rows)
      following = await next(entries)
    }
    sums[table.name] = digest.end()
  }
  return { following, tables: sums, parts, prints, known }
}

/** The blobs that the rows name. */
function createKnown() {
  const hashes = createHashes()
  const sizes: number[] = []
  return {
    add({ hash, size }: Row): void {
      if (!sha256.safeParse(hash).success || !hashes.add(hash as string))
        throw new BackupRefusal('The archive has an invalid or unsorted row of the table blobs.')
      sizes.push(size as number)
    },
    sumWithout(missing: readonly string[]): string {
      const left = new Set(missing)
      const sum = createHash('sha256')
      for (const [index, size] of sizes.entries())
        if (!left.has(hashes.at(index))) sum.update(`${hashes.at(index)} ${size}\n`)
      return sum.digest('hex')
    },
  }
}

async function readMedia(first: TarEntry, entries: AsyncGenerator<TarEntry>, visitor: ArchiveVisitor) {
  let following = first
  const hashes = createHashes()
  const sum = createHash('sha256')
  let bytes = 0
  for (;;) {
    const hash = /^media\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(following.name)?.[1]
    if (hash === undefined) break
    if (following.name !== names.bytes(hash) || !hashes.add(hash)) throw unexpectedEntry(following)
    await readBytes(hash, following, visitor)
    sum.update(`${hash} ${following.size}\n`)
    bytes += following.size
    following = await next(entries)
  }
  return { following, hashes, sums: { count: hashes.count, bytes, sha256: sum.digest('hex') } }
}

async function next(entries: AsyncGenerator<TarEntry>, name?: string): Promise<TarEntry> {
  const { done, value } = await entries.next()
  if (done === true) throw new BackupRefusal('The archive ends too early: it has no manifest.json.')
  return name === undefined ? value : mustBe(value, name)
}

function mustBe(entry: TarEntry, name: string): TarEntry {
  if (entry.name !== name) throw unexpectedEntry(entry)
  return entry
}

const unexpectedEntry = ({ name }: TarEntry) =>
  new BackupRefusal(`The archive has something that does not belong there: ${printableName(name)}`)

async function readAll({ name, size, bytes }: TarEntry, limit: number): Promise<Buffer> {
  if (size > limit) throw new BackupRefusal(`${printableName(name)} in the archive is too large: ${size} bytes.`)
  return Buffer.concat(await Array.fromAsync(bytes))
}

const sumOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

function parsedAs<Value>(schema: z.ZodType<Value>, bytes: Buffer, name: string): Value {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString())
  } catch {
    throw new BackupRefusal(`${name} in the archive cannot be read.`)
  }
  const { format, version } = Object(value) as Record<string, unknown>
  if (format === 'quoin-backup' && typeof version === 'number' && version > 1)
    throw new BackupRefusal(
      'This archive was made by a newer release of Quoin, in a format that this one does not know.',
    )
  const result = schema.safeParse(value)
  if (!result.success) throw new BackupRefusal(`${name} in the archive is not as it should be.`)
  return result.data
}

/** The tables that the archive was made from. Its migrations must be the first ones of ours, in the same order. */
async function shapeOf({ release, migrations: applied }: Metadata): Promise<Shape> {
  const isKnown = applied.every(({ name }, index) => migrations[index]?.[0] === name)
  if (!isKnown)
    throw new BackupRefusal(
      `This archive was made by Quoin ${printableName(release)}, which is newer than this program. Install Quoin ${printableName(release)} or newer.`,
    )
  return shapeAfter(applied.length)
}

async function readBytes(hash: string, { size, bytes }: TarEntry, visitor: ArchiveVisitor): Promise<void> {
  const found = createHash('sha256')
  async function* hashed() {
    for await (const piece of bytes) {
      found.update(piece)
      yield piece
    }
  }
  if (visitor.bytes) await visitor.bytes(hash, size, hashed())
  else for await (const _ of hashed());
  if (found.digest('hex') !== hash)
    throw new BackupRefusal(`The archive is damaged: blob ${hash} does not match its checksum.`)
}

function compare(expected: Manifest, actual: Manifest): void {
  for (const [index, part] of expected.parts.entries())
    if (!isDeepStrictEqual(part, actual.parts[index]))
      throw new BackupRefusal(
        `The archive is damaged: ${printableName(part.name)} has another checksum, or is not there.`,
      )
  if (!isDeepStrictEqual(expected, actual))
    throw new BackupRefusal('The archive is damaged: its parts are not those of its manifest.json.')
}
