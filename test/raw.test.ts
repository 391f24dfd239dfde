import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { addUser, createTestApp, password } from './harness.ts'
import { isSlow } from './slow.ts'
import { addToken } from './tokens.ts'

const site = await createTestApp()
const port = await site.listen()

// ---- a client that sends exactly what it is given

interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

interface Exchanged {
  answers: RawAnswer[]
  closed: boolean
}

/** Limit for a connection that hangs, in ms. */
const hangingMs = 60_000

/** Sends the bytes and listens until the server closes the connection, or `count` answers are in. */
async function send(bytes: string, { count = 1 } = {}): Promise<Exchanged> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1')
  socket.write(bytes, 'latin1')
  const closed = closing(socket)
  const enough = (async () => {
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      received += chunk as string
      if (answersIn(received).length >= count) break
    }
    return sleep(50).then(() => false) // a moment for unexpected data
  })()
  const ended = await Promise.race([closed, enough.catch(() => true), sleep(hangingMs).then(() => false)])
  const answers = answersIn(received)
  const closeMs = answers.at(-1)?.headers['connection'] === 'close' ? hangingMs : 100
  const isClosed = ended || (await Promise.race([closed, sleep(closeMs).then(() => false)]))
  socket.destroy()
  return { answers, closed: isClosed }
}

/** Also when the end is an error: the other side may reset the connection. */
function closing(socket: Socket): Promise<true> {
  return new Promise(resolve => socket.on('error', () => {}).on('close', () => resolve(true)))
}

