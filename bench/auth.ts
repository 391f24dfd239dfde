import { execFileSync, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { openApp } from '../src/app.ts'
import { operatorContext } from '../src/cli/site.ts'
import { createUser } from '../src/groups/users/users.ts'
import { loadConfig } from '../src/platform/config.ts'
import { startPostgres } from '../tools/postgres.ts'
import { compare, latencies, logProgress, median, percentile, throughput } from './load.ts'
import {
  addUser,
  createSite,
  type Program,
  residentMemory,
  type Site,
  startBare,
  startQuoin,
  takeSample,
} from './programs.ts'
import { atLeast, atMost, type Figure } from './results.ts'
import { accounts, login, password, createSession } from './sign-in.ts'

const hashing = { memory: 19_456, passes: 2, atOnce: Math.max(1, availableParallelism() - 1) }
const rounds = 15
const seconds = 1

/** Sign-in and authentication of requests, on both engines. */
export async function auth({ quick }: { quick: boolean }): Promise<Figure[]> {
  const figures: Figure[] = []
  const site = createSite()
  await addAccounts(site)
  const quoin = await startQuoin(site)
  try {
    logProgress('memory after the start')
    await pause(3000)
    figures.push(atMost('memory, idle', residentMemory(quoin), 110, ' MB', 'three seconds after the start'))
    figures.push(await reading(quoin, 'SQLite', 0.7))
    figures.push(await anonymousClients(quoin))
    figures.push(await responsiveness(quoin))
    figures.push(...(await signingIn(quoin, quick ? 200 : 5000)))
  } finally {
    await quoin.stop()
  }
  figures.push(await starting(site))
  site.remove()
  figures.push(...(await onPostgres()))
  return figures
}

export async function addAccounts(site: Site): Promise<void> {
  logProgress('creating accounts')
  const config = await loadConfig({ site: site.folder, environment: site.environment })
  const app = await openApp(config)
  for (const email of accounts)
    await createUser(operatorContext(app), { email, password, role: 'admin', shownReferences: 'all' })
  await app.close()
}

async function onPostgres(): Promise<Figure[]> {
  const postgres = await startPostgres()
  const site = createSite(postgres.url)
  try {
    addUser(site, accounts[0]!, password)
    const quoin = await startQuoin(site)
    try {
      return [await reading(quoin, 'PostgreSQL', 0.35)]
    } finally {
      await quoin.stop()
    }
  } finally {
    await postgres.stop()
    site.remove()
  }
}

/** `GET /api/auth` with a session. */
async function reading(quoin: Program, engine: string, target: number): Promise<Figure> {
  const what = `GET /api/auth with a session, ${engine}`
  logProgress(what)
  return againstBare(quoin, what, { cookie: await createSession(quoin) }, target)
}

async function anonymousClients(quoin: Program): Promise<Figure> {
  logProgress('GET /api/auth, anonymous')
  return againstBare(quoin, 'GET /api/auth, anonymous', {}, 0.85)
}

async function againstBare(quoin: Program, what: string, headers: Record<string, string>, target: number) {
  const sample = await takeSample(`${quoin.url}/api/auth`, headers)
  const bare = await startBare(sample)
  try {
    const load = (program: Program) => () => throughput(`${program.url}/api/auth`, headers, seconds)
    await load(bare)()
    await load(quoin)()
    const { ratio, value, baseline } = await compare(rounds, load(quoin), load(bare))
    const detail = `${Math.round(value)} of ${Math.round(baseline)} requests/s, ${sample.body.length} bytes of body`
    return atLeast(what, ratio, target, detail)
  } finally {
    await bare.stop()
  }
}

/** The latency of requests with a session while fifty sign-ins wait. */
async function responsiveness(quoin: Program): Promise<Figure> {
  logProgress('GET /api/auth while 50 sign-ins wait')
  const headers = { cookie: await createSession(quoin) }
  const measure = () => latencies(`${quoin.url}/api/auth`, headers, 200, 6)
  await measure()
  const idle = await measure()
  const loaded = await whileSigningIn(quoin, measure)
  const [idleP99, loadedP99] = [percentile(idle, 0.99), percentile(loaded, 0.99)]
  const detail = `${loadedP99.toFixed(1)} ms against ${idleP99.toFixed(1)} ms, 200 requests/s; medians ${median(loaded).toFixed(1)} and ${median(idle).toFixed(1)} ms`
  return atMost('p99 of GET /api/auth while 50 sign-ins wait', loadedP99 / idleP99, 4, ' ×', detail)
}

/**
 * Does the work while fifty sign-ins wait all the time. They come from another process, so that they do not
 * delay the one that measures.
 */
export async function whileSigningIn<Value>(quoin: Program, work: () => Promise<Value>): Promise<Value> {
  const loadProcess = spawn(process.execPath, [join(import.meta.dirname, 'crowd.ts'), quoin.url], { stdio: 'inherit' })
  await pause(2000)
  try {
    const result = await work()
    if (loadProcess.exitCode !== null) throw new Error('The clients that sign in have stopped; their error is above.')
    return result
  } finally {
    loadProcess.kill()
  }
}

/** Sign-ins per second, compared with hashing alone. */
async function signingIn(quoin: Program, count: number): Promise<Figure[]> {
  logProgress(`${count} sign-ins`)
  const clients = hashing.atOnce + 3 // enough that one is always queued
  const chunk = Math.ceil(count / 20) // short, so that changes in machine load affect both alike
  let done = 0
  const { ratio, value, baseline } = await compare(
    Math.ceil(count / chunk),
    async () => {
      const start = performance.now()
      let left = chunk
      await Promise.all(
        Array.from({ length: clients }, async () => {
          while (left-- > 0) if (!(await login(quoin)).ok) left++
        }),
      )
      done += chunk
      process.stderr.write(`  ${done} of ${count}\n`)
      return (chunk * 1000) / (performance.now() - start)
    },
    async () => bareHashing(2),
  )
  const detail = `${value.toFixed(1)} of ${baseline.toFixed(1)} a second, ${hashing.atOnce} hashed at once, ${hashing.memory} KiB, ${hashing.passes} passes`
  await pause(35_000) // memory is returned after half a minute without requests
  return [
    atLeast('sign-ins per second, of bare argon2id', ratio, 0.9, detail),
    atMost(`memory after ${count} sign-ins`, residentMemory(quoin), 130, ' MB', 'half a minute after the last one'),
  ]
}

function bareHashing(time: number): number {
  const words = [hashing.memory, hashing.passes, hashing.atOnce, time].map(String)
  const answer = execFileSync(process.execPath, [join(import.meta.dirname, 'hash.ts'), ...words], { encoding: 'utf8' })
  return (JSON.parse(answer) as { perSecond: number }).perSecond
}

/** The time from the command to the first response, with a warm compile cache. */
async function starting(site: Site): Promise<Figure> {
  logProgress('starting')
  const times: number[] = []
  for (let round = 0; round < 6; round++) {
    const start = performance.now()
    const quoin = await startQuoin(site)
    await fetch(`${quoin.url}/api/auth`).then(response => response.text())
    times.push((performance.now() - start) / 1000)
    await quoin.stop()
  }
  return atMost(
    'from the command to the first answer',
    median(times.slice(1)),
    0.8,
    ' s',
    'compile cache warm, median of five',
  )
}

const pause = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds))
