import { addAccounts, whileSigningIn } from './auth.ts'
import { compare, latencies, logProgress, median, percentile, rates } from './load.ts'
import { fillSeeded } from './ordinary.ts'
import { createSite, type Program, proportionalMemory, type Site, startQuoin, workersOf } from './programs.ts'
import { atLeast, atMost, type Figure } from './results.ts'
import { createSession } from './sign-in.ts'

type RunningSite = Program & { workers: number[]; headers: Record<string, string> }

/** Two workers compared with one process, on SQLite: rates, memory, and latencies during sign-ins. */
export async function workers({ quick }: { quick: boolean }): Promise<Figure[]> {
  const rounds = quick ? 3 : 9
  /** How long each rate and each latency is measured during sign-ins. */
  const seconds = quick ? 3 : 9
  const site = createSite()
  try {
    await fillSeeded(site)
    await addAccounts(site)
    const two = await serve(site, 2)
    try {
      const figures = await compareWithOneProcess(site, two, rounds)
      return [...figures, ...memory(two), ...(await measureDuringSignIns(two, seconds))]
    } finally {
      await two.stop()
    }
  } finally {
    site.remove()
  }
}

async function serve(site: Site, count: number): Promise<RunningSite> {
  const program = await startQuoin(site, ...(count > 1 ? ['--workers', String(count)] : []))
  const pids = count > 1 ? await workersOf(program, count) : []
  return { ...program, workers: pids, headers: { cookie: await createSession(program) } }
}

async function compareWithOneProcess(site: Site, two: RunningSite, rounds: number): Promise<Figure[]> {
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
async function reads(what: string, path: string, one: RunningSite, two: RunningSite, rounds: number): Promise<Figure> {
  logProgress(`${what}, two workers compared with one process`)
  const perSecond = new Map<RunningSite, number[]>([one, two].map(running => [running, []]))
  const load = (running: RunningSite) => async () => {
    const found = await rates(running, {
      path,
      headers: running.headers,
      variation: 'query',
      connections: 16 * Math.max(1, running.workers.length),
    })
    perSecond.get(running)!.push(found.perSecond)
    return found.perCpuSecond
  }
  // Each worker compiles its own code, from its share of the requests.
  for (const running of [one, two])
    for (let second = 0; second < 10 * Math.max(1, running.workers.length); second++) await load(running)()
  // Only the rates after this warm-up count.
  for (const warmUpRates of perSecond.values()) warmUpRates.length = 0
  const { ratio, value, baseline } = await compare(rounds, load(two), load(one))
  const faster = median(perSecond.get(two)!) / median(perSecond.get(one)!)
  const detail = `${Math.round(value)} of ${Math.round(baseline)} requests per CPU-second; ${faster.toFixed(2)} × the requests per second, with the load on the same two cores`
  return atLeast(`${what}, two workers compared with one process`, ratio, 0.9, detail)
}

function memory({ pid, workers: pids }: RunningSite): Figure[] {
  return [
    atMost('memory of a further worker', proportionalMemory(pids[1]!), 90, ' MB', 'after reads; its share (PSS)'),
    atMost('memory of the supervisor', proportionalMemory(pid), 30, ' MB', 'its share (PSS)'),
  ]
}

async function measureDuringSignIns(two: RunningSite, seconds: number): Promise<Figure[]> {
  logProgress('GET /api/auth while 50 sign-ins wait')
  const measureRate = async () => {
    const all: number[] = []
    for (let second = 0; second < seconds; second++)
      all.push((await rates(two, { path: '/api/auth', headers: two.headers, variation: 'none' })).perSecond)
    return median(all)
  }
  const measureLatencies = () => latencies(`${two.url}/api/auth`, two.headers, 200, seconds)
  await measureRate()
  await measureLatencies()
  const idle = [await measureRate(), await measureLatencies()] as const
  const loaded = await whileSigningIn(two, async () => [await measureRate(), await measureLatencies()] as const)
  const [idleP99, loadedP99] = [percentile(idle[1], 0.99), percentile(loaded[1], 0.99)]
  return [
    atLeast('rate of GET /api/auth while 50 sign-ins wait, two workers', loaded[0] / idle[0], 0.5, `${Math.round(loaded[0])} of ${Math.round(idle[0])} requests/s`),
    atMost('p99 of GET /api/auth while 50 sign-ins wait, two workers', loadedP99 / idleP99, 4, ' ×', `${loadedP99.toFixed(1)} ms against ${idleP99.toFixed(1)} ms, 200 requests/s`),
  ] // prettier-ignore
}