function answersIn(text: string): RawAnswer[] {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return []
  const [first, ...lines] = text.slice(0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const length = Number(headers['content-length'] ?? 0)
  const start = end + 4
  if (text.length < start + length) return []
  const answer = { status: Number(first!.split(' ')[1]), headers, body: text.slice(start, start + length) }
  return [answer, ...answersIn(text.slice(start + length))]
}

const host = 'Host: 127.0.0.1\r\n'
const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\n${host}${headers}\r\n`
const login = (headers: string, body: string) =>
  `POST /api/auth/login HTTP/1.1\r\n${host}Content-Type: application/json\r\n${headers}\r\n${body}`
const keyOf = ({ body }: RawAnswer) => (JSON.parse(body) as { key: string }).key
const rows = (table: 'throttle' | 'sessions') => site.app.store.db.selectFrom(table).selectAll().execute()
/** Method and route of every answered request since the log was cleared. */
const answered = () => site.logged.filter(({ msg }) => msg === 'answered').map(({ method, route }) => [method, route])

/** One response: an error in the documented form with all headers, from any part of the server. */
function expectRefusal({ answers, closed }: Exchanged, status: number, key: string, { close = true } = {}): void {
  expect(answers.map(answer => [answer.status, keyOf(answer)])).toEqual([[status, key]])
  const [{ headers }] = answers as [RawAnswer]
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  expect(headers).not.toHaveProperty('server')
  if (close) expect([closed, headers['connection']]).toEqual([true, 'close'])
}

describe('framing', () => {
  test('A10: Content-Length with Transfer-Encoding is 400, and a smuggled request is not run', async () => {
    for (const both of [
      'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n',
      'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n',
    ]) {
      site.logged.length = 0
      expectRefusal(
        await send(login(both, `0\r\n\r\n${get('/api/auth')}`), { count: 2 }),
        400,
        'error.request.malformed',
      )
      expect(answered()).not.toContainEqual(['GET', '/api/auth'])
    }
  })

  test.each([
    '+4',
    '4,4',
    '4, 4',
    '0x4',
    '-4',
    '-1',
    '4.0',
    '4e0',
    '',
    'four',
    '18446744073709551616',
    '4\r\nContent-Length: 4',
    '4\r\nContent-Length: 5',
  ])('A12: Content-Length: %j is 400', async length => {
    site.logged.length = 0
    const sent = await send(login(`Content-Length: ${length}\r\n`, `null${get('/api/auth')}`), { count: 2 })
    expectRefusal(sent, 400, 'error.request.malformed')
    expect(answered()).not.toContainEqual(['GET', '/api/auth'])
  })

  test('A12: a length of 2^63 is refused before anything is read', async () => {
    expectRefusal(await send(login('Content-Length: 9223372036854775808\r\n', '{}')), 413, 'error.request.tooLarge')
  })

  test('A12: spaces around a length are ignored', async () => {
    const { answers } = await send(login('Content-Length:   2  \r\n', '{}'))
    expect(answers.map(keyOf)).toEqual(['error.validation'])
  })

  test.each([
    ['a size that is not a number', 'zz\r\n{}\r\n0\r\n\r\n'],
    ['a size with a sign', '+2\r\n{}\r\n0\r\n\r\n'],
    ['a size with 0x', '0x2\r\n{}\r\n0\r\n\r\n'],
    ['a size too large for any machine', 'fffffffffffffffff\r\n{}'],
    ['more bytes than announced', '1\r\n{}\r\n0\r\n\r\n'],
    ['an extension of 20 KB', `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`],
  ])('A14: a chunked body with %s is 400', async (_, body) => {
    expectRefusal(await send(login('Transfer-Encoding: chunked\r\n', body)), 400, 'error.request.malformed')
  })

  test.each([
    'gzip, chunked',
    'chunked, chunked',
    'identity',
    'x-chunked',
    'gzip',
    'chunked\r\nTransfer-Encoding: chunked',
  ])('A15: Transfer-Encoding: %j is 400', async coding => {
    const sent = await send(login(`Transfer-Encoding: ${coding}\r\n`, '2\r\n{}\r\n0\r\n\r\n'))
    expectRefusal(sent, 400, 'error.request.malformed', { close: false })
  })

  test('A14: a chunked body is accepted, and limited without a stated length', async () => {
    const small = await send(login('Transfer-Encoding: chunked\r\n', '1\r\n{\r\n1\r\n}\r\n0\r\n\r\n'))
    expect(small.answers.map(keyOf)).toEqual(['error.validation'])
    const large = await send(login('Transfer-Encoding: chunked\r\n', `2800\r\n${' '.repeat(0x2800)}\r\n0\r\n\r\n`))
    expectRefusal(large, 413, 'error.request.tooLarge')
  })

  test.each([
    ['TLS', '\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method in lower case', `get /api/auth HTTP/1.1\r\n${host}\r\n`],
    ['an unknown method', `BOGUS /api/auth HTTP/1.1\r\n${host}\r\n`],
    ['a path without a slash', `GET api/auth HTTP/1.1\r\n${host}\r\n`],
    ['a folded header', get('/api/auth', 'X: a\r\n b\r\n')],
    ['NUL in a header', get('/api/auth', 'X: a\0b\r\n')],
    ['lines that end with LF only', `GET /api/auth HTTP/1.1\nHost: 127.0.0.1\n\n`],
    ['a blank before the colon', get('/api/auth', 'Origin : http://127.0.0.1\r\n')],
  ])('%s is 400', async (_, bytes) => {
    expectRefusal(await send(bytes), 400, 'error.request.malformed')
  })
})

describe('headers', () => {
  test('A17: two Authorization headers are 400, whichever of them is right', async () => {
    const { id: owner } = await addUser(site)
    const { token } = await addToken(site.app, { userId: owner, name: 'test', scopes: ['*'] })
    const [right, wrong] = [`Authorization: Bearer ${token}\r\n`, 'Authorization: Bearer x\r\n']
    expect((await send(get('/api/auth', right))).answers[0]!.status).toBe(200)
    for (const both of [right + wrong, wrong + right, right + right]) {
      expectRefusal(await send(get('/api/auth', both)), 400, 'error.request.malformed', { close: false })
    }
  })

  test.each([
    'Origin: http://127.0.0.1:4080',
    'Sec-Fetch-Site: same-origin',
    'Content-Type: application/json',
    'X-CSRF: x',
    'host: 127.0.0.1',
  ])('A18: %s twice is 400', async line => {
    const other = line.replace(/^([\w-]+): .*/, (_, name: string) => `${name.toUpperCase()}: other`)
    for (const second of [line, other]) {
      const headers = line.startsWith('host') ? second : `${line}\r\n${second}`
      const sent = await send(get('/api/auth', `${headers}\r\n`))
      expectRefusal(sent, 400, 'error.request.malformed', { close: false })
    }
  })

  test('a header block above 16 KiB is 431', async () => {
    expectRefusal(await send(get('/api/auth', `X: ${'x'.repeat(17_000)}\r\n`)), 431, 'error.request.headersTooLarge')
    expectRefusal(await send(get(`/${'x'.repeat(17_000)}`)), 431, 'error.request.headersTooLarge')
    expect((await send(get('/api/auth', `X: ${'x'.repeat(15_000)}\r\n`))).answers[0]!.status).toBe(401)
  })

  test('more than 100 headers are 431, and none is dropped silently', async () => {
    const many = await send(get('/api/auth', 'X: y\r\n'.repeat(100)))
    expectRefusal(many, 431, 'error.request.headersTooLarge', { close: false })
    expect((await send(get('/api/auth', 'X: y\r\n'.repeat(99)))).answers[0]!.status).toBe(401)
    const last = await send(get('/api/auth', `${'X: y\r\n'.repeat(97)}Origin: a\r\nOrigin: b\r\n`))
    expectRefusal(last, 400, 'error.request.malformed', { close: false })
  })

  test('a request without a host, or with another one, is refused', async () => {
    for (const lines of ['1.1\r\n', '1.0\r\n']) {
      expectRefusal(await send(`GET /api/auth HTTP/${lines}\r\n`), 400, 'error.request.malformed', { close: false })
    }
    for (const lines of ['1.1\r\nHost:\r\n', '1.1\r\nHost: evil.example\r\n']) {
      expectRefusal(await send(`GET /api/auth HTTP/${lines}\r\n`), 421, 'error.request.host', { close: false })
    }
  })

  test('non-ASCII bytes in X-CSRF are a wrong token, not an error', async () => {
    const { email } = await addUser(site)
    const browser = site.browser()
    await browser.client.auth.login({ email, password })
    const cookie = `Cookie: ${[...browser.cookies].map(pair => pair.join('=')).join('; ')}\r\n`
    const sent = await send(login(`${cookie}X-CSRF: ${'\xe9'.repeat(43)}\r\nContent-Length: 2\r\n`, '{}'))
    expectRefusal(sent, 403, 'error.auth.csrf', { close: false })
  })
})

/** The response on a connection of its own, until the server closes it. */
async function headAndBody(method: string, headers: string) {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  socket.write(`${method} /api/auth HTTP/1.1\r\n${host}Connection: close\r\n${headers}\r\n`)
  const [head = '', ...bodies] = (await socket.toArray()).join('').split('\r\n\r\n')
  const [status] = head.split('\r\n')
  return { status, length: Number(/content-length: (\d+)/i.exec(head)?.[1]), body: bodies.join('\r\n\r\n') }
}

describe('request targets', () => {
  test('A04: HEAD is GET without the body', async () => {
    const { id: owner } = await addUser(site)
    const { token } = await addToken(site.app, { name: 'test', scopes: ['*'], userId: owner })
    for (const headers of ['', `Authorization: Bearer ${token}\r\n`]) {
      const [whole, head] = [await headAndBody('GET', headers), await headAndBody('HEAD', headers)]
      expect(head).toEqual({ ...whole, body: '' })
      expect(whole.body).toHaveLength(whole.length)
      expect(whole.status).toMatch(headers === '' ? / 401 / : / 200 /)
    }
  })

  test('TRACE is 405 and repeats nothing; CONNECT opens no tunnel', async () => {
    const trace = await send(`TRACE /api/auth HTTP/1.1\r\n${host}X-Secret: swordfish\r\n\r\n`)
    expectRefusal(trace, 405, 'error.methodNotAllowed', { close: false })
    expect(trace.answers[0]!.headers['allow']).toBe('GET, HEAD')
    expect(JSON.stringify(trace.answers)).not.toContain('swordfish')
    const tunnel = await send(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n${host}\r\n${get('/api/auth')}`, { count: 2 })
    expect(tunnel.answers.filter(({ status }) => status < 400)).toEqual([])
    expect(tunnel.closed).toBe(true)
  })

  test('an absolute URL is reduced to its path: Host determines the host', async () => {
    const ask = async (line: string, headers = host) => (await send(`${line} HTTP/1.1\r\n${headers}\r\n`)).answers[0]!
    expect((await ask('GET http://evil.example/api/auth')).status).toBe(401)
    expect((await ask('GET HTTPS://user@evil.example:99/api/auth?x=1')).status).toBe(401)
    expect((await ask('GET http://127.0.0.1/api/auth', 'Host: evil.example\r\n')).status).toBe(421)
    expect((await ask('GET http://127.0.0.1')).status).toBe(404)
    const wrong = await ask('PUT http://evil.example/api/auth')
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'GET, HEAD'])
    const headers = `${host}X-HTTP-Method-Override: DELETE\r\n`
    expect(keyOf(await ask('POST http://127.0.0.1/api/auth/login', headers))).toBe('error.validation')
    expect((await ask('OPTIONS *')).status).toBe(404)
  })

  test.each([
    '/api/auth/login/',
    '/API/auth/login',
    '/api/Auth/login',
    '/api//auth/login',
    '//api/auth/login',
    '/api/auth/login;x',
    '/api/auth;x/login',
    '/api/auth/../auth/login',
    '/api/./auth/login',
    '/api/auth/login%00',
    '/api/auth/login%20',
    '/api/auth%2flogin',
    '/api/auth/login%2f',
    '/api/auth/%256cogin',
    '/api/auth\\login',
    '/api/auth/%EF%BD%8Cogin',
    '/api/auth/login.',
    '/api/auth/login.json',
  ])('A29: %s is not found', async path => {
    const body = JSON.stringify({ email: 'ada@example.org', password })
    const bytes = Buffer.from(login(`Content-Length: ${body.length}\r\n`, body).replace('/api/auth/login', path))
    const before = await rows('throttle')
    const { answers } = await send(bytes.toString('latin1'))
    expect(answers.map(({ status }) => status)).toEqual([404])
    expect(await rows('throttle')).toEqual(before)
  })

  test('A29: equivalent spellings of a path are the same, and charge the same buckets', async () => {
    const body = JSON.stringify({ email: 'nobody@example.org', password })
    const charged = async (path: string) => {
      const bytes = login(`Content-Length: ${body.length}\r\n`, body).replace('/api/auth/login', path)
      expect((await send(bytes)).answers.map(keyOf)).toEqual(['error.access.login'])
      return (await rows('throttle')).map(({ bucket }) => bucket).toSorted()
    }
    const buckets = await charged('/api/auth/login')
    expect(buckets.length).toBeGreaterThan(0)
    expect(await charged('/api/auth/%6cogin')).toEqual(buckets)
    expect(await charged('http://127.0.0.1/api/auth/login')).toEqual(buckets)
    await site.app.store.db.deleteFrom('throttle').execute()
  })
})

