import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engine } from '../../../test/harness.ts'
import { type S3Server, startS3 } from '../../../test/s3.ts'
import { openDisk } from './disk.ts'
import { type Media, TooLarge } from './media.ts'
import { openS3, type S3Options } from './s3.ts'

const folders: string[] = []
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-media-'))
  folders.push(folder)
  return folder
}
afterAll(() => folders.forEach(folder => rmSync(folder, { recursive: true, force: true })))

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function* pieces(bytes: Uint8Array, size = 64 * 1024) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function* broken() {
  yield new Uint8Array(10)
  throw new Error('hung up')
}

async function keep(media: Media, bytes: Uint8Array): Promise<string> {
  const received = await media.receive(pieces(bytes), bytes.length)
  await received.keep()
  return received.hash
}

async function read(media: Media, hash: string, range?: { start: number; end: number }) {
  const stream = await media.open(hash, range)
  return stream && buffer(stream)
}

let s3: S3Server
const onS3 = (folder: string, settings = s3.settings, rest: Partial<S3Options> = {}) =>
  openS3({ ...settings, maxSize: 64 * 1024 * 1024, folder, onError: () => {}, ...rest })

/** `{"endpoint":…,"region":…,"bucket":…,"accessKey":…,"secretKey":…}` of a service whose bucket may be written to. */
const real = process.env['QUOIN_TEST_S3']

const kinds: [name: string, open: (folder: string) => Media][] = [
  ['disk', folder => openDisk(folder)],
  ['S3', folder => onS3(folder)],
]
if (real !== undefined) kinds.push(['a real S3', folder => onS3(folder, JSON.parse(real) as S3Server['settings'])])

beforeAll(async () => {
  s3 = await startS3()
})

// The store is not used: one engine is enough.
describe.runIf(engine === 'sqlite').each(kinds)('blobs on %s', (_, open) => {
  let folder: string
  let media: Media
  beforeAll(() => {
    folder = newFolder()
    media = open(folder)
  })
  const temporary = () => (existsSync(join(folder, 'tmp')) ? readdirSync(join(folder, 'tmp')) : [])

  test('are read unchanged, completely and in ranges', async () => {
    const bytes = randomBytes(300_000)
    const received = await media.receive(pieces(bytes), 300_000)
    expect(received).toMatchObject({ hash: sha256(bytes), size: 300_000 })
    expect(Buffer.from(received.head).equals(bytes.subarray(0, 4100))).toBe(true)
    expect(readFileSync(received.path).equals(bytes)).toBe(true)
    expect(await media.open(received.hash), 'before they are stored').toBeUndefined()
    await received.keep()
    expect((await read(media, received.hash))!.equals(bytes)).toBe(true)
    expect((await read(media, received.hash, { start: 0, end: 0 }))!.equals(bytes.subarray(0, 1))).toBe(true)
    const part = await read(media, received.hash, { start: 100_000, end: 299_999 })
    expect(part!.equals(bytes.subarray(100_000))).toBe(true)
    expect(await media.size(received.hash)).toBe(300_000)
    expect(temporary()).toEqual([])
  })

  test('may be empty', async () => {
    const hash = await keep(media, Buffer.alloc(0))
    expect(hash).toBe(sha256(Buffer.alloc(0)))
    expect(await media.size(hash)).toBe(0)
    expect(await read(media, hash)).toHaveLength(0)
  })

  test('may be large: they are uploaded in parts', async () => {
    const bytes = randomBytes(9 * 1024 * 1024)
    const hash = await keep(media, bytes)
    expect(sha256((await read(media, hash))!)).toBe(hash)
    const middle = await read(media, hash, { start: 8_388_600, end: 8_388_619 })
    expect(middle!.equals(bytes.subarray(8_388_600, 8_388_620))).toBe(true)
  })

  test('that are stored twice exist once', async () => {
    const bytes = randomBytes(1000)
    const [one, other] = await Promise.all([keep(media, bytes), keep(media, bytes)])
    expect(one).toBe(other)
    await keep(media, bytes)
    expect((await read(media, one))!.equals(bytes)).toBe(true)
  })

  test('that are small are stored in batches', async () => {
    const blobs = Array.from({ length: 60 }, () => randomBytes(50)).map(bytes => ({ hash: sha256(bytes), bytes }))
    await media.keepAll(blobs.slice(0, 2))
    await media.keepAll([...blobs, blobs[3]!])
    for (const { hash, bytes } of blobs) expect((await read(media, hash))?.equals(bytes)).toBe(true)
    expect(temporary()).toEqual([])
  })

  test('above the limit are refused early, and leave nothing', async () => {
    let produced = 0
    async function* endless() {
      for (;;) {
        produced += 65_536
        yield new Uint8Array(65_536)
      }
    }
    await expect(media.receive(endless(), 1_000_000)).rejects.toBeInstanceOf(TooLarge)
    expect(produced).toBeLessThan(1_200_000)
    expect(temporary()).toEqual([])
  })

  test('that end with an error leave nothing', async () => {
    await expect(media.receive(broken(), 100)).rejects.toThrow('hung up')
    const received = await media.receive(pieces(randomBytes(10)), 10)
    await received.discard()
    expect(await media.size(received.hash)).toBeUndefined()
    expect(temporary()).toEqual([])
  })

  test('that are removed or unknown are not found, and can be removed again', async () => {
    const hash = await keep(media, randomBytes(100))
    await media.remove(hash)
    await media.remove(hash)
    expect(await media.open(hash)).toBeUndefined()
    expect(await media.size(hash)).toBeUndefined()
    expect(await media.borrow(hash, async () => 'work')).toBeUndefined()
  })

  test('can be borrowed as a file', async () => {
    const bytes = randomBytes(1000)
    const hash = await keep(media, bytes)
    expect((await media.borrow(hash, async path => readFileSync(path)))!.equals(bytes)).toBe(true)
    await expect(media.borrow(hash, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(temporary()).toEqual([])
  })

  test('are listed by hash', async () => {
    const hashes = await Promise.all(Array.from({ length: 7 }, () => keep(media, randomBytes(20))))
    expect(await Array.fromAsync(media.list())).toEqual(expect.arrayContaining(hashes))
  })

  test.each(['../../secrets.json', '', 'ab', 'A'.repeat(64), `${'a'.repeat(63)}/`, 'g'.repeat(64)])(
    'have no other names: %j',
    async hash => {
      await expect((async () => media.open(hash))()).rejects.toThrow('not a SHA-256')
      await expect((async () => media.remove(hash))()).rejects.toThrow('not a SHA-256')
    },
  )

  test('that a crash left under a temporary name are swept', async () => {
    const { path } = await media.receive(pieces(randomBytes(10)), 10)
    const old = `${path}old`
    writeFileSync(old, 'left')
    utimesSync(old, 0, 0)
    await media.sweep(60_000)
    expect([existsSync(old), existsSync(path)]).toEqual([false, true])
  })
})

test.runIf(engine === 'sqlite')('a file on disk gets its name only when it is complete', async () => {
  const folder = newFolder()
  const media = openDisk(folder)
  const bytes = randomBytes(1000)
  const received = await media.receive(pieces(bytes), 1000)
  expect(readdirSync(folder), 'until it is stored').toEqual(['tmp'])
  await received.keep()
  expect(readdirSync(join(folder, received.hash.slice(0, 2)))).toEqual([received.hash])
})

test.runIf(engine === 'sqlite').each([2, 60])('errors are reported, also by the thread: %i', async count => {
  const folder = join(newFolder(), 'none')
  writeFileSync(folder, 'no folder')
  const bytes = Buffer.from('x')
  const blobs = Array.from({ length: count }, () => ({ hash: sha256(bytes), bytes }))
  const media = openDisk(folder)
  await expect(media.keepAll(blobs)).rejects.toMatchObject({ code: 'ENOTDIR' })
  rmSync(folder)
  await media.keepAll(blobs)
  expect((await read(media, blobs[0]!.hash))?.equals(bytes)).toBe(true)
})

/** The programs that were started for a folder. */
function shellsIn(folder: string): number[] {
  const found = readdirSync('/proc').filter(name => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').endsWith(`\0${folder}\0`)
    } catch {
      return false // it has ended meanwhile
    }
  })
  expect(found).toHaveLength(1)
  return found.map(Number)
}

