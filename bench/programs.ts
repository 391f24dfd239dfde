import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Program {
  url: string
  pid: number
  stop(): Promise<void>
}

/** The sources, or with `--package` what `npm run package` has built. */
const quoinProgram = join(import.meta.dirname, process.argv.includes('--package') ? '../dist' : '..', 'bin/quoin.mjs')

/** An empty site, in a folder of its own. */
export interface Site {
  folder: string
  environment: Record<string, string>
  remove(): void
}

const metricsToken = 'a-long-random-token-of-the-benchmarks'

export function createSite(databaseUrl?: string): Site {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-bench-'))
  mkdirSync(join(folder, 'content'))
  return {
    folder,
    // Clients are distinguished by X-Forwarded-For, because the throttle allows one address only a login every few
    // minutes.
    environment: {
      QUOIN_TRUSTED_PROXIES: '127.0.0.1',
      QUOIN_METRICS_TOKEN: metricsToken,
      ...(databaseUrl && { QUOIN_DATABASE_URL: databaseUrl }),
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export function startQuoin(site: Site, ...options: string[]): Promise<Program> {
  return start([quoinProgram, 'start', site.folder, '--port', '0', '--json', ...options], site.environment)
}

/** Waits until all workers serve. Returns their process ids. */
export async function workersOf({ url, pid }: Program, count: number): Promise<number[]> {
  for (;;) {
    const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
    if (!response.ok) throw new Error(`/metrics was answered with ${response.status}`)
    if ((await response.text()).match(/^process_start_time_seconds\{worker=/gm)?.length === count) break
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
}

export function addUser(site: Site, email: string, password: string): void {
  execFileSync(
    process.execPath,
    [quoinProgram, 'user', 'create', '--site', site.folder, '--email', email, '--password-stdin'],
    {
      input: password,
      env: { ...process.env, ...site.environment },
    },
  )
}

/** A response, which the baseline server also returns. */
export interface Sample {
  status: number
  headers: Record<string, string>
  body: string
}

const connectionHeaders = new Set(['connection', 'keep-alive', 'date', 'content-length', 'set-cookie'])

export async function takeSample(url: string, headers: Record<string, string>): Promise<Sample> {
  const response = await fetch(url, { headers })
  const remaining = [...response.headers].filter(([name]) => !connectionHeaders.has(name))
  return { status: response.status, headers: Object.fromEntries(remaining), body: await response.text() }
}

/** A bare Fastify that returns the same response to every request on this route. */
export function startBare({ status, headers, body }: Sample, route = '/api/auth'): Promise<Program> {
  return start([join(import.meta.dirname, 'bare.ts'), String(status), JSON.stringify(headers), body, route], {})
}

async function start(words: string[], environment: Record<string, string>): Promise<Program> {
  const child = spawn(process.execPath, words, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { url } = JSON.parse(String(line).split('\n')[0]!) as { url?: string }
  if (url === undefined) throw new Error(`the program did not start: ${String(line)}`)
  return { url, pid: child.pid!, stop: () => stop(child) }
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Memory in MB, with the share of a process in memory that several processes use (PSS). */
export function proportionalMemory(pid: number): number {
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

/** Resident memory in MB. */
export function residentMemory({ pid }: Program): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}
