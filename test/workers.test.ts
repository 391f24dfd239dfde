/** `quoin start --workers`: several processes on one port. */
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createSite, quoin, type Server, serve } from './program.ts'
import { parsePrometheus } from './prometheus.ts'
import { isSlow } from './slow.ts'
import { until } from './until.ts'

const site = await createSite({ QUOIN_SHUTDOWN_DRAIN: '0' })
const server = await serve(site, {}, ['--workers', '2'])

interface Line {
  msg: string
  worker?: number
  pid?: number
}

const lines = ({ output }: Server): Line[] =>
  output()
    .split('\n')
    .filter(line => line.startsWith('{') && line.endsWith('}'))
    .map(line => JSON.parse(line) as Line)

/** The process ids of the workers with this number, the first one first. */
const pidsOf = (number: number) =>
  lines(server).flatMap(({ msg, worker, pid }) => (msg === 'started' && worker === number ? [pid!] : []))

const restarts = () => lines(server).filter(({ msg }) => msg === 'all workers were restarted').length

const metrics = async () => parsePrometheus((await server.send({ path: '/metrics' })).body)

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The outcomes of requests one after the other, each on a new connection, until `work` is done. */
async function outcomesDuring(work: () => Promise<unknown>): Promise<(number | string)[]> {
  const outcomes: (number | string)[] = []
  const done = new AbortController()
  const requests = (async () => {
    while (!done.signal.aborted)
      outcomes.push(await server.send({ path: '/health/live' }).then(({ status }) => status, String))
  })()
  try {
    await work()
  } finally {
    done.abort()
    await requests
  }
  return outcomes
}

test('all workers serve, and whichever is asked has the metrics of all', async () => {
  await until(() => expect(pidsOf(2)).toHaveLength(1))
  expect(pidsOf(1)).toHaveLength(1)
  expect(lines(server).every(({ worker }) => worker === 1 || worker === 2)).toBe(true)
  for (let count = 0; count < 4; count++) {
    const found = await metrics()
    expect([...found.get('process_start_time_seconds')!.values.keys()]).toEqual([
      'process_start_time_seconds{worker="1"}',
      'process_start_time_seconds{worker="2"}',
    ])
    expect([...found.get('quoin_store_up')!.values.keys()]).toEqual(['quoin_store_up'])
  }
})

test('workers take turns at hashing passwords, and every sign-in is answered', async () => {
  const body = { email: 'nobody@example.org', password: 'wrong-password' }
  // An address has one place in the queue of a worker: of two sign-ins none is refused. On a busy machine one may wait
  // for longer than the two seconds of the queue, and is tried again, as clients do.
  async function signIn(): Promise<number> {
    const startedAt = performance.now()
    const { status } = await server.send({ path: '/api/auth/login', body })
    if (status !== 503) return status
    expect(performance.now() - startedAt, 'it had a place').toBeGreaterThan(1900)
    return signIn()
  }
  expect(await Promise.all([signIn(), signIn()])).toEqual([401, 401])
})

test.runIf(isSlow)(
  'a worker that is killed is replaced, and only the request that it was answering is lost',
  async () => {
    const [killed] = pidsOf(2)
    const outcomes = await outcomesDuring(async () => {
      process.kill(killed!, 'SIGKILL')
      await until(() => expect(pidsOf(2)).toHaveLength(2))
    })
    expect(outcomes.filter(outcome => outcome !== 200).length).toBeLessThanOrEqual(1)
    expect(outcomes).toContain(200)
    expect(lines(server)).toContainEqual(expect.objectContaining({ worker: 2, msg: 'a worker died and is replaced' }))
  },
)

test.runIf(isSlow)('SIGHUP restarts all workers one after the other, and no request fails', async () => {
  const former = [pidsOf(1).at(-1)!, pidsOf(2).at(-1)!]
  const outcomes = await outcomesDuring(async () => {
    server.child.kill('SIGHUP')
    await until(() => expect(restarts()).toBe(1))
  })
  expect([...new Set(outcomes)]).toEqual([200])
  expect(former.filter(isAlive)).toEqual([])
  expect([pidsOf(1).length, pidsOf(2).length]).toEqual([2, 3])
})

test.runIf(isSlow)('SIGHUP while a worker is being replaced leaves as many as there should be', async () => {
  const before = restarts()
  process.kill(pidsOf(1).at(-1)!, 'SIGKILL')
  server.child.kill('SIGHUP')
  await until(() => expect(restarts()).toBe(before + 1))
  expect([...pidsOf(1), ...pidsOf(2)].filter(isAlive)).toHaveLength(2)
})

test('SIGTERM stops all of them', async () => {
  const current = [pidsOf(1).at(-1)!, pidsOf(2).at(-1)!]
  expect(current.filter(isAlive)).toHaveLength(2)
  server.child.kill('SIGTERM')
  server.child.kill('SIGHUP') // no reason to start others
  expect(await server.stop('SIGTERM')).toEqual({ code: 0, signal: null })
  expect(current.filter(isAlive)).toEqual([])
})

test.runIf(isSlow)('workers end with their supervisor, also if it is killed', async () => {
  const otherServer = await serve(site, {}, ['--workers', '2'])
  await until(() => expect(lines(otherServer).filter(({ msg }) => msg === 'started')).toHaveLength(2))
  const pids = lines(otherServer).flatMap(({ msg, pid }) => (msg === 'started' ? [pid!] : []))
  otherServer.child.kill('SIGKILL')
  await once(otherServer.child, 'exit')
  await until(() => expect(pids.filter(isAlive)).toEqual([]))
})

test.each(['0', '-1', 'many', '1.5', '10000'])('--workers %s is refused', async text => {
  const { code, stderr } = await quoin(['start', site.folder, '--workers', text])
  expect([code, stderr]).toEqual([2, expect.stringContaining('auto')])
})
