import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '../tools/postgres.ts'
import { addAdmin, open, type Opened, uncached } from './growth.ts'
import { percentile } from './load.ts'
import { createSite, type Program, type Site, startBare, takeSample } from './programs.ts'
import { createDatabase } from './queries.ts'
import { atMost, type Figure } from './results.ts'
import { seed, writeBlueprints } from './seed.ts'

const target = 100
/** The interval between requests in ms, as a few panels together would send them. */
const every = 10
const reads = ['pages/beside', 'pages/beside/children']

/** The latency of other requests while a page with ten thousand descendants is renamed, copied, moved and deleted. */
export async function tree({ quick }: { quick: boolean }): Promise<Figure[]> {
  const pages = quick ? 2000 : 10_000
  const figures = await onSite('SQLite', createSite(), pages)
  if (quick) return figures
  const postgres = await startPostgres()
  try {
    const site = createSite(await createDatabase(postgres.url, 'tree'))
    return [...figures, ...(await onSite('PostgreSQL', site, pages))]
  } finally {
    await postgres.stop()
  }
}

async function onSite(engine: string, site: Site, pages: number): Promise<Figure[]> {
  addAdmin(site)
  writeBlueprints(site.folder)
  const databaseUrl = site.environment['QUOIN_DATABASE_URL']
  await seed({ pages, history: true, ...(databaseUrl ? { databaseUrl } : { data: join(site.folder, 'data') }) })
  const opened = await open(site)
  let bare: Program | undefined
  try {
    // Without a template, because `default` accepts moved pages of every template.
    for (const slug of ['beside', 'target']) await send(opened, 'POST', 'site/children', { slug, title: slug })
    const operations = [
      ['slug', 'PATCH', 'pages/topic-1/slug', { slug: 'topic-x' }],
      ['duplicate', 'POST', 'pages/topic-x/duplicate', { slug: 'copy', children: true }],
      ['move', 'PATCH', 'pages/topic-x/move', { parent: 'target' }],
      ['delete', 'DELETE', 'pages/target+topic-x', { force: true }],
    ] as const
    const figures: Figure[] = []
    // Warms up what a process creates with the first responses of a kind: serialisers, connections to the database.
    const warmUp = Array.from({ length: 5 }, () => reads).flat()
    for (let round = 0; round < 20; round++) await Promise.all(warmUp.map(path => send(opened, 'GET', path)))
    const path = `/api/${reads[0]}`
    bare = await startBare(await takeSample(opened.program.url + path, { cookie: opened.cookie }), path)
    const bareUrl = bare.url + path
    for (const [name, method, to, body] of operations) {
      const what = `${name} of ${pages} pages, ${engine}`
      figures.push(await during(what, opened, bareUrl, () => send(opened, method, to, body)))
    }
    return figures
  } finally {
    await bare?.stop()
    await opened.program.stop()
    site.remove()
  }
}

/**
 * The latency of readers during the work; the detail also has that of a writer, and that of a bare server, which does
 * nothing else: it shows how much is due to the machine.
 */
async function during(what: string, opened: Opened, bareUrl: string, work: () => Promise<void>): Promise<Figure> {
  const times: number[] = []
  const bareTimes: number[] = []
  const reading: Promise<unknown>[] = []
  const start = performance.now()
  const state = { isDone: false }
  const done = work().finally(() => (state.isDone = true))
  await sleep(50)
  const write = timed(() => send(opened, 'PATCH', 'pages/beside', { content: { teaser: what } }))
  for (let count = 0; !state.isDone; count++) {
    const read = timed(() => send(opened, 'GET', reads[count % reads.length]!))
    const bare = timed(() => fetch(bareUrl).then(response => response.arrayBuffer()))
    reading.push(
      read.then(time => times.push(time)),
      bare.then(time => bareTimes.push(time)),
    )
    await sleep(every)
  }
  await done
  const seconds = (performance.now() - start) / 1000
  await Promise.all(reading)
  const waited = (await write) / 1000
  const longest = Math.max(...times).toFixed(0)
  const bareP99 = percentile(bareTimes, 0.99).toFixed(0)
  const detail = `p99 of ${times.length} reads, the longest ${longest} ms; ${bareP99} ms for a bare server meanwhile; a writer waited ${waited.toFixed(1)} s; all in all ${seconds.toFixed(1)} s`
  return atMost(what, percentile(times, 0.99), target, ' ms', detail)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function send({ program, cookie, csrf }: Opened, method: string, path: string, body?: object): Promise<void> {
  const response = await fetch(`${program.url}/api/${method === 'GET' ? uncached(path) : path}`, {
    method,
    headers: { cookie, 'x-csrf': csrf, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`)
}
