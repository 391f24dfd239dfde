import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../test/harness.ts'
import { limitConnections } from './limit-connections.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`

async function open(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** The status of the answer on a connection of its own; the connection stays open. */
async function statusOn(socket: Socket): Promise<number> {
  socket.write(get('/health/live'))
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  return Number(bytes.toString().split(' ')[1])
}

const dropped = ({ logged }: TestApp) =>
  logged.filter(line => line['msg'] === 'dropped an answer that made no progress').length

test('a response that is not read is dropped; one that is read slowly is not', async () => {
  // On a busy machine the slow reader may wait for a second, too.
  const site = await createTestApp({ settings: { http: { readTimeout: 4 } } })
  const port = await site.listen()
  const large = get('/openapi.json').repeat(300) // more than all buffers between us take

  const slow = await open(port)
  slow.on('data', () => {
    slow.pause()
    setTimeout(() => slow.resume(), 10)
  })
  slow.write(large)

  const stalled = await open(port)
  stalled.pause()
  stalled.write(large)

  while (dropped(site) === 0) await sleep(20)
  await once(slow, 'data') // it is still answered
  expect(dropped(site)).toBe(1)
  expect(slow.destroyed).toBe(false)
  const closed = new Promise(resolve => stalled.once('close', resolve))
  stalled.resume()
  await closed
  slow.destroy()
})

test('connections are limited per address', async () => {
  const site = await createTestApp({ settings: { http: { connectionsPerAddress: 2 } } })
  const port = await site.listen()
  const first = await open(port)
  expect(await statusOn(first)).toBe(200)
  expect(await statusOn(await open(port))).toBe(200)
  const refused = await open(port)
  const [bytes] = (await once(refused, 'data')) as [Buffer]
  expect(bytes.toString()).toMatch(/^HTTP\/1\.1 503 .*retry-after: 5.*"key":"error\.busy"/s)
  await once(refused, 'close')
  expect(await statusOn(await open(port, '127.0.0.2'))).toBe(200)
  expect(site.logged.filter(line => String(line['msg']).includes('trustedProxies'))).toHaveLength(1)

  first.destroy()
  for (let status = 503; status !== 200;) status = await statusOn(await open(port))
})

test('connections of a trusted proxy are not limited', async () => {
  const settings = { http: { connectionsPerAddress: 1 }, trustedProxies: ['127.0.0.1'] }
  const site = await createTestApp({ settings })
  const port = await site.listen()
  const sockets = [await open(port), await open(port), await open(port)]
  for (const socket of sockets) expect(await statusOn(socket)).toBe(200)
})

test('idle connections are closed; those of a trusted proxy, which may be about to reuse them, much later', async () => {
  for (const trustedProxies of [[], ['127.0.0.1']]) {
    const server = createServer({ keepAliveTimeout: 5000 }, (_, response) => void response.end('here'))
    const { log } = (await createTestApp()).app
    limitConnections(
      server,
      { config: { trustedProxies, http: { readTimeout: 30, connectionsPerAddress: 9 } }, log },
      {},
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const client = await open((server.address() as AddressInfo).port)
    const [connection] = await accepted
    expect(await statusOn(client)).toBe(200)
    expect(connection.timeout).toBeLessThan(10_000)
    server.emit('timeout', connection) // as Node does after that time
    if (trustedProxies.length > 0) {
      expect(connection.timeout).toBeGreaterThan(60_000)
      expect(await statusOn(client)).toBe(200)
      expect(connection.timeout).toBeLessThan(10_000)
      server.emit('timeout', connection)
      server.emit('timeout', connection)
    }
    await once(client, 'close')
    server.close()
  }
})
