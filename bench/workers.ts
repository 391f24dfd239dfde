import { addAccounts, whileSigningIn } from './auth.ts'
import { compare, latencies, logProgress, median, percentile, rates } from './load.ts'
import { fillSeeded } from './ordinary.ts'
import { createSite, type Program, proportionalMemory, type Site, startQuoin, workersOf } from './programs.ts'
import { atLeast, atMost, type Figure } from './results.ts'
import { createSession } from './sign-in.ts'

type Serving = Program & { workers: number[]; headers: Record<string, string> }

/** Two workers beside one process, on SQLite: rates, sign-ins, and memory. */
export async function workers({ quick }: { quick: boolean }): Promise<Figure[]> {
  const rounds = quick ? 3 : 9
  const site = createSite()
  await fillSeeded(site)
  await addAccounts(site)
  try {
    const two = await serve(site, 2)
    try {
      const figures = await comparedWithOneWorker(site, two, rounds)
      return [...figures, ...memory(two), ...(await whileOthersSignIn(two, rounds))]
    } finally {
      await two.stop()
    }
  } finally {
    site.remove()
  }
}

async function serve(site: Site, count: number): Promise<Serving> {
  const program = await startQuoin(site, ...(count > 1 ? ['--workers', String(count)] : []))
  const pids = count > 1 ? await workersOf(program, count) : []
  return { ...program, workers: pids, headers: { cookie: await createSession(program) } }
}

async function comparedWithOneWorker(site: Site, two: Serving, rounds: number): Promise<Figure[]> {
  const one = await serve(site, 1)
  try {
    const figures: Figure[] = []
    for (const [what, path] of Object.entries(paths)) figures.push(await reads(what, path, one, two, rounds))
    return figures
  } finally {
    await one.stop()
  }
}

/** The answers are computed: each URL is requested once. */
const paths = {
  'GET /api/auth': '/api/auth',
  '20 of 1000 children': '/api/pages/topic-1+section-1/children?limit=20',
}

/**
 * The load shares the machine, so that two workers never have two cores: what counts is their CPU time. Each worker has
 * as many connections as the one process, because requests that are read together take less time.
 */
async function reads(what: string, path: string, one: Serving, two: Serving, rounds: number): Promise<Figure> {
  logProgress(`${what}, two workers beside one process`)
  const perSecond = new Map<Serving, number[]>([one, two].map(serving => [serving, []]))
  const load = (serving: Serving) => async () => {
    const found = await rates(serving, {
      path,
      headers: serving.headers,
      variation: 'query',
      connections: 16 * Math.max(1, serving.workers.length),
    })
    perSecond.get(serving)!.push(found.perSecond)
    return found.perCpuSecond
  }
  // Each worker compiles its own code, from its share of the requests.
  for (const serving of [one, two])
    for (let second = 0; second < 10 * Math.max(1, serving.workers.length); second++) await load(serving)()
  for (const found of perSecond.values()) found.length = 0
  const { ratio, value, baseline } = await compare(rounds, load(two), load(one))
  const faster = median(perSecond.get(two)!) / median(perSecond.get(one)!)
  const detail = `${Math.round(value)} of ${Math.round(baseline)} requests per CPU-second; ${faster.toFixed(2)} × the requests per second, with the load on the same two cores`
  return atLeast(`${what}, two workers beside one process`, ratio, 0.9, detail)
}

function memory({ pid, workers: pids }: Serving): Figure[] {
  return [
    atMost('memory of a further worker', proportionalMemory(pids[1]!), 90, ' MB', 'after reads; its share (PSS)'),
    atMost('memory of the supervisor', proportionalMemory(pid), 30, ' MB', 'its share (PSS)'),
  ]
}

async function whileOthersSignIn(two: Serving, rounds: number): Promise<Figure[]> {
  logProgress('GET /api/auth while 50 sign-ins wait')
  const seconds = Math.max(3, rounds)
  const rate = async () => {
    const all: number[] = []
    for (let count = 0; count < seconds; count++)
      all.push((await rates(two, { path: '/api/auth', headers: two.headers, variation: 'none' })).perSecond)
    return median(all)
  }
  const ask = () => latencies(`${two.url}/api/auth`, two.headers, 200, seconds)
  await rate()
  await ask()
  const idle = [await rate(), await ask()] as const
  const loaded = await whileSigningIn(two, async () => [await rate(), await ask()] as const)
  const [idleP99, loadedP99] = [percentile(idle[1], 0.99), percentile(loaded[1], 0.99)]
  return [
    atLeast('rate of GET /api/auth while 50 sign-ins wait, two workers', loaded[0] / idle[0], 0.5, `${Math.round(loaded[0])} of ${Math.round(idle[0])} requests/s`),
    atMost('p99 of GET /api/auth while 50 sign-ins wait, two workers', loadedP99 / idleP99, 4, ' ×', `${loadedP99.toFixed(1)} ms against ${idleP99.toFixed(1)} ms, 200 requests/s`),
  ] // prettier-ignore
}
