import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import examples from '../examples/extensions/quoin.config.ts'
import { openApp } from '../src/app.ts'
import { startExtensions } from '../src/extensions/start.ts'
import { loadConfig, type Settings } from '../src/platform/config.ts'
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

interface Measured {
  /** Half of the calls that were made before operations required an actor, and before there were extensions. */
  limit: number
  /** How many more are allowed with extensions. */
  extensions: number
  request: (number: number) => Request
}

const requests: Record<string, Measured> = {
  'GET /api/pages/:id': { limit: 246, extensions: 0, request: () => [article] },
  'GET /api/pages/:id/children, 20 of 1000': {
    limit: 498,
    extensions: 0,
    request: () => [`${section}/children?limit=20`],
  },
  'GET /api/site/search, 20 results': {
    limit: 479,
    extensions: 0,
    request: () => ['/api/site/search?limit=20&q=lighthouse'],
  },
  'PATCH /api/pages/:id': {
    limit: 701,
    extensions: 175,
    request: number => [article, 'PATCH', { teaser: `Number ${number}` }],
  },
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

/** The request with the median number of calls: now and then a timer of the server runs, too. */
async function measure(session: Session, work: () => Promise<void>): Promise<Calls> {
  for (let warm = 0; warm < 5; warm++) await work()
  const all: Calls[] = []
  for (let round = 0; round < 9; round++) all.push(await countCalls(session, work))
  const middle = median(all.map(sumOf))
  return all.find(one => sumOf(one) === middle)!
}

/**
 * The calls of our own functions for one request, counted by the precise coverage of V8. Continuing an async function
 * counts as a call. Unlike times, the numbers are the same on every machine. Measured without extensions, and with all
 * examples of extensions, none of which concerns these pages except for the events of the change. `--full` also prints
 * each function.
 */
export async function calls({ full }: { full: boolean }): Promise<Figure[]> {
  const site = createSite()
  const session = new Session()
  session.connect()
  try {
    writeBlueprints(site.folder)
    addAdmin(site)
    await seed({ pages: 1002, data: join(site.folder, 'data') })
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    const plain = await measureAll(site.folder, {}, session)
    const extended = await measureAll(site.folder, examples, session)
    return Object.entries(requests).flatMap(([what, { limit, extensions }]) =>
      [
        { name: what, found: plain.get(what)!, max: limit },
        { name: `${what}, with extensions`, found: extended.get(what)!, max: limit + extensions },
      ].map(({ name, found, max }) => {
        if (full) for (const [called, count] of found) console.log(`${name}\t${count}\t${called}`)
        return atMost(name, sumOf(found), max, ' calls', `in ${filesIn(found)} files`)
      }),
    )
  } finally {
    session.disconnect()
    site.remove()
  }
}

async function measureAll(folder: string, options: Settings, session: Session): Promise<Map<string, Calls>> {
  const app = await openApp(await loadConfig({ site: folder, environment: {}, options }))
  // Only to create the subscriptions: handlers must not run between two requests.
  const end = await startExtensions(app, { pollMs: 3_600_000 })
  await end()
  const server = createServer(app)
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  const { cookie, csrf } = await signIn(url)
  let number = 0
  const all = new Map<string, Calls>()
  for (const [what, { request }] of Object.entries(requests)) {
    const found = await measure(session, async () => {
      const [path, method = 'GET', body] = request(++number)
      // Each request has a new URL, so that the response cache does not answer.
      const requestUrl = method === 'GET' ? `${url}${path}${path.includes('?') ? '&' : '?'}_=${number}` : url + path
      const headers = { cookie, 'x-csrf': csrf, 'content-type': 'application/json' }
      const response = await fetch(requestUrl, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      if (!response.ok) throw new Error(`${path} was answered with ${response.status}`)
      await response.arrayBuffer()
    })
    all.set(what, found)
  }
  await server.close()
  await app.close()
  return all
}
