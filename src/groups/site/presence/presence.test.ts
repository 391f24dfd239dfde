import { expect, test } from 'vitest'
import { openStream } from '../../../../test/event-stream.ts'
import { createTestApp, createTestStorage, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, createTokenClient, type TokenClient } from '../../../../test/pages.ts'
import { describeRole } from '../../../../test/signed-in-user.ts'
import { statementsOf } from '../../../../test/sign-in.ts'
import { addToken } from '../../../../test/tokens.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, { 'pages/secret.yml': 'options: { access: { writer: false } }' })
describeRole(storage, 'writer', 'permissions: { access: { users: false } }')
const site = await createTestApp({ storage })
const { store } = site.app
const admin = await createTokenClient(site)
const writer = await createTokenClient(site, { role: 'writer' })
await addPage(site, '', { slug: 'ink', title: 'Ink' })
await addPage(site, '', { slug: 'secret', title: 'Secret', template: 'secret' })

const [tabA, tabB] = ['aaaaaaaaaa', 'bbbbbbbbbb']
const report = async (by: TokenClient, page: string | null, tab = tabA) =>
  (await by.done('POST', 'site/presence', { tab, page })).data as {
    user: { id?: string; email?: string; username: string }
    page: { uuid: string; title: string; link: string } | null
    since: string
  }[]
const close = (by: TokenClient, tab: string) => by.done('POST', 'site/presence', { tab, page: null, closed: true })
const pagesSeen = async (by: TokenClient) => (await report(by, null)).map(({ page }) => page?.title ?? null)

test('a report returns the other accounts, and the page of each if the caller may see it', async () => {
  expect(await report(admin, 'ink')).toEqual([])
  const [seen] = await report(writer, null)
  expect(seen).toMatchObject({ page: { title: 'Ink', link: '/pages/ink' } })
  expect(seen!.user, 'accounts are hidden from the role').not.toHaveProperty('email')
  expect(await report(admin, 'ink')).toMatchObject([{ user: { id: writer.id }, page: null }])
  await report(admin, 'ink', tabB)
  expect(await pagesSeen(writer), 'two tabs with the same page are one entry').toEqual(['Ink'])
  await report(admin, 'secret')
  expect(new Set(await pagesSeen(writer))).toEqual(new Set(['Ink', null]))
  await close(admin, tabA)
  expect(await pagesSeen(writer)).toEqual(['Ink'])
  await close(writer, tabB)
  expect(await pagesSeen(writer), 'the tab of another account stays').toEqual(['Ink'])
  await storage.moveClock(151_000)
  expect(await pagesSeen(writer), 'closed without a message').toEqual([])
})

test('a tab is closed although its page was deleted', async () => {
  await addPage(site, '', { slug: 'gone', title: 'Gone' })
  await report(admin, 'gone')
  await admin.done('DELETE', 'pages/gone')
  expect(await report(writer, null)).toHaveLength(1)
  await admin.done('POST', 'site/presence', { tab: tabA, page: 'gone', closed: true })
  expect(await report(writer, null)).toEqual([])
  await close(writer, tabA)
})

test('an unchanged report is written again only after 50 seconds', async () => {
  await report(admin, 'ink')
  const statements = await statementsOf(site, () => report(admin, 'ink'))
  expect(statements.filter(text => /insert|update|delete/i.test(text) && /presence/.test(text))).toEqual([])
  await storage.moveClock(51_000)
  const later = await statementsOf(site, () => report(admin, 'ink'))
  expect(later.filter(text => /insert/i.test(text) && /presence/.test(text))).toHaveLength(1)
})

const say = async (by: TokenClient, page: string | null, says: string | null, tab = tabA) =>
  (await by.done('POST', 'site/presence?select=says,user', { tab, page, says })).data as { says: string | null }[]

test('hand-over messages (`says`) are shown to other accounts on the same page', async () => {
  await say(admin, 'ink', 'ask')
  await say(admin, 'ink', null, tabB)
  expect(await say(writer, 'ink', 'give'), 'two tabs are one entry').toMatchObject([{ says: 'ask' }])
  await close(admin, tabB)
  expect(await say(admin, 'ink', null)).toMatchObject([{ says: 'give' }])
  expect(await say(writer, null, 'keep')).toMatchObject([{ says: null }])
  expect(await say(admin, 'secret', 'ask'), 'no page is open').toMatchObject([{ says: null }])
  expect(await say(writer, null, null), 'the page is hidden').toMatchObject([{ says: null }])
  expect((await report(admin, null))[0], 'only if it is selected').not.toHaveProperty('says')
})

test('an account has a limited number of tabs', async () => {
  for (let tab = 0; tab < 25; tab++) await report(admin, null, `tab-number-${tab}`)
  const rows = await store.db.selectFrom('presence').select('id').where('user_id', '=', admin.id).execute()
  expect(rows).toHaveLength(20)
})

test.each([
  [{ page: null }, 400],
  [{ tab: 'short', page: null }, 400],
  [{ tab: `${'x'.repeat(30)}'--`, page: null }, 400],
  [{ tab: tabA }, 400],
  [{ tab: tabA, page: '' }, 400],
  [{ tab: tabA, page: null, closed: false }, 400],
  [{ tab: tabA, page: 'x'.repeat(3000) }, 400],
  [{ tab: tabA, page: null, says: 'hello' }, 400],
  [{ tab: tabA, page: 'nothing' }, 404],
  [{ tab: tabA, page: 'secret' }, 404],
])('%o is refused', async (body, status) => {
  expect(await writer.call('POST', 'site/presence', body)).toMatchObject({
    status,
    key: status === 400 ? 'error.validation' : 'error.page.notFound',
  })
})

test('streams report changes of presence if requested', async () => {
  const port = await site.listen()
  const { token } = await addToken(site.app, { userId: admin.id, name: 'stream', scopes: ['*'] })
  const headers = { host: new URL(site.app.config.url).host, authorization: `Bearer ${token}` }
  const [withPresence, withoutPresence] = [
    await openStream(port, headers, '/api/site/events?presence=true'),
    await openStream(port, headers),
  ]
  await withPresence.waitForEvents(1)
  await report(writer, 'ink')
  await withPresence.waitForEvents(2)
  expect(withPresence.received.map(({ event, data }) => [event, data])).toEqual([
    ['presence', {}],
    ['presence', {}],
  ])
  expect(withoutPresence.received).toEqual([])
  for (const stream of [withPresence, withoutPresence]) stream.close()
  expect((await admin.call('GET', 'site/events?presence=true')).status).toBe(400)
})
