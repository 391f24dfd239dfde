import { setImmediate as nextTurn } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { cachedText } from './cached-text.ts'

const exchange = (headers: Record<string, string>) => ({ headers }) as unknown as HttpExchange
const [plainly, packed] = [exchange({}), exchange({ 'accept-encoding': 'gzip' })]

test('each encoding has its own strong ETag', async () => {
  const answer = cachedText(() => 'text', {})
  const [plain, compressed] = [await answer(plainly), await answer(packed)]
  const [ofPlain, ofCompressed] = [plain.headers['etag']!, compressed.headers['etag']!]
  expect([plain.body, gunzipSync(compressed.body!).toString()]).toEqual(['text', 'text'])
  expect(ofPlain).not.toBe(ofCompressed)
  const statuses = async (known: string) => {
    const ask = (more: Record<string, string>) => answer(exchange({ 'if-none-match': known, ...more }))
    const [one, other] = [await ask({}), await ask({ 'accept-encoding': 'gzip' })]
    return [one.status, other.status]
  }
  expect(await statuses(ofPlain)).toEqual([304, 200])
  expect(await statuses(ofCompressed)).toEqual([200, 304])
  expect(await statuses(`W/${ofCompressed}, ${ofPlain}`)).toEqual([304, 304])
  expect((await answer(exchange({ 'if-none-match': ofPlain }))).headers['etag']).toBe(ofPlain)
})

test('concurrent first requests create the text once', async () => {
  let count = 0
  const answer = cachedText(async () => {
    count++
    await nextTurn()
    return 'text'
  }, {})
  const [one, other] = await Promise.all([answer(plainly), answer(packed)])
  expect([one.body, gunzipSync(other.body!).toString(), count]).toEqual(['text', 'text', 1])
})

test.each(['at once', 'later'])('a failure is not kept (%s)', async when => {
  let count = 0
  const answer = cachedText(() => {
    const error = new Error('not yet')
    if (++count > 1) return 'text'
    if (when === 'at once') throw error
    return Promise.reject(error)
  }, {})
  const failed = await Promise.allSettled([answer(plainly), answer(packed)])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect([(await answer(plainly)).body, count]).toEqual(['text', 2])
})
