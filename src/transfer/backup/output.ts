import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGzip } from 'node:zlib'
import { createId } from '../../platform/lib/id.ts'
import { writeAll } from '../../platform/media/temporary.ts'
import { BackupRefusal } from './refusal.ts'
import { endOfArchive, headerOf, paddingOf } from './tar.ts'

/** Adds entries to an archive. */
export interface ArchiveWriter {
  /** When writing began, in ms since 1970. */
  time: number
  /** Returns the SHA-256 of the bytes. */
  add(name: string, content: string | Buffer): Promise<string>
  /** Returns false and adds nothing if the bytes do not have the expected hash and size. */
  addFile(name: string, path: string, expected: { hash: string; size: number }): Promise<boolean>
}

/** Writes to a temporary file that only its owner can read, and renames it when all of it is on the disk. */
export async function writeArchiveFile<Value>(
  path: string,
  force: boolean,
  work: (archive: ArchiveWriter) => Promise<Value>,
) {
  const temporary = `${path}.${createId()}.part`
  const file = await open(temporary, 'wx', 0o600)
  try {
    const archiveStream = /\.t?gz$/i.test(path) ? createGzip() : new PassThrough()
    const hash = createHash('sha256')
    let size = 0
    const written = pipeline(archiveStream, async (source: AsyncIterable<Buffer>) => {
      for await (const chunk of source) {
        hash.update(chunk)
        size += chunk.length
        await writeAll(file, chunk)
      }
    })
    written.catch(() => {}) // awaited below, or in `write`
    const push = promisify<Buffer, void>((bytes, done) => void archiveStream.write(bytes, done as () => void))
    const write = async (bytes: Buffer) => {
      try {
        await push(bytes)
      } catch (error) {
        await written // its error is more specific
        throw error
      }
    }
    let value: Value
    try {
      value = await work(createArchiveWriter(write))
      await write(endOfArchive)
    } catch (error) {
      archiveStream.destroy()
      throw error
    }
    archiveStream.end()
    await written
    await file.sync()
    if (!force && existsSync(path))
      throw new BackupRefusal(`${path} has been created in the meantime. --force replaces it.`)
    await rename(temporary, path)
    return { size, sha256: hash.digest('hex'), value }
  } finally {
    await file.close()
    await rm(temporary, { force: true })
  }
}

const chunkSize = 256 * 1024 // bytes

function createArchiveWriter(write: (bytes: Buffer) => Promise<void>): ArchiveWriter {
  const time = Date.now()
  return {
    time,
    async add(name, content) {
      const bytes = Buffer.from(content)
      await write(Buffer.concat([headerOf(name, bytes.length, time), bytes, paddingOf(bytes.length)]))
      return createHash('sha256').update(bytes).digest('hex')
    },
    async addFile(name, path, { hash, size }) {
      const file = await open(path)
      try {
        if ((await file.stat()).size !== size || (await hashOf(file, size)) !== hash) return false
        await write(headerOf(name, size, time))
        for await (const chunk of chunksOf(file, size)) await write(chunk)
        await write(paddingOf(size))
        return true
      } finally {
        await file.close()
      }
    },
  }
}

async function hashOf(file: FileHandle, size: number): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunksOf(file, size)) hash.update(chunk)
  return hash.digest('hex')
}

async function* chunksOf(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const length = Math.min(chunkSize, size - position)
    if (length <= 0) return
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, position)
    if (bytesRead === 0) throw new Error('a file has become shorter while it was read')
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}
