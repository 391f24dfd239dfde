import { randomBytes } from 'node:crypto'
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { expect, test } from 'vitest'
import { freePort } from '../tools/free-port.ts'
import { proxies } from '../tools/proxies.ts'
import { certificate } from './certificate.ts'
import { openStream } from './event-stream.ts'
import { addUser, beforeCleanUp, createTestApp, createTestStorage, engine, password } from './harness.ts'
import { isSlow } from './slow.ts'
import { addToken } from './tokens.ts'

const name = 'cms.example.org'

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Sends a request to this machine, with the host name of the site. */
function send(
  port: number,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
    withoutTls = false,
  }: {
    method?: string
    headers?: Record<string, string>
    body?: string | Buffer
    withoutTls?: boolean
  } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path,
      method,
      headers: { host: name, ...headers },
      agent: false as const,
    }
    const clientRequest = (withoutTls ? httpRequest : httpsRequest)(
      { ...options, servername: name, rejectUnauthorized: false },
      answer => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () =>
          resolve({ status: answer.statusCode!, headers: answer.headers, body: Buffer.concat(chunks) }),
        )
      },
    )
    clientRequest.on('error', reject)
    if (headers['expect'] === undefined) clientRequest.end(body)
    else clientRequest.once('continue', () => clientRequest.end(body)).flushHeaders()
  })
}

/** A form with one file. */
async function uploadForm(bytes: Buffer): Promise<{ headers: Record<string, string>; body: Buffer }> {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(bytes)], 'bytes.csv', { type: 'text/csv' }))
  const encoded = new Response(form)
  const body = Buffer.from(await encoded.arrayBuffer())
  return {
    headers: { 'content-type': encoded.headers.get('content-type')!, 'content-length': String(body.length) },
    body,
  }
}

/** Two servers on one store behind a proxy, both under `https://cms.example.org/cms`. */
async function startServersBehind(proxy: (typeof proxies)[number]) {
  const settings = { url: `https://${name}/cms`, trustedProxies: ['127.0.0.1'], log: { requests: true } }
  const storage = await createTestStorage()
  const servers = [await createTestApp({ storage, settings }), await createTestApp({ storage, settings })] as const
  const backends = [await servers[0].listen(), await servers[1].listen()]
  const ports = { backends, http: await freePort(), https: await freePort() }
  const program = await proxy.start({ ports, certificate })
  beforeCleanUp(() => program.stop())
  const { id: owner, email } = await addUser(servers[0])
  const { token } = await addToken(servers[0].app, { userId: owner, name: 'proxy', scopes: ['*'] })
  return { servers, ports, email, bearer: { authorization: `Bearer ${token}` } }
}

test.runIf(isSlow && engine === 'sqlite').for(proxies)(
  '$name with its configuration: TLS, forwarded headers, base path, cookies, uploads, streams, a server that stops',
  async (proxy, { skip }) => {
    skip(!proxy.isInstalled(), `${proxy.name} is not installed`)
    const { servers, ports, email, bearer } = await startServersBehind(proxy)

    const plain = await send(ports.http, '/cms/panel?x=1', { withoutTls: true })
    expect([301, 308]).toContain(plain.status)
    expect(plain.headers.location?.replace(`:${ports.https}`, '')).toBe(`https://${name}/cms/panel?x=1`)

    const start = await send(ports.https, '/cms/', { headers: { accept: 'text/html' } })
    expect(start.status).toBe(200)
    expect(start.headers['strict-transport-security']).toMatch(/^max-age=31536000/)
    expect(String(start.body)).toContain('href="/cms/panel"')

    const login = await send(ports.https, '/cms/api/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'http' },
      body: JSON.stringify({ email, password }),
    })
    expect(login.status).toBe(200)
    const sessionCookie = login.headers['set-cookie']!.find(cookie => cookie.includes('HttpOnly'))!
    expect(sessionCookie).toMatch(/; Path=\/cms(?:;|$)/)
    expect(sessionCookie).toContain('; Secure')
    const logged = servers.flatMap(server => server.logged)
    const signIns = logged.filter(({ msg, path }) => msg === 'answered' && path === '/cms/api/auth/login')
    // The address of the client as the proxy sees it, not the one that the client sends in a header.
    expect(signIns.map(({ ip }) => ip)).toEqual(['127.0.0.1'])
    const cookie = login.headers['set-cookie']!.map(header => header.split(';')[0]).join('; ')
    for (let count = 0; count < 4; count++)
      expect(
        (await send(ports.https, '/cms/api/auth', { headers: { cookie } })).status,
        'the session is valid on both servers',
      ).toBe(200)

    const bytes = Buffer.from(randomBytes(2_500_000).toString('hex'))
    const { headers, body } = await uploadForm(bytes)
    const uploaded = await send(ports.https, '/cms/api/site/files', {
      method: 'POST',
      headers: { ...bearer, ...headers },
      body,
    })
    expect([uploaded.status, String(uploaded.body).slice(0, 300)]).toEqual([200, expect.stringContaining('bytes')])
    const { data } = JSON.parse(String(uploaded.body)) as { data: { url: string } }
    expect(data.url.startsWith(`https://${name}/cms/media/`)).toBe(true)
    const read = await send(ports.https, new URL(data.url).pathname)
    expect([read.status, read.body.equals(bytes)]).toEqual([200, true])
    // More than nginx (`client_max_body_size 25m`) and the servers (`files.maxSize`, 20 MB) accept.
    const tooLarge = await uploadForm(Buffer.alloc(26 * 1024 * 1024))
    const refused = await send(ports.https, '/cms/api/site/files', {
      method: 'POST',
      headers: { ...bearer, ...tooLarge.headers, expect: '100-continue' },
      body: tooLarge.body,
    }).catch((error: NodeJS.ErrnoException) => error.code)
    expect(typeof refused === 'object' ? refused.status : refused).toBe(413)

    // A proxy that buffers would hold the event back: it is smaller than any buffer.
    const stream = await openStream(
      ports.https,
      { ...bearer, host: name, 'accept-encoding': 'gzip' },
      '/cms/api/site/events',
      options => httpsRequest({ ...options, servername: name, rejectUnauthorized: false }),
    )
    expect([stream.status, stream.headers['content-encoding']]).toEqual([200, undefined])
    await send(ports.https, '/cms/api/site/title', {
      method: 'PATCH',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Salt' }),
    })
    await stream.waitForEvents(1)
    expect(stream.heartbeats).toBe(0)
    stream.close()

    // The proxy connects from this machine, which may read the metrics; clients of the proxy may not.
    for (const path of ['/metrics', '/cms/metrics']) expect((await send(ports.https, path)).status).toBe(404)
    expect((await send(ports.https, '/cms/health/ready')).status).toBe(200)
    const otherHost = await send(ports.https, '/cms/api/system', { headers: { host: 'evil.example' } })
    expect(String(otherHost.body), 'with another host name').not.toContain('"status":"ok"')

    await servers[0].close()
    for (let count = 0; count < 20; count++)
      expect(
        (await send(ports.https, '/cms/api/auth', { headers: { cookie } })).status,
        'the other server answers',
      ).toBe(200)
  },
)
