import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'
import type { Program } from './programs.ts'

const connections = 16

/** What differs in every request: nothing, a header that has no effect, or a query parameter that has no effect. */
export type Variation = 'none' | 'header' | 'query'
export const variations: readonly Variation[] = ['none', 'header', 'query']

export interface Load {
  path: string
  headers: Record<string, string>
  variation: Variation
  connections?: number
}

let number = 0

/** Requests per second of CPU time of the server, over one second. */
export async function perCpuSecond(program: Program, load: Load): Promise<number> {
  return (await rates(program, load)).perCpuSecond
}

/** Requests per second and per second of CPU time of all these processes, over one second. */
export async function rates(
  { url, pid, workers = [] }: Pick<Program, 'url' | 'pid'> & { workers?: readonly number[] },
  load: Load,
): Promise<{ perSecond: number; perCpuSecond: number }> {
  const cpu = () => [pid, ...workers].reduce((sum, each) => sum + cpuSeconds(each), 0)
  const before = cpu()
  const { requests, duration } = await send(url, load, { duration: 1 })
  const seconds = cpu() - before
  return { perSecond: requests.total / duration, perCpuSecond: requests.total / seconds }
}

/**
 * Sends so many requests that V8 has compiled their code. A fixed time would not be enough: on a busy machine a second
 * has only a few hundred requests, and interpreted code takes several times as long.
 */
export async function warmUp({ url }: Pick<Program, 'url'>, load: Load): Promise<void> {
  await send(url, load, { amount: 5000 })
}

async function send(
  url: string,
  { path, headers, variation, connections: count = connections }: Load,
  limit: { duration: number } | { amount: number },
): Promise<autocannon.Result> {
  const separator = path.includes('?') ? '&' : '?'
  const setupRequest = (request: autocannon.Request): autocannon.Request =>
    variation === 'header'
      ? { ...request, headers: { ...headers, 'x-visit': String(number++) } }
      : { ...request, path: variation === 'query' ? `${path}${separator}_=${number++}` : path }
  const result = await autocannon({ url, connections: count, ...limit, requests: [{ path, headers, setupRequest }] })
  // A 304 is what a conditional request asks for.
  const refused = result.non2xx - (result.statusCodeStats?.['304']?.count ?? 0)
  if (result.errors > 0 || result.requests.total === 0 || refused > 0)
    throw new Error(`${result.errors + refused} requests to ${url}${path} failed`)
  return result
}

/** User and system time of a process, in seconds. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/**
 * Requests per second over a few connections that never pause. With `paths`, each connection gets a share of them.
 */
export async function throughput(
  url: string,
  headers: Record<string, string>,
  seconds: number,
  paths?: readonly string[],
): Promise<number> {
  const requests = paths?.map(path => ({ path, headers }))
  let clients = 0
  const setupClient = (client: autocannon.Client) => {
    const share = requests!.length / connections
    client.setRequests(requests!.slice(clients * share, ++clients * share))
  }
  const result = await autocannon({ url, headers, connections, duration: seconds, ...(requests && { setupClient }) })
  if (result.errors > 0 || result.requests.total === 0 || (paths && result.non2xx > 0))
    throw new Error(`${result.errors + result.non2xx} requests to ${url} failed`)
  return result.requests.total / result.duration
}

/** Prints to stderr what is measured now, because a measurement takes minutes. */
export const logProgress = (what: string) => process.stderr.write(`measuring: ${what}\n`)

/** The ratio of two servers, measured in alternating rounds, so that changes in machine load affect both alike. */
export async function compare(rounds: number, measure: () => Promise<number>, baseline: () => Promise<number>) {
  const pairs: [number, number][] = []
  for (let round = 0; round < rounds; round++) {
    const first = await baseline()
    const value = await measure()
    const second = await baseline()
    pairs.push([value, (first + second) / 2])
  }
  return {
    ratio: median(pairs.map(([value, baselineValue]) => value / baselineValue)),
    value: median(pairs.map(([value]) => value)),
    baseline: median(pairs.map(([, baselineValue]) => baselineValue)),
  }
}

/** Latencies in ms at a constant request rate, as the panel of one user would send them. */
export async function latencies(
  url: string,
  headers: Record<string, string>,
  perSecond: number,
  seconds: number,
): Promise<number[]> {
  const waiting: Promise<number>[] = []
  const start = performance.now()
  for (let sent = 0; sent < perSecond * seconds; sent++) {
    const due = start + (sent * 1000) / perSecond
    const pause = due - performance.now()
    if (pause > 0) await new Promise(resolve => setTimeout(resolve, pause))
    waiting.push(timed(() => fetch(url, { headers }).then(response => response.arrayBuffer())))
  }
  return Promise.all(waiting)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

export function median(values: number[]): number {
  return percentile(values, 0.5)
}

export function percentile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!
}
