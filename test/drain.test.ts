/** A process that is stopped serves until the load balancer has noticed: no request fails. */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSite, serve, type Server } from './program.ts'
import { isSlow } from './slow.ts'

async function get({ port }: { port: number }, path: string, agent?: Agent) {
  const sent = request({ port, path, agent: agent ?? false }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode!, headers: answer.headers, body: await text(answer) }
}

const isReady = async (server: Server) => (await get(server, '/health/ready')).status === 200

test('SIGTERM: not ready, but serving without keep-alive; the next signal ends the drain', async () => {
  const server = await serve(await createSite({ QUOIN_SHUTDOWN_DRAIN: '3600' }))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  expect((await get(server, '/health/live', agent)).headers.connection).toBe('keep-alive')
  server.child.kill('SIGTERM')
  await expect.poll(() => isReady(server), { timeout: 60_000 }).toBe(false)
  const received = performance.now() // at the latest

  const probe = await get(server, '/health/ready')
  expect(JSON.parse(probe.body)).toMatchObject({ status: 'error', code: 503, key: 'error.unavailable' })
  expect(Number(probe.headers['retry-after'])).toBeGreaterThan(0)
  for (const each of [agent, undefined]) {
    expect(await get(server, '/health/live', each)).toMatchObject({ status: 200, headers: { connection: 'close' } })
    // Twice: the second one is an answer of the response cache.
    for (let times = 0; times < 2; times++)
      expect(await get(server, '/api/auth', each)).toMatchObject({ status: 401, headers: { connection: 'close' } })
  }
  await sleep(Math.max(0, received + 2100 - performance.now())) // signals within two seconds count as the same one
  expect(await server.stop('SIGTERM')).toEqual({ code: 0, signal: null })
  expect(server.output()).toContain('"msg":"stopped"')
})

test.runIf(isSlow)('a rolling restart fails no request', async () => {
  const site = await createSite({ QUOIN_SHUTDOWN_DRAIN: '2' })
  const pool: { server: Server; agent: Agent; isUp: boolean }[] = []
  const add = async () =>
    void pool.push({ server: await serve(site), agent: new Agent({ keepAlive: true }), isUp: true })
  await add()
  await add()
  const until = { over: false }
  // A load balancer, as far as it matters here: it probes, and prefers whichever is ready.
  const probing = (async () => {
    for (; !until.over; await sleep(100))
      for (const one of pool) one.isUp = await isReady(one.server).catch(() => false)
  })()
  const statuses: Record<string, number> = {}
  const client = async (number: number) => {
    for (let count = number; !until.over; count++) {
      const up = pool.filter(({ isUp }) => isUp)
      const chosen = up[count % up.length]
      const outcome = chosen
        ? await get(chosen.server, '/api/auth', chosen.agent).then(
            ({ status }) => String(status),
            (error: Error) => error.message,
          )
        : await sleep(10, 'none is ready')
      statuses[outcome] = (statuses[outcome] ?? 0) + 1
    }
  }
  const clients = [1, 2, 3, 4].map(client)
  try {
    for (let round = 0; round < 2; round++) {
      const [old] = pool
      await add()
      expect(await old!.server.stop('SIGTERM')).toEqual({ code: 0, signal: null })
      pool.shift()
    }
  } finally {
    until.over = true
    await Promise.all([...clients, probing])
  }
  expect(Object.keys(statuses)).toEqual(['401'])
  expect(statuses['401']).toBeGreaterThan(100)
})
