import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { runDue, runsOf } from '../../../test/background.ts'
import { filesIn } from '../../../test/guide-samples.ts'
import {
  addUser,
  createTestApp,
  createTestStorage,
  engine,
  type TestApp,
  writeBlueprints,
} from '../../../test/harness.ts'
import { createTokenClient } from '../../../test/pages.ts'
import { createMailServer } from '../../../test/smtp.ts'
import { addToken } from '../../../test/tokens.ts'
import { until } from '../../../test/until.ts'
import { startExtensions } from '../../../src/extensions/start.ts'
import { startSending } from '../../../src/platform/mail/outbox.ts'
import { newsletter } from './newsletter.ts'

const tokenOf = (text: string | undefined) => /=([\da-f-]{36})/.exec(text ?? '')?.[1]

async function open({ hasMail = true } = {}) {
  const server = await createMailServer()
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'pages/note.yml': '{}',
    'pages/letter.yml': '{}',
    'users/reader.yml': 'title: Reader\npermissions: { newsletter: { read: false } }',
  })
  const extension = newsletter({ url: 'https://www.example.org/newsletter', templates: ['note'] })
  const site = await createTestApp({ storage, settings: { ...(hasMail && server.settings), extensions: [extension] } })
  const admin = await createTokenClient(site)
  /** As a visitor of the site. */
  const post = async (path: string, body: object) => {
    const { host } = new URL(site.app.config.url)
    const headers = { host, 'content-type': 'application/json' }
    const url = `/api/extensions/newsletter/${path}`
    return (await site.request({ method: 'POST', url, headers, payload: JSON.stringify(body) })).statusCode
  }
  const deliver = async (count: number) => {
    const stop = startSending(site.app)
    await until(() => expect(server.mails).toHaveLength(count))
    await stop()
    return server.mails
  }
  const list = async () =>
    ((await admin.done('GET', 'extensions/newsletter/subscribers')).data as { email: string; state: string }[]).map(
      ({ email, state }) => `${email} ${state}`,
    )
  return { server, site, admin, post, deliver, list }
}

test('visitors subscribe and confirm, get a mail when a note is published, and unsubscribe', async () => {
  const { site, admin, post, deliver, list } = await open()
  await (
    await startExtensions(site.app, { pollMs: 3_600_000 })
  )()
  expect(await post('subscribers', { email: 'Ada@example.org' })).toBe(200)
  expect(await post('subscribers', { email: 'ada@example.org' })).toBe(200)
  expect(await post('subscribers', { email: 'bo@example.org' })).toBe(200)
  expect(await post('subscribers', { email: 'nobody' })).toBe(400)
  expect(await post('subscribers', { email: 'cy@example.org' })).toBe(200)
  expect(await post('subscribers', { email: 'dee@example.org' })).toBe(429)
  const asked = await deliver(3)
  const ada = asked.find(({ to }) => to.join() === 'ada@example.org')
  expect(ada?.text).toContain('https://www.example.org/newsletter?confirm=')
  expect(await post('answers', { token: tokenOf(ada?.text), subscribed: true })).toBe(200)
  expect(await post('answers', { token: crypto.randomUUID(), subscribed: true })).toBe(200)
  expect(await list()).toEqual(['ada@example.org confirmed', 'bo@example.org asked', 'cy@example.org asked'])

  for (const template of ['note', 'letter']) {
    await admin.done('POST', 'site/children', { slug: template, template, content: { title: `A ${template}` } })
    await admin.done('PATCH', `pages/${template}/status`, { status: 'unlisted' })
    await admin.done('PATCH', `pages/${template}/status`, { status: 'listed' })
  }
  await runDue(site)
  await deliver(4)
  await admin.done('POST', 'site/children', {
    slug: 'second',
    template: 'note',
    content: { title: 'Public at once' },
    draft: false,
  })
  await admin.done('PATCH', 'pages/second/title', { title: 'Public already' })
  await runDue(site)
  const [note, second] = (await deliver(5)).slice(-2)
  expect(second).toMatchObject({ to: ['ada@example.org'], headers: { subject: 'Public already' } })
  expect(note).toMatchObject({ to: ['ada@example.org'], headers: { subject: 'A note' } })
  expect(note!.text).toContain('/note')
  const [, link] = note!.text.split('unsubscribe')
  expect(await post('answers', { token: tokenOf(link), subscribed: false })).toBe(200)
  expect(await list()).toEqual(['bo@example.org asked', 'cy@example.org asked'])
})

/** As if the subscriber had confirmed. */
async function addSubscriber({ app: { store } }: TestApp, email: string) {
  const value = { email, state: 'confirmed', token: 'x', time: '2026-05-01T10:00:00Z' }
  const row = { extension: 'newsletter', collection: 'subscribers', key: email, value: JSON.stringify(value) }
  const indexes = { index_1: 'confirmed', index_2: 'x', index_3: null }
  await store.db
    .insertInto('documents')
    .values({ ...row, ...indexes, version: 1, created_at: 0, modified_at: 0 })
    .execute()
}