describe('several requests on one connection', () => {
  test('A20: pipelined login, logout and GET are answered in order, and the GET is anonymous', async () => {
    const { email } = await addUser(site)
    for (let round = 0; round < 10; round++) {
      const browser = site.browser()
      await browser.client.auth.login({ email, password })
      const cookie = `Cookie: ${[...browser.cookies].map(pair => pair.join('=')).join('; ')}\r\n`
      const body = JSON.stringify({ email, password })
      const logout = `POST /api/auth/logout HTTP/1.1\r\n${host}${cookie}Content-Length: 0\r\n\r\n`
      const bytes =
        login(`Content-Length: ${body.length}\r\n`, body) + get('/api/auth', cookie) + logout + get('/api/auth', cookie)
      const { answers } = await send(bytes, { count: 4 })
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 401])
      expect(answers[0]!.body).toContain('"csrf"')
      expect(answers[2]!.body).toBe('{"status":"ok","message":"ok","code":200}')
    }
    await site.app.store.db.deleteFrom('throttle').execute()
  })

  test('A21: garbage after a login does not lose its response', async () => {
    const { email } = await addUser(site)
    const body = JSON.stringify({ email, password })
    const garbage = [
      'NONSENSE\r\n\r\n',
      '\u0000\u0001\u0002',
      'GET / HTTP/9.9\r\n\r\n',
      login('Content-Length: x\r\n', '{}'),
    ]
    for (const rest of [...garbage, login('Transfer-Encoding: chunked\r\n', 'zz\r\n')]) {
      const { answers, closed } = await send(login(`Content-Length: ${body.length}\r\n`, body) + rest, { count: 2 })
      const statuses = answers.map(({ status }) => status)
      expect(statuses, `with ${rest}`).toEqual([200, 400])
      expect(answers[0]!.headers['set-cookie']).toContain('quoin_insecure')
      expect(closed).toBe(true)
    }
    await site.app.store.db.deleteFrom('throttle').execute()
  })

  test('a refused request does not affect the next one', async () => {
    const { answers } = await send(get('/nowhere') + get('/api/auth?x=1') + get('/api/auth'), { count: 3 })
    expect(answers.map(({ status }) => status)).toEqual([404, 401, 401])
  })

  test('a client that leaves in the middle of pipelined requests has no effect on others', async () => {
    const socket = connect(port, '127.0.0.1')
    socket.write(get('/api/auth').repeat(20))
    await sleep(5)
    socket.resetAndDestroy()
    expect((await send(get('/health/ready'))).answers[0]!.status).toBe(200)
  })
})

