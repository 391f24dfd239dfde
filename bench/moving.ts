import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { startPostgres } from '../tools/postgres.ts'
import { createSite, type Site } from './programs.ts'
import { createDatabase } from './queries.ts'
import { atLeast, atMost, type Figure } from './results.ts'

const targets = { pages: { SQLite: 1500, PostgreSQL: 1000 }, memory: 300 }

/** Imports a folder of pages with two images each and exports it again: duration and memory. */
export async function moving({ quick }: { quick: boolean }): Promise<Figure[]> {
  const sections = quick ? 10 : 100
  const folder = mkdtempSync(join(tmpdir(), 'quoin-bench-'))
  const sites: Site[] = []
  const newSite = (databaseUrl?: string) => sites[sites.push(createSite(databaseUrl)) - 1]!
  try {
    process.stderr.write(`writing a folder of ${sections * 100} pages …\n`)
    writeFolder(folder, sections)
    if (process.platform === 'linux') execFileSync('sync') // otherwise the first import would wait for these writes
    const figures = await importAndExport(newSite(), 'SQLite', folder, sections * 100)
    if (quick) return figures
    const postgres = await startPostgres()
    try {
      const site = newSite(await createDatabase(postgres.url, 'moving'))
      return [...figures, ...(await importAndExport(site, 'PostgreSQL', folder, sections * 100))]
    } finally {
      await postgres.stop()
    }
  } finally {
    // Removed at the end: ext4 is slow to create files while many were removed in the last minutes.
    for (const site of sites) site.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function importAndExport(
  site: Site,
  engine: 'PostgreSQL' | 'SQLite',
  folder: string,
  pages: number,
): Promise<Figure[]> {
  const done = [await run(site, 'import', folder), await run(site, 'export', join(site.folder, 'exported'))]
  return done.flatMap(({ command, seconds, cpu, memory }) => [
    atLeast(
      `${command}, pages per second, ${engine}`,
      pages / seconds,
      targets.pages[engine],
      `${pages} pages and ${pages * 2} files in ${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s of them on a core`,
    ),
    atMost(`${command}, memory, ${engine}`, memory, targets.memory, ' MB', 'the maximum at any moment'),
  ])
}

/** Makes a process print its memory and CPU time on exit. */
const reportUsage = `data:text/javascript,process.on('exit',()=>{const{maxRSS,userCPUTime,systemCPUTime}=process.resourceUsage();
  process.stderr.write(JSON.stringify({memory:maxRSS/1024,cpu:(userCPUTime+systemCPUTime)/1e6}))})`

async function run(site: Site, command: 'import' | 'export', folder: string) {
  const program = join(import.meta.dirname, '../bin/quoin.mjs')
  const startedAt = performance.now()
  const words = ['--import', reportUsage, program, command, folder, '--site', site.folder, '--json']
  const child = spawn(process.execPath, words, {
    env: { ...process.env, ...site.environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (piece: Buffer) => (stderr += String(piece)))
  const [code] = (await once(child, 'close')) as [number]
  const seconds = (performance.now() - startedAt) / 1000
  if (code !== 0) throw new Error(`${command} has failed: ${stderr}`)
  const { memory, cpu } = JSON.parse(stderr.slice(stderr.lastIndexOf('{'))) as { memory: number; cpu: number }
  return { command, seconds, memory, cpu }
}

// ---- a folder

const words =
  'lamp fog marsh tide reed keeper signal brass lens storm harbour rope gull heron quay anchor salt wind mud light'

/** Sections of 99 pages. Every page and section has a text of some hundred words and two unique images. */
function writeFolder(folder: string, sections: number): void {
  const all = words.split(' ')
  let state = 1
  const next = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
  const sentence = (count: number) =>
    Array.from({ length: count }, () => all[next(all.length)]! + (next(5) === 0 ? next(500) : '')).join(' ')

  function page(path: string, title: string, uuid: string): void {
    mkdirSync(path, { recursive: true })
    const text = `Title: ${title}\n\n----\n\nText: ${sentence(120)}\n\n----\n\nUuid: ${uuid}`
    writeFileSync(join(path, 'default.txt'), text)
    for (const name of ['one', 'two']) {
      writeFileSync(join(path, `${name}.png`), image(`${uuid} ${name}`))
      writeFileSync(join(path, `${name}.png.txt`), `Alt: ${sentence(5)}\n\n----\n\nUuid: ${uuid}${name}`)
    }
  }
  mkdirSync(join(folder, 'content'))
  writeFileSync(join(folder, 'content/site.txt'), 'Title: Large')
  for (let section = 1; section <= sections; section++) {
    const path = join(folder, `content/${section}_section-${section}`)
    page(path, `Section ${section}`, `s${section}`)
    for (let at = 1; at < 100; at++) page(join(path, `${at}_page-${at}`), `Page ${section} ${at}`, `p${section}-${at}`)
  }
}

const pixels = deflateSync(Buffer.alloc(30 * (30 * 3 + 1), 7))

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/** A PNG of 30 × 30 pixels, with a comment that makes its bytes unique. */
function image(remark: string): Buffer {
  const size = Buffer.from([0, 0, 0, 30, 0, 0, 0, 30, 8, 2, 0, 0, 0])
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', size),
    chunk('tEXt', Buffer.from(`Comment\0${remark}`, 'latin1')),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
