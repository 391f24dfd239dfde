/**
 * Counts the calls of our own functions for one warm request, by exact coverage of V8. Unlike times they are the same
 * on every machine. `node bench/calls.ts` prints the sums, `node bench/calls.ts "PATCH page"` each function of one request.
 */
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openApp } from '../src/app.ts'
import { loadConfig } from '../src/platform/config.ts'
import { createServer } from '../src/server.ts'
import { addAdmin, signIn } from './growth.ts'
import { median } from './load.ts'
import { createSite } from './programs.ts'
import { type Figure } from './results.ts'
import { seed, writeBlueprints } from './seed.ts'

const source = pathToFileURL(join(import.meta.dirname, '../src/')).href
const section = '/api/pages/topic-1+section-1'
const article = `${section}+article-1`

type Request = [path: string, method?: string, body?: object]

/** The header differs in each request, so that the response cache does not answer. */
const requests: Record<string, (number: number) => Request> = {
  'GET page': () => [article],
  'GET 20 children': () => [`${section}/children?limit=20`],
  'GET search': () => ['/api/site/search?limit=20&q=lighthouse'],
  'PATCH page': number => [article, 'PATCH', { teaser: `Number ${number}` }],
}

/** How often each function ran, by file and name. */
type Calls = Map<string, number>

async function countCalls(session: Session, work: () => Promise<void>): Promise<Calls> {
  await session.post('Profiler.takePreciseCoverage') // resets the counters
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const calls: Calls = new Map()
  for (const { url, functions } of result) {
    if (!url.startsWith(source)) continue
    for (const { functionName, ranges } of functions) {
      const [{ count, startOffset }] = ranges as [(typeof ranges)[number]]
      if (count > 0) calls.set(`${url.slice(source.length)} ${functionName || '(anonymous)'} @${startOffset}`, count)
    }
  }
  return calls
}

const filesIn = (calls: Calls) => new Set([...calls.keys()].map(key => key.split(' ', 1)[0])).size
const sumOf = (calls: Calls) => calls.values().reduce((sum, count) => sum + count, 0)

/** The median of several requests: timers of the server run now and then. */
async function measure(session: Session, work: () => Promise<void>): Promise<Calls> {
  for (let warm = 0; warm < 5; warm++) await work()
  const all: Calls[] = []
  for (let round = 0; round < 9; round++) all.push(await countCalls(session, work))
  const middle = median(all.map(sumOf))
  return all.find(calls => sumOf(calls) === middle)!
}

export async function calls(only?: string): Promise<Figure[]> {
  const site = createSite()
  const session = new Session()
  session.connect()
  try {
    writeBlueprints(site.folder)
    addAdmin(site)
    await seed({ pages: 1002, data: join(site.folder, 'data') })
    const app = await openApp(await loadConfig({ site: site.folder, environment: {} }))
    const server = createServer(app)
    const url = await server.listen({ port: 0, host: '127.0.0.1' })
    const { cookie, csrf } = await signIn(url)
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    let number = 0
    const figures: Figure[] = []
    for (const [what, request] of Object.entries(requests)) {
      if (only !== undefined && what !== only) continue
      const found = await measure(session, async () => {
        const [path, method = 'GET', body] = request(++number)
        const headers = { cookie, 'x-csrf': csrf, 'x-round': String(number), 'content-type': 'application/json' }
        const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
        if (!response.ok) throw new Error(`${path} was answered with ${response.status}`)
        await response.arrayBuffer()
      })
      if (only !== undefined) for (const [key, count] of found) console.log(String(count).padStart(5), key)
      figures.push({ what, measured: `${sumOf(found)} calls`, wanted: '', met: true, detail: `in ${filesIn(found)} files` })
    }
    await server.close()
    await app.close()
    return figures
  } finally {
    session.disconnect()
    site.remove()
  }
}

console.table(await calls(process.argv[2]))