test('a client that aborts a body is not an outage', async () => {
  site.logged.length = 0
  for (let round = 0; round < 5; round++) {
    const socket = connect(port, '127.0.0.1')
    socket.write(login('Content-Length: 1000\r\n', '{"email":"'))
    await sleep(50)
    socket.resetAndDestroy()
  }
  await sleep(200)
  expect(site.logged.filter(({ level }) => Number(level) >= 40)).toEqual([])
})

// ---- slow clients: all of them at once, since each of them takes its time

const connections = 50

/** Sends one more byte each second until the server cuts the connection, because the client never closes it. */
async function drip(start: string, onAnswer: () => void, more = 'x') {
  const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: more !== '' })
  let text = ''
  socket.setEncoding('latin1').on('data', chunk => {
    if (text === '') onAnswer()
    text += String(chunk)
  })
  socket.write(start)
  const timer = setInterval(() => socket.write(more), 1000)
  const closed = await Promise.race([closing(socket), sleep(22_000).then(() => false)])
  clearInterval(timer)
  socket.destroy()
  return { answers: answersIn(text), closed }
}

test.runIf(isSlow)(
  'A14, A22, A23: slow headers, slow bodies and a missing last chunk time out, and others do not wait',
  async () => {
    const before = await rows('throttle')
    const timedOut: ('header' | 'body')[] = []
    const addHeader = () => timedOut.push('header')
    const addBody = () => timedOut.push('body')
    const many = (start: string, onAnswer: () => void) =>
      Promise.all(Array.from({ length: connections }, () => drip(start, onAnswer)))
    const slow = Promise.all([
      many(`GET /api/auth HTTP/1.1\r\n${host}X-Slow: `, addHeader),
      many(login('Content-Length: 1000\r\n', '{"email":"'), addBody),
      drip(login('Transfer-Encoding: chunked\r\n', '2\r\n{}\r\n'), addBody, ''),
    ])
    for (let round = 0; round < 20; round++) {
      expect((await send(get('/api/auth'))).answers[0]!.status).toBe(401)
      await sleep(100)
    }
    expect(timedOut).toEqual([]) // the others have been answered before

    const [headers, bodies, chunk] = await slow
    for (const connection of [...headers, ...bodies, chunk]) expectRefusal(connection, 408, 'error.request.timeout')
    expect(timedOut).toEqual([...headers.map(() => 'header'), ...bodies.map(() => 'body'), 'body'])
    expect(await rows('throttle')).toEqual(before)
    expect(site.logged.filter(({ level }) => Number(level) >= 40)).toEqual([])
  },
)