test('no mail for a page that is gone or a draft again, and one for a page that is published again', async () => {
  const { server, site, admin, deliver } = await open()
  await (
    await startExtensions(site.app, { pollMs: 3_600_000 })
  )()
  await addSubscriber(site, 'ada@example.org')
  await addSubscriber(site, 'bo@example.org')
  for (const slug of ['gone', 'taken-back'])
    await admin.done('POST', 'site/children', { slug, template: 'note', draft: false })
  await admin.done('DELETE', 'pages/gone')
  await admin.done('PATCH', 'pages/taken-back/status', { status: 'draft' })
  await runDue(site)
  expect((await runsOf(admin, 'newsletter')).filter(({ state }) => state !== 'done')).toEqual([])
  for (const status of ['listed', 'draft', 'listed']) {
    await admin.done('PATCH', 'pages/taken-back/status', { status })
    await runDue(site)
  }
  await deliver(2)
  expect(server.mails.map(({ to, text }) => `${to.join()} ${/\/[\w-]+\n/.exec(text)?.[0]}`).toSorted()).toEqual([
    'ada@example.org /taken-back\n',
    'bo@example.org /taken-back\n',
  ])
  const queued = site.app.store.db.selectFrom('jobs').select('id').where('queue', '=', 'mail')
  expect(await queued.where('finished_at', 'is', null).execute()).toEqual([])
})

test('a site that sends no mail says so, and takes nothing for sent', async () => {
  const { site, admin, post, list } = await open({ hasMail: false })
  await (
    await startExtensions(site.app, { pollMs: 3_600_000 })
  )()
  expect(await post('subscribers', { email: 'ada@example.org' })).toBe(503)
  expect(await list()).toEqual([])
  const { db } = site.app.store
  await addSubscriber(site, 'bo@example.org')
  await admin.done('POST', 'site/children', { slug: 'note', template: 'note', draft: false })
  await runDue(site)
  expect(await runsOf(admin, 'newsletter')).toMatchObject([{ state: 'waiting', problem: 'Error: mail.url is not set' }])
  expect(await db.selectFrom('documents').select('key').where('collection', '=', 'sent').execute()).toEqual([])
})

test('the nightly job forgets who has not confirmed, and what was sent', async () => {
  const { site, admin, post, list } = await open()
  await (
    await startExtensions(site.app, { pollMs: 3_600_000 })
  )()
  await post('subscribers', { email: 'ada@example.org' })
  await post('subscribers', { email: 'bo@example.org' })
  const { db } = site.app.store
  const old = { email: 'bo@example.org', state: 'asked', token: 'x', time: '2020-01-01T00:00:00Z' }
  await db
    .updateTable('documents')
    .set({ value: JSON.stringify(old) })
    .where('key', '=', 'bo@example.org')
    .execute()
  await admin.done('POST', 'system/extensions/newsletter/runs', { job: 'clean' })
  await runDue(site)
  expect(await list()).toEqual(['ada@example.org asked'])
})

test.runIf(engine === 'sqlite')('who confirms while the nightly job runs stays', async () => {
  const { site, admin, post, list } = await open()
  await (
    await startExtensions(site.app, { pollMs: 3_600_000 })
  )()
  for (const name of ['ada', 'bo', 'cy']) await post('subscribers', { email: `${name}@example.org` })
  const { db } = site.app.store
  const time = '2020-01-01T00:00:00Z'
  await sql`UPDATE documents SET value = json_set(value, '$.time', ${time}) WHERE collection = 'subscribers'`.execute(
    db,
  )
  // Between the reading of all three and the deletion of the second.
  await sql`CREATE TRIGGER confirms AFTER DELETE ON documents WHEN old.key = 'ada@example.org' BEGIN
    UPDATE documents SET version = 2, index_1 = 'confirmed', value = json_set(value, '$.state', 'confirmed')
    WHERE key = 'bo@example.org'; END`.execute(db)
  await admin.done('POST', 'system/extensions/newsletter/runs', { job: 'clean' })
  await runDue(site)
  expect(await list()).toEqual(['bo@example.org confirmed'])
})

test('who subscribes twice at the same moment gets the same answer, and one mail', async () => {
  const { server, post, deliver } = await open()
  const answers = await Promise.all([1, 2, 3].map(() => post('subscribers', { email: 'ada@example.org' })))
  expect(answers).toEqual([200, 200, 200])
  await deliver(1)
  expect(server.mails).toHaveLength(1)
})

test('the list needs its permission', async () => {
  const { site } = await open()
  const { id: owner } = await addUser(site, { role: 'reader' })
  const { token } = await addToken(site.app, { userId: owner, name: 'x', scopes: ['*'] })
  const headers = { host: new URL(site.app.config.url).host, authorization: `Bearer ${token}` }
  const answer = await site.request({ method: 'GET', url: '/api/extensions/newsletter/subscribers', headers })
  expect(answer.statusCode).toBe(403)
})

test('the guide shows this extension', () => {
  const samples = filesIn('docs/guide/extending.md')
  for (const file of ['newsletter.ts', 'panel/subscribers.ts'])
    expect(samples[`extensions/${file}`]).toBe(
      `// extensions/${file}\n${readFileSync(join(import.meta.dirname, file), 'utf8')}`,
    )
})
