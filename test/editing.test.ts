/** Many editors on few pages, through two instances of one store. `QUOIN_TEST_CHANGES` is how many requests they send. */
import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestApp, engine, type TestApp, writeBlueprints } from './harness.ts'
import { newIp, sessionCookie } from './sign-in.ts'
import { createSignedInUser } from './signed-in-user.ts'
import { rounds } from './slow.ts'

const enough = Number(process.env['QUOIN_TEST_CHANGES'] ?? rounds(150, 2000))
const [clients, pages] = [20, 10]

const fields = Array.from({ length: clients }, (_, index) => `  own${index}:\n    type: text`).join('\n')
const note = `title: Note\nfields:\n  counter:\n    type: number\n${fields}\n`

const firstSite = await createTestApp({ quiet: true, settings: { database: { timeout: 60 } } })
writeBlueprints(firstSite.storage.data, { 'pages/note.yml': note })
await firstSite.close()
const left = await createTestApp({ quiet: true, storage: firstSite.storage, settings: { database: { timeout: 60 } } })
const right = await createTestApp({ quiet: true, storage: firstSite.storage, settings: { database: { timeout: 60 } } })
const sites = [left, right]
/** Errors in the logs of the servers. */
const problems = () => JSON.stringify(sites.flatMap(({ logged }) => logged).slice(-3))

interface Editor {
  send(
    method: 'GET' | 'PATCH' | 'POST',
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): ReturnType<TestApp['request']>
}

async function editor(site: TestApp): Promise<Editor> {
  const { browser } = await createSignedInUser(left)
  const cookie = `${sessionCookie}=${browser.cookies.get(sessionCookie)!}`
  const host = new URL(left.app.config.url).host
  const { csrf } = (await browser.send({ url: '/api/auth' })).json<{ csrf: string }>()
  const remoteAddress = newIp()
  return {
    send: (method, path, body, headers = {}) =>
      site.request({
        method,
        url: `/api${path}`,
        remoteAddress,
        headers: {
          host,
          cookie,
          'x-csrf': csrf,
          'sec-fetch-site': 'same-origin',
          ...(body && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body && { payload: JSON.stringify(body) }),
      }),
  }
}

test('no change is lost, no request fails, and there is no deadlock', { timeout: 300_000 + enough * 100 }, async () => {
  const editors: Editor[] = []
  for (let index = 0; index < clients; index++) editors.push(await editor(sites[index % 2]!))
  for (let page = 0; page < pages; page++) {
    const body = { slug: `note-${page}`, template: 'note', content: { title: `Note ${page}`, counter: 0 } }
    expect((await editors[0]!.send('POST', '/site/children', body)).statusCode).toBe(200)
    expect((await editors[0]!.send('PATCH', `/pages/note-${page}/status`, { status: 'listed' })).statusCode).toBe(200)
  }
  const counted = Array.from({ length: pages }, () => 0)
  const written = new Map<string, string>()
  const statuses = new Map<number, number>()
  let sent = 0
  const isEnough = () =>
    sent > enough && (statuses.get(412) ?? 0) > 0 && counted.reduce((sum, count) => sum + count, 0) > pages

  await Promise.all(
    editors.map(async (writer, index) => {
      const send: Editor['send'] = (...request) => {
        sent++
        return writer.send(...request)
      }
      const answered = (answer: Awaited<ReturnType<typeof send>>, ...fine: number[]) => {
        const { statusCode } = answer
        statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
        if (!fine.includes(statusCode)) throw new Error(`${statusCode}: ${answer.body} ${problems()}`)
        return statusCode
      }
      for (let round = 0; !isEnough(); round++) {
        const page = randomInt(pages)
        const path = `/pages/note-${page}`
        const kind = randomInt(10)
        if (kind < 6) {
          // A write that depends on a read sends `If-Match`.
          const read = await send('GET', path)
          answered(read, 200)
          const { content } = read.json<{ data: { content: { counter: number } } }>().data
          const next = { counter: content.counter + 1 }
          const answer = await send('PATCH', path, next, { 'if-match': read.headers['etag'] as string })
          if (answered(answer, 200, 412) === 200) counted[page]!++
        } else if (kind < 8) {
          const value = `${index}-${round}`
          answered(await send('PATCH', path, { [`own${index}`]: value }), 200)
          written.set(`${page} own${index}`, value)
        } else if (kind === 8) {
          answered(await send('PATCH', `${path}/status`, { status: 'listed', position: 1 + randomInt(pages) }), 200)
        } else answered(await send('PATCH', `${path}/title`, { title: `Note ${page} of ${index}` }), 200)
      }
    }),
  )

  for (let page = 0; page < pages; page++) {
    const { content } = (await editors[page]!.send('GET', `/pages/note-${page}`)).json<{
      data: { content: Record<string, unknown> }
    }>().data
    expect(content['counter'], `of page ${page}`).toBe(counted[page])
    for (let index = 0; index < clients; index++)
      expect(content[`own${index}`]).toBe(written.get(`${page} own${index}`) ?? '')
  }
  const list = (await editors[0]!.send('GET', '/site/children?status=listed')).json<{ data: { num: number }[] }>().data
  expect(list.map(({ num }) => num)).toEqual(Array.from({ length: pages }, (_, index) => index + 1))
  if (engine === 'postgres') {
    const { rows } = await sql<{ deadlocks: number }>`
      select deadlocks from pg_stat_database where datname = current_database()`.execute(left.app.store.db)
    expect(rows).toEqual([{ deadlocks: 0 }])
  }
})
