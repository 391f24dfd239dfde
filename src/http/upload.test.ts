import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { multipartBody, multipartContentType, createImage, createUploader, dataOf } from '../../test/files.ts'
import { createTestApp } from '../../test/harness.ts'
import { createSignedInUser } from '../../test/signed-in-user.ts'
import { fail } from '../platform/errors.ts'
import { isForm, readForm } from './upload.ts'

// ---- a form by itself

const limits = { files: 2, size: 1000, tooLarge: () => fail('file.maxsize', { max: '1000' }) }

function sourceOf(length?: number) {
  const headers = {
    'content-type': multipartContentType,
    ...(length !== undefined && { 'content-length': String(length) }),
  }
  return Object.assign(new PassThrough(), { headers })
}

async function read(body: Buffer | string, piece = 7) {
  const source = sourceOf()
  const received: [string, string][] = []
  const reading = readForm(source, limits, async ({ filename, bytes }) => {
    const all: Uint8Array[] = []
    for await (const chunk of bytes) all.push(chunk)
    received.push([filename, Buffer.concat(all).toString()])
  })
  const whole = Buffer.from(body)
  for (let at = 0; at < whole.length; at += piece) source.write(whole.subarray(at, at + piece))
  source.end()
  return { fields: Object.fromEntries(await reading), taken: received }
}

const key = (promise: Promise<unknown>) => promise.then(() => undefined, (error: { key?: string }) => error.key) // prettier-ignore

test('fields and files are received unchanged, for any chunking', async () => {
  const body = multipartBody([{ filename: 'a/ü "x".txt'.replaceAll('"', '%22'), bytes: 'one\r\n--between' }], {
    sort: '3',
  })
  for (const piece of [1, 7, 1000])
    expect(await read(body, piece)).toEqual({ fields: { sort: '3' }, taken: [['a/ü %22x%22.txt', 'one\r\n--between']] })
})

test.each([
  ['upload.incomplete', multipartBody([{ filename: 'a', bytes: 'x' }]).subarray(0, 60)],
  ['upload.incomplete', multipartBody([{ filename: 'a', bytes: 'x' }]).subarray(0, -8)],
  ['upload.tooMany', multipartBody([1, 2, 3].map(index => ({ filename: String(index), bytes: 'x' })))],
  ['upload.form', multipartBody([], Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`f${index}`, 'x'])))],
  ['upload.form', multipartBody([], { long: 'x'.repeat(10_001) })],
  ['upload.form', Buffer.concat([multipartBody([], { a: '1' }).subarray(0, -23), multipartBody([], { a: '2' })])],
])('%s', async (expectedKey, body) => {
  expect(await key(read(body))).toBe(expectedKey)
})

test.each([
  'nothing of a form',
  '--between-the-parts',
  '\r\n'.repeat(1000),
  `--between-the-parts\r\n${'x: y\r\n'.repeat(5000)}`,
])('an invalid form is refused: %#', async body => {
  expect(await key(read(body))).toMatch(/^upload\./)
})

test('too many parts are refused, and a form that ends within one throws nothing outside the request', async () => {
  const parts = '--between-the-parts\r\na: b\r\n\r\nx\r\n'.repeat(50)
  for (const piece of [7, 100_000]) expect(await key(read(parts, piece))).toBe('upload.form')
})

test('a stalled upload is refused, and its files are removed', async () => {
  const source = sourceOf()
  let ended = false
  const reading = readForm(
    source,
    limits,
    async ({ bytes }) => {
      try {
        for await (const _ of bytes);
      } finally {
        ended = true
      }
    },
    { intervalMs: 20, minBytes: 10 },
  )
  source.write(multipartBody([{ filename: 'a', bytes: 'x'.repeat(100) }]).subarray(0, 150))
  expect(await key(reading)).toBe('request.timeout')
  expect(ended).toBe(true)
})

test('the client is not blamed for a slow server', async () => {
  const source = sourceOf()
  const { promise: open, resolve } = Promise.withResolvers<void>()
  const reading = readForm(
    source,
    { ...limits, size: 1e6 },
    async ({ bytes }) => {
      await open
      for await (const _ of bytes);
    },
    { intervalMs: 5, minBytes: 10 },
  )
  source.end(multipartBody([{ filename: 'a', bytes: 'x'.repeat(500_000) }]))
  setTimeout(resolve, 60)
  await expect(reading).resolves.toBeDefined()
})

test('a form with a too large Content-Length is not read', async () => {
  const refusal = key(readForm(sourceOf(1e9), limits, async () => {}))
  expect(await refusal).toBe('file.maxsize')
})

