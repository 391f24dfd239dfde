import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { endOfArchive, entriesOf, headerOf, paddingOf } from './tar.ts'

const packed = (files: [name: string, bytes: Buffer][]) =>
  Buffer.concat([
    ...files.flatMap(([name, bytes]) => [headerOf(name, bytes.length, 1000), bytes, paddingOf(bytes.length)]),
    endOfArchive,
  ])

/** In pieces that end anywhere. */
async function* pieces(bytes: Buffer, size = 700) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function unpacked(bytes: Buffer, size?: number) {
  const files: [string, Buffer][] = []
  for await (const entry of entriesOf(pieces(bytes, size)))
    files.push([entry.name, Buffer.concat(await Array.fromAsync(entry.bytes))])
  return files
}

const files: [string, Buffer][] = [
  ['empty', Buffer.alloc(0)],
  ['exact', Buffer.alloc(512, 1)],
  [`long/${'ä'.repeat(90)}/name`, Buffer.from('long')],
  ['last.json', Buffer.from('{}')],
]

test.each([1, 511, 512, 100_000])('files are unpacked unchanged, in chunks of %i', async size => {
  expect(await unpacked(packed(files), size)).toEqual(files)
})

test.skipIf(process.platform === 'win32')("the system's tar reads it, and its archives are read", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-tar-'))
  try {
    writeFileSync(join(folder, 'ours.tar'), packed(files))
    const options = { cwd: folder, env: { ...process.env, LC_ALL: 'C.UTF-8' } }
    const list = execFileSync('tar', ['--quoting-style=literal', '-tf', 'ours.tar'], options).toString()
    expect(list.trim().split('\n')).toEqual(files.map(([name]) => name))
    const long = 'n'.repeat(150)
    writeFileSync(join(folder, long), 'theirs')
    for (const format of ['gnu', 'posix', 'ustar'])
      expect(
        await unpacked(
          execFileSync('tar', [`--format=${format}`, '-cf', '-', format === 'ustar' ? 'ours.tar' : long], options),
        ),
      ).toHaveLength(1)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a file may be larger than octal digits can express', async () => {
  const size = 12 * 1024 ** 3
  const header = headerOf('huge', size, 0)
  for await (const entry of entriesOf(pieces(header))) {
    expect(entry).toMatchObject({ name: 'huge', size })
    await expect(Array.fromAsync(entry.bytes)).rejects.toThrow('cut off')
    break
  }
  const binary = headerOf('huge', 0, 0)
  binary.fill(0, 124, 136).writeUInt8(0x80, 124)
  binary.writeBigUInt64BE(BigInt(size), 128)
  let sum = 8 * 32
  for (const [index, byte] of binary.entries()) if (index < 148 || index >= 156) sum += byte
  binary.write(sum.toString(8).padStart(6, '0'), 148)
  for await (const entry of entriesOf(pieces(binary))) {
    expect(entry).toMatchObject({ name: 'huge', size })
    break
  }
})

test('a damaged archive is refused', async () => {
  const whole = packed(files)
  await expect(unpacked(whole.subarray(0, -1024))).rejects.toThrow('cut off')
  await expect(unpacked(whole.subarray(0, 700))).rejects.toThrow('cut off')
  await expect(unpacked(Buffer.concat([whole, Buffer.from('more')]))).rejects.toThrow('data after its end')
  await expect(unpacked(Buffer.alloc(512, 7))).rejects.toThrow('not an archive')
  const flipped = Buffer.from(whole)
  flipped[0]! ^= 1
  await expect(unpacked(flipped)).rejects.toThrow('damaged')
})
