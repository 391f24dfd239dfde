import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openApp } from '../src/app.ts'
import { loadConfig } from '../src/platform/config.ts'
import { createServer } from '../src/server.ts'
import { addAdmin, signIn } from './growth.ts'
import { median } from './load.ts'
import { createSite } from './programs.ts'
import { atMost, type Figure } from './results.ts'
import { seed, writeBlueprints } from './seed.ts'

const source = pathToFileURL(join(import.meta.dirname, '../src/')).href
const section = '/api/pages/topic-1+section-1'
const article = `${section}+article-1`

type Request = [path: string, method?: string, body?: object]

/** The limits are half of the calls before the actor was required in every operation. */
const requests: Record<string, { limit: number; request: (number: number) => Request }> = {
  'GET /api/pages/:id': { limit: 246, request: () => [article] },
  'GET /api/pages/:id/children, 20 of 1000': { limit: 498, request: () => [`${section}/children?limit=20`] },
  'GET /api/site/search, 20 results': { limit: 479, request: () => ['/api/site/search?limit=20&q=lighthouse'] },
  'PATCH /api/pages/:id': { limit: 701, request: number => [article, 'PATCH', { teaser: `Number ${number}` }] },
}

/** How often each function ran, by file and name. */
type Calls = Map<string, number>

async function countCalls(session: Session, work: () => Promise<void>): Promise<Calls> {
  await session.post('Profiler.takePreciseCoverage') // resets the counters
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const found: Calls = new Map()
  for (const { url, functions } of result) {
    if (!url.startsWith(source)) continue
    for (const { functionName, ranges } of functions) {
      const [{ count, startOffset }] = ranges as [(typeof ranges)[number]]
      if (count > 0) found.set(`${url.slice(source.length)} ${functionName || '(anonymous)'} @${startOffset}`, count)
    }
  }
  return found
}

const filesIn = (found: Calls) => new Set([...found.keys()].map(key => key.split(' ', 1)[0])).size
const sumOf = (found: Calls) => found.values().reduce((sum, count) => sum + count, 0)

/** The median of several requests: timers of the server run now and then. */
async function measure(session: Session, work: () => Promise<void>): Promise<Calls> {
  for (let warm = 0; warm < 5; warm++) await work()
  const all: Calls[] = []
  for (let round = 0; round < 9; round++) all.push(await countCalls(session, work))
  const middle = median(all.map(sumOf))
  return all.find(one => sumOf(one) === middle)!
}

/**
 * The calls of our own functions for one request, counted by the precise coverage of V8. Continuing an async function
 * counts as a call. Unlike times, the numbers are the same on every machine. `--full` also prints each function.
 */
export async function calls({ full }: { full: boolean }): Promise<Figure[]> {
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
    for (const [what, { limit, request }] of Object.entries(requests)) {
      const found = await measure(session, async () => {
        const [path, method = 'GET', body] = request(++number)
        // The address is new in each request, so that the response cache does not answer.
        const address = method === 'GET' ? `${url}${path}${path.includes('?') ? '&' : '?'}_=${number}` : url + path
        const headers = { cookie, 'x-csrf': csrf, 'content-type': 'application/json' }
        const response = await fetch(address, { method, headers, ...(body && { body: JSON.stringify(body) }) })
        if (!response.ok) throw new Error(`${path} was answered with ${response.status}`)
        await response.arrayBuffer()
      })
      if (full) for (const [name, count] of found) console.log(`${what}\t${count}\t${name}`)
      figures.push(atMost(what, sumOf(found), limit, ' calls', `in ${filesIn(found)} files`))
    }
    await server.close()
    await app.close()
    return figures
  } finally {
    session.disconnect()
    site.remove()
  }
}