test('the content types of forms', () => {
  expect(isForm('multipart/form-data; boundary=x', undefined)).toBe(true)
  expect(isForm('Multipart/Form-Data;charset=utf-8; boundary="x"', 'identity')).toBe(true)
  for (const other of ['multipart/form-data', 'multipart/mixed; boundary=x', 'application/json', undefined])
    expect(isForm(other, undefined)).toBe(false)
  expect(isForm('multipart/form-data; boundary=x', 'gzip')).toBe(false)
})

// ---- over a real connection

const site = await createTestApp({ settings: { files: { maxSize: 2_000_000 } } })
const admin = await createSignedInUser(site)
const sender = await createUploader(admin)
const port = await site.listen()
const cookie = [...admin.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

function head(more: Record<string, string | number>, path = '/api/account/files'): string {
  const headers = {
    host: `127.0.0.1:${port}`,
    cookie,
    ...sender.headers,
    'content-type': multipartContentType,
    ...more,
  }
  return `POST ${path} HTTP/1.1\r\n${Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n` // prettier-ignore
}

/** The response of the server to these bytes, read until it ends or the connection closes. */
async function exchange(
  send: (write: (bytes: Buffer | string) => Promise<boolean>, received: () => string) => Promise<void>,
): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  const { promise: answered, resolve } = Promise.withResolvers<void>()
  socket.on('data', chunk => {
    answer += chunk.toString()
    if (answer.includes('\r\n\r\n')) resolve()
  })
  socket.on('error', () => resolve())
  socket.on('close', () => resolve())
  await send(
    bytes =>
      new Promise(done => {
        if (socket.destroyed) done(false)
        else socket.write(bytes, error => done(!error))
      }),
    () => answer,
  )
  await answered
  socket.destroy()
  return answer
}

const temporary = () => {
  try {
    return readdirSync(join(site.app.config.data, 'media', 'tmp'))
  } catch {
    return []
  }
}

test('a gigabyte against a limit of two megabytes uses neither memory nor disk, and is refused', async () => {
  const piece = Buffer.alloc(1024 * 1024, 'x')
  const start = multipartBody([{ filename: 'huge.pdf', bytes: '' }]).subarray(0, -25)
  const before = process.memoryUsage().rss
  let sent = 0
  const answer = await exchange(async (write, received) => {
    await write(head({ 'transfer-encoding': 'chunked' }))
    await write(`${start.length.toString(16)}\r\n${start.toString()}\r\n`)
    // A client that does not read the response continues for a while.
    for (let more = 32; sent < 1024 && more > 0; sent++, more -= received() === '' ? 0 : 1)
      if (!(await write(`${piece.length.toString(16)}\r\n`)) || !(await write(piece)) || !(await write('\r\n'))) break
  })
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  expect(answer).toContain('error.file.maxsize')
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
  await expect.poll(temporary).toEqual([])
})

test('a form that is too large by its length, or without permission, is refused at once', async () => {
  const announced = await exchange(async write => void (await write(head({ 'content-length': 1e9 }))))
  expect(announced).toMatch(/^HTTP\/1\.1 413 /)
  const anonymous = await exchange(async write => void (await write(head({ 'content-length': 1e9, cookie: 'a=b' }))))
  expect(anonymous).toMatch(/^HTTP\/1\.1 401 /)
  const unknown = await exchange(
    async write => void (await write(head({ 'content-length': 1e9 }, '/api/users/nobody/files'))),
  )
  expect(unknown).toMatch(/^HTTP\/1\.1 404 /)
})

test('an aborted upload leaves nothing, and the next one works', async () => {
  const body = multipartBody([{ filename: 'cut.png', bytes: Buffer.alloc(500_000, 'x') }])
  for (const until of [50, 200, 300_000]) {
    const socket = connect(port, '127.0.0.1')
    await new Promise<void>(done => {
      socket.write(head({ 'content-length': body.length }))
      socket.write(body.subarray(0, until), () => done())
    })
    if (until === 300_000) await expect.poll(() => temporary().length).toBeGreaterThan(0)
    socket.destroy()
  }
  await expect.poll(temporary).toEqual([])
  expect((await sender.call('GET', 'account/files/cut.png')).statusCode).toBe(404)
  const png = await createImage()
  expect(dataOf(await sender.send('account/files', [{ filename: 'after.png', bytes: png }]))).toMatchObject({
    type: 'image',
  })
  expect(site.logged.filter(({ level }) => Number(level) >= 50)).toEqual([])
})

test('after a refusal the connection can be used again', async () => {
  const body = multipartBody([{ filename: 'a.png', bytes: 'no image' }])
  const answer = await exchange(async write => {
    await write(head({ 'content-length': body.length }))
    await write(body)
  })
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).not.toMatch(/connection: close/i)
})
