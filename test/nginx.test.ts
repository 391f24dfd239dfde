import { randomBytes } from 'node:crypto'
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { expect, test } from 'vitest'
import { freePort } from '../tools/free-port.ts'
import { hasNginx, startNginx } from '../tools/nginx.ts'
import { certificate } from './certificate.ts'
import { addUser, beforeCleanUp, createTestApp, engine, password } from './harness.ts'
import { isSlow } from './slow.ts'
import { addToken } from './tokens.ts'

const name = 'cms.example.org'

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A request to this machine, under the name of the site. */
function ask(
  port: number,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
    isPlain = false,
  }: {
    method?: string
    headers?: Record<string, string>
    body?: string | Buffer
    isPlain?: boolean
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
    const sent = (isPlain ? httpRequest : httpsRequest)(
      { ...options, servername: name, rejectUnauthorized: false },
      answer => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () =>
          resolve({ status: answer.statusCode!, headers: answer.headers, body: Buffer.concat(chunks) }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** A form with one file. */
async function formWith(bytes: Buffer): Promise<{ headers: Record<string, string>; body: Buffer }> {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(bytes)], 'bytes.csv', { type: 'text/csv' }))
  const sent = new Response(form)
  const body = Buffer.from(await sent.arrayBuffer())
  return { headers: { 'content-type': sent.headers.get('content-type')!, 'content-length': String(body.length) }, body }
}

test.runIf(isSlow && engine === 'sqlite')(
  'nginx with the configuration of the guide: TLS, forwarded headers, base path, cookies, uploads',
  async ({ skip }) => {
    skip(!hasNginx(), 'nginx is not installed')
    const settings = { url: `https://${name}/cms`, trustedProxies: ['127.0.0.1'], log: { requests: true } }
    const site = await createTestApp({ settings })
    const { id: owner, email } = await addUser(site)
    const { token } = await addToken(site.app, { owner, name: 'nginx', scopes: ['*'] })
    const ports = { backend: await site.listen(), http: await freePort(), https: await freePort() }
    const nginx = await startNginx({ ports, certificate })
    beforeCleanUp(() => nginx.stop())

    const plain = await ask(ports.http, '/cms/panel?x=1', { isPlain: true })
    expect([plain.status, plain.headers.location]).toEqual([301, `https://${name}/cms/panel?x=1`])

    const start = await ask(ports.https, '/cms/', { headers: { accept: 'text/html' } })
    expect(start.status).toBe(200)
    expect(start.headers['strict-transport-security']).toMatch(/^max-age=31536000/)
    expect(String(start.body)).toContain('href="/cms/panel"')

    const login = await ask(ports.https, '/cms/api/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9' },
      body: JSON.stringify({ email, password }),
    })
    expect(login.status).toBe(200)
    const session = login.headers['set-cookie']!.find(cookie => cookie.includes('HttpOnly'))!
    expect(session).toMatch(/; Path=\/cms(?:;|$)/)
    expect(session).toContain('; Secure')
    const ips = site.logged.filter(({ msg, path }) => msg === 'answered' && path === '/cms/api/auth/login')
    expect(ips.map(({ ip }) => ip)).toEqual(['127.0.0.1']) // of the connection to nginx, not what the client has said
    const cookie = login.headers['set-cookie']!.map(one => one.split(';')[0]).join('; ')
    expect((await ask(ports.https, '/cms/api/auth', { headers: { cookie } })).status).toBe(200)

    const bearer = { authorization: `Bearer ${token}` }
    const bytes = Buffer.from(randomBytes(2_500_000).toString('hex'))
    const { headers, body } = await formWith(bytes)
    const uploaded = await ask(ports.https, '/cms/api/site/files', {
      method: 'POST',
      headers: { ...bearer, ...headers },
      body,
    })
    expect([uploaded.status, String(uploaded.body).slice(0, 300)]).toEqual([200, expect.stringContaining('bytes')])
    const { data } = JSON.parse(String(uploaded.body)) as { data: { url: string } }
    expect(data.url.startsWith(`https://${name}/cms/media/`)).toBe(true)
    const read = await ask(ports.https, new URL(data.url).pathname)
    expect([read.status, read.body.equals(bytes)]).toEqual([200, true])
    const tooLarge = await formWith(Buffer.alloc(26 * 1024 * 1024))
    const refused = await ask(ports.https, '/cms/api/site/files', {
      method: 'POST',
      headers: { ...bearer, ...tooLarge.headers, expect: '100-continue' },
    }).catch((error: NodeJS.ErrnoException) => error.code)
    expect(typeof refused === 'object' ? refused.status : refused).toBe(413)

    // For nginx everybody is on this machine: neither metrics nor the set-up may be open because of that.
    expect((await ask(ports.https, '/metrics')).status).toBe(404)
    expect((await ask(ports.https, '/cms/health/ready')).status).toBe(200)
    expect((await ask(ports.https, '/cms/api/system', { headers: { host: 'evil.example' } })).status).toBe(421)
  },
)