test.runIf(engine === 'sqlite' && process.platform === 'linux')(
  'the process that syncs the disk may be killed at any time',
  async () => {
    const folder = newFolder()
    const media = openDisk(folder)
    for (const round of ['first', 'second', 'third']) {
      const blobs = Array.from({ length: 60 }, (_, index) => Buffer.from(`${round} ${index}`)).map(bytes => ({
        hash: sha256(bytes),
        bytes,
      }))
      await media.keepAll(blobs)
      for (const { hash, bytes } of blobs) expect((await read(media, hash))?.equals(bytes)).toBe(true)
      if (round === 'first') for (const pid of shellsIn(folder)) process.kill(pid, 'SIGKILL')
    }
  },
)

describe.runIf(engine === 'sqlite')('S3', () => {
  test('that fails in the middle keeps no parts, and the failure is an outage; then it gets them all', async () => {
    const errors: unknown[] = []
    const media = onS3(newFolder(), s3.settings, { onError: error => void errors.push(error) })
    s3.onRequest = async line => (line.includes('partNumber=2') ? 503 : undefined)
    const received = await media.receive(pieces(randomBytes(9 * 1024 * 1024)), 2 ** 30)
    await expect(received.keep()).rejects.toMatchObject({ key: 'unavailable', status: 503 })
    expect(s3.uploads.size).toBe(0)
    expect(errors).toHaveLength(1)
    s3.onRequest = async () => undefined
    s3.log.length = 0
    await received.keep() // what was received is still there
    expect(s3.log.filter(line => line.includes('partNumber='))).toHaveLength(2)
    expect(s3.uploads.size).toBe(0)
    expect(s3.objects.get(`media/${received.hash}`)).toHaveLength(9 * 1024 * 1024)
    expect(await media.size(received.hash)).toBe(received.size)
  })

  test('refuses wrong keys', async () => {
    const media = onS3(newFolder(), { ...s3.settings, secretKey: 'wrong' })
    await expect(media.size('a'.repeat(64))).rejects.toMatchObject({ key: 'unavailable' })
  })

  test('that is unreachable is an outage', async () => {
    const media = onS3(newFolder(), { ...s3.settings, endpoint: 'http://127.0.0.1:9' })
    await expect(media.open('a'.repeat(64))).rejects.toMatchObject({ key: 'unavailable' })
  })

  test('ends a download when the reader does', async () => {
    const media = onS3(newFolder())
    const hash = await keep(media, randomBytes(6 * 1024 * 1024))
    const stream = (await media.open(hash))!
    stream.destroy()
    await new Promise(resolve => void stream.once('close', resolve))
    expect(stream.destroyed).toBe(true)
  })
})
