import { CompiledQuery } from 'kysely'
import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../../test/harness.ts'
import { addFile } from '../../../../test/media.ts'
import { addPage, createTokenClient, type TokenClient } from '../../../../test/pages.ts'
import { describeRole, createSignedInUser } from '../../../../test/signed-in-user.ts'
import type { Store } from '../../../platform/store/store.ts'
import { replacing, statementsOf } from '../../../../test/sign-in.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'site.yml': 'fields: { claim: { type: text } }',
  'pages/note.yml': 'options: { changeTemplate: [secret] }\nfields: { text: { type: text } }',
  'pages/secret.yml':
    'options: { access: { writer: false }, changeTemplate: [note] }\nfields: { text: { type: text } }',
  'pages/unlisted.yml': 'options: { list: { writer: false } }',
  'files/photo.yml': 'fields: { alt: { type: text } }',
  'files/unlisted.yml': 'options: { list: { writer: false } }',
  'files/scan.yml': 'options: { access: { writer: false } }',
})
describeRole(storage, 'writer', 'permissions: { access: { users: false, system: false } }')
describeRole(storage, 'reader', "permissions: { '*': false, access: { panel: true }, pages: { access: true } }")
describeRole(storage, 'outsider', "permissions: { '*': false, access: { panel: true, account: true } }")
const site = await createTestApp({ storage })
const admin = await createTokenClient(site)
const writer = await createTokenClient(site, { role: 'writer' })

interface Shown {
  id: number
  event: string
  title: string | null
  link: string | null
  uuid: string | null
  user: { id?: string; username: string } | null
  detail: Record<string, unknown>
}

async function feed(by: TokenClient, query = ''): Promise<Shown[]> {
  return (await by.done('GET', `site/events?${query}`)).data as Shown[]
}

/** `page.created Ink`, the oldest first. */
async function linesOf(by: TokenClient, query = '') {
  return (await feed(by, query)).map(({ event, title }) => `${event} ${title}`).toReversed()
}

/** Only what happens during the work. */
async function during(by: TokenClient, work: () => Promise<unknown>, query = '') {
  const before = new Set((await feed(by, 'limit=1000')).map(({ id }) => id))
  await work()
  return (await feed(by, query)).filter(({ id }) => !before.has(id)).toReversed()
}

const image = { mime: 'image/png', type: 'image' }
const ink = await addPage(site, '', { slug: 'ink', title: 'Ink', template: 'note' })
const plan = await addPage(site, '', { slug: 'plan', title: 'Plan', template: 'secret' })
const hiddenPage = await addPage(site, '', { slug: 'hidden', title: 'Hidden', template: 'unlisted' })
const photo = await addFile(site, `page://${ink}`, 'one.png', Buffer.from('x'), { ...image, template: 'photo' })
const scan = await addFile(site, `page://${ink}`, 'two.png', Buffer.from('x'), { ...image, template: 'scan' })
const kept = await addFile(site, `page://${plan}`, 'three.png', Buffer.from('x'), { ...image, template: 'photo' })

test('an event names who did what, where it is now, and never what was written', async () => {
  const [event] = await during(admin, () => admin.done('PATCH', 'pages/ink', { text: 'confidential' }))
  expect(event).toEqual({
    id: expect.any(Number) as number,
    time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    event: 'page.changed',
    user: { id: admin.id, email: expect.any(String) as string, username: expect.any(String) as string, avatar: null },
    uuid: `page://${ink}`,
    title: 'Ink',
    link: '/pages/ink',
    detail: { template: 'note', path: 'ink', revision: 2, fields: ['text'] },
  })
  expect(JSON.stringify(await feed(admin))).not.toContain('confidential')
})

test('callers see the events of what they may see and list', async () => {
  const work = async () => {
    for (const id of ['ink', 'plan', 'hidden']) await admin.done('PATCH', `pages/${id}/title`, { title: `New ${id}` })
    for (const [id, name] of [
      ['ink', 'one'],
      ['ink', 'two'],
      ['plan', 'three'],
    ])
      // prettier-ignore
      await admin.done('PATCH', `pages/${id}/files/${name}.png/name`, { name: `${name}-b` })
    await admin.done('PATCH', 'site', { claim: 'Ink' })
    await admin.done('POST', 'languages', { code: 'en', name: 'English' })
    await admin.done('PATCH', `users/${admin.id}/name`, { name: 'Ada' })
    await admin.done('PATCH', `users/${writer.id}/name`, { name: 'Bo' })
    await admin.done('DELETE', 'pages/plan')
    await admin.done('DELETE', 'pages/ink')
  }
  const before = (await feed(admin, 'limit=1'))[0]!.id
  await work()
  const since = async (by: TokenClient) => (await feed(by)).filter(({ id }) => id > before).map(({ event, title }) => `${event} ${title}`).toReversed() // prettier-ignore
  expect(await since(admin)).toHaveLength(12)
  expect(await since(writer)).toEqual([
    'page.changed New ink',
    'file.renamed one-b.png',
    'site.changed null',
    'language.created en',
    'user.changed Bo',
    'page.deleted New ink',
  ])
  const outsider = await since(await createTokenClient(site, { role: 'outsider' }))
  expect(outsider).toEqual(['language.created en', expect.stringMatching(/^auth\.token\.created /) as string])
  // What the page is called is shown only as far as the caller may see it now.
  const all = JSON.stringify(await feed(writer, 'limit=1000'))
  // As a word: the letters may occur in a random id.
  expect(all).not.toMatch(/\bplan\b/i)
  for (const hidden of [plan, scan.uuid, kept.uuid]) expect(all).not.toContain(hidden)
  expect(all).toContain(photo.uuid)
  // The account of the actor is one that the writer may not see.
  expect((await feed(writer, 'event=page.deleted'))[0]!.user).toEqual({ username: 'Ada' })
  const { data: trash } = await admin.done('GET', 'site/trash')
  for (const { id } of trash as { id: string }[]) await admin.done('POST', `site/trash/${id}/restore`)
})

test('a page that became invisible is shown as it was called, without its title', async () => {
  const uuid = await addPage(site, '', { slug: 'open', title: 'Open', template: 'note' })
  await admin.done('PATCH', 'pages/open/template', { template: 'secret' })
  await admin.done('PATCH', 'pages/open/title', { title: 'Closed' })
  const [event, ...others] = await feed(writer, `page=page://${uuid}`)
  expect(others).toEqual([])
  expect(event).toMatchObject({ event: 'page.created', title: 'open', link: null })
  expect(await writer.call('GET', 'site/events?page=open')).toMatchObject({ status: 404, key: 'error.page.notFound' })
})

test('a page without the permission to list it has its events in its own feed, its files have not', async () => {
  for (const template of ['photo', 'unlisted']) {
    await addFile(site, `page://${hiddenPage}`, `${template}.png`, Buffer.from('x'), { ...image, template })
    await admin.done('PATCH', `pages/hidden/files/${template}.png/name`, { name: `${template}-b` })
  }
  const files = (await linesOf(writer, 'page=hidden')).filter(line => line.startsWith('file.'))
  expect(files).toEqual(['file.renamed photo-b.png'])
  expect(await linesOf(writer, 'page=hidden')).toContain('page.created New hidden')
  expect((await linesOf(writer, 'limit=1000')).join()).not.toContain('idden')
})

async function kinds(scopes: string[]) {
  const by = await createTokenClient(site, { scopes })
  const found = (await feed(by, 'limit=1000')).map(({ event }) => event.slice(0, event.indexOf('.')))
  return [...new Set(found)].toSorted((one, other) => one.localeCompare(other)).join(' ')
}

test('the scopes of a token limit what it sees', async () => {
  expect(await kinds(['*'])).toBe('auth file language page site user')
  expect(await kinds(['pages.read'])).toBe('language page')
  expect(await kinds(['files.read'])).toBe('file language')
  expect(await kinds(['access.site'])).toBe('language site')
  expect(await kinds(['access.account'])).toBe('auth language')
})

test('sign-ins are shown to their owner and to administrators; failures to neither', async () => {
  const ada = await createSignedInUser(site, { role: 'writer' })
  const own = (await ada.browser.send({ url: '/api/site/events?event=auth.*' })).json<{ data: Shown[] }>().data
  expect(own).toMatchObject([{ event: 'auth.login.ok', uuid: `user://${ada.id}` }])
  expect((await feed(admin, 'event=auth.login.ok')).map(({ uuid }) => uuid)).toContain(`user://${ada.id}`)
  expect(await feed(writer, 'event=auth.login.ok')).toEqual([])
  for (const hidden of ['ip', 'network', 'browser', 'session']) expect(own[0]).not.toHaveProperty(hidden)
  expect(await admin.call('GET', 'site/events?event=auth.login.fail')).toMatchObject({ status: 400 })
})

test('filters: event, page with its files, person, time', async () => {
  const top = await addPage(site, '', { slug: 'top', title: 'Top', template: 'note' })
  await addFile(site, `page://${top}`, 'a.png', Buffer.from('x'), { ...image, template: 'photo' })
  const start = new Date(storage.clock()).toISOString()
  await writer.done('PATCH', 'pages/top', { text: 'x' })
  await admin.done('PATCH', 'pages/top/files/a.png/name', { name: 'b' })
  await admin.done('PATCH', 'pages/top/slug', { slug: 'tip' })
  const of = (query: string) => linesOf(admin, `page=tip&${query}`)
  expect(await of('')).toEqual(['page.created Top', 'page.changed Top', 'file.renamed b.png', 'page.slug Top'])
  expect(await linesOf(admin, `page=page://${top}`)).toHaveLength(4)
  expect(await of('event=page.slug')).toEqual(['page.slug Top'])
  expect(await of('event=file.*,page.slug')).toEqual(['file.renamed b.png', 'page.slug Top'])
  expect(await of(`user=${writer.id}`)).toEqual(['page.changed Top'])
  expect(await of(`from=${start}`)).toHaveLength(3)
  expect(await of(`until=${start}`)).toEqual(['page.created Top'])
  expect(await linesOf(await createTokenClient(site, { role: 'reader' }), 'user=account')).toEqual([])
  expect(await linesOf(writer, 'user=account&event=page.*')).toEqual(['page.changed Top'])
  expect(await writer.call('GET', `site/events?user=${admin.id}`)).toMatchObject({
    status: 404,
    key: 'error.user.notFound',
  })
})

test.each([
  'event=', 'event=page', 'event=pages.*', 'event=page.published,', "event=page.*'--", `event=${'page.*,'.repeat(100)}page.*`,
  'page=', 'user=', 'from=yesterday', 'until=1700000000000', 'before=x', 'before=1', 'before=1-', 'before=-1-1', `before=${'9'.repeat(16)}-1`,
  'limit=0', 'limit=1001', 'limit=x', 'event=page.*&event=file.*', 'select=nothing',
])('?%s is 400', async query => {
  const { status, key, details } = await admin.call('GET', `site/events?${query}`)
  expect([status, key]).toEqual([400, 'error.validation'])
  expect(Object.keys(details)).toEqual([query.split('=')[0]])
}) // prettier-ignore

test('anonymous clients see nothing', async () => {
  const answer = await site.request({ url: '/api/site/events', headers: { host: new URL(site.app.config.url).host } })
  expect(answer.statusCode).toBe(401)
})

test('pages of the feed stay the same while events arrive', async () => {
  for (let number = 0; number < 7; number++) await addPage(site, '', { slug: `p${number}`, title: `P${number}` })
  const seen: number[] = []
  let before = ''
  const latest = (await feed(admin, 'event=page.*&limit=7')).map(({ id }) => id)
  do {
    const answer = await admin.done('GET', `site/events?event=page.*&limit=3&${before}`)
    seen.push(...(answer.data as Shown[]).map(({ id }) => id))
    await addPage(site, '', { slug: `late${seen.length}`, title: 'Late' })
    const { next } = answer.pagination as unknown as { next: string | null }
    before = `before=${next}`
  } while (seen.length < 7)
  expect(seen.slice(0, 7)).toEqual(latest)
})

test('the number of statements does not depend on the number of events', async () => {
  const count = async (query: string) => (await statementsOf(site, () => feed(admin, query))).length
  const all = (await feed(admin, 'limit=1000')).length
  expect(await count('limit=1000')).toBeLessThanOrEqual(await count(`limit=${all}`))
  const few = await count(`limit=${Math.floor(all / 2)}`)
  expect(await count(`limit=${all - 1}`), `${all} events`).toBe(few)
  expect(few).toBeLessThan(15)
})

test('each filter has an index', async () => {
  const { store } = site.app
  const row = { time: 0, event: 'site.imported', detail: '{}', count: 1 }
  for (let batch = 0; batch < 20; batch++)
    await store.db.insertInto('audit_events').values(Array.from({ length: 500 }, () => row)).execute() // prettier-ignore
  await store.db.executeQuery(CompiledQuery.raw(store.name === 'sqlite' ? 'analyze' : 'vacuum analyze audit_events'))
  for (const [query, index] of [
    [`page=page://${ink}`, 'audit_events_page'],
    [`user=${writer.id}`, 'audit_events_actor'],
    ['event=page.moved', 'audit_events_event'],
    ['event=language.*', 'audit_events_event_kind'],
    ['until=2020-01-01T00:00:00Z', 'audit_events_time'],
  ] as const) {
    const [statement] = await statementsWith(() => feed(admin, query))
    const explain = store.name === 'sqlite' ? 'explain query plan' : 'explain'
    const { rows } = await store.db.executeQuery(CompiledQuery.raw(`${explain} ${statement!.sql}`, [...statement!.parameters])) // prettier-ignore
    const how = rows.map(found => Object.values(found as object).join(' ')).join('\n')
    expect(how).toContain(index)
    expect(how).not.toContain('TEMP B-TREE')
  }
})

async function statementsWith(work: () => Promise<unknown>): Promise<CompiledQuery[]> {
  const found: CompiledQuery[] = []
  const noting = (original: Store): Partial<Store> => ({
    read(query) {
      if (query.sql.includes('audit_events')) found.push(query)
      return original.read(query)
    },
  })
  await replacing(site.app.store, noting, work)
  return found
}

test('a request reads a limited number of rows and says where to go on', async () => {
  // The outsider sees none of the 10,000 imports that the test before has added.
  const outsider = await createTokenClient(site, { role: 'outsider' })
  const { pagination, data } = await outsider.done('GET', 'site/events?until=2020-01-01T00:00:00Z')
  const { next } = pagination as unknown as { next: string | null }
  expect([data, next]).toEqual([[], expect.stringMatching(/^0-\d+$/) as string])
  const last = await outsider.done('GET', `site/events?until=2020-01-01T00:00:00Z&before=${next}`)
  expect(last.pagination).toEqual({ limit: 100, next: null })
})

test('previews are shown if the caller asks for them: who created which link, until when, and who revoked it', async () => {
  const own = await createTestStorage()
  writeBlueprints(own.data, { 'pages/note.yml': '{}', 'pages/secret.yml': 'options: { access: { writer: false } }' })
  describeRole(own, 'writer', 'permissions: { access: { users: false, system: false } }')
  describeRole(own, 'outsider', "permissions: { '*': false, access: { panel: true, account: true } }")
  const shown = await createTestApp({ storage: own, settings: { site: { url: 'https://www.example.org' } } })
  const owner = await createTokenClient(shown)
  const uuid = await addPage(shown, '', { slug: 'ink', title: 'Ink', template: 'note' })
  await addPage(shown, '', { slug: 'plan', title: 'Plan', template: 'secret' })
  const { data: link } = await owner.done('POST', 'pages/ink/preview', { lifetime: 3600 })
  await owner.done('POST', 'pages/plan/preview')
  await owner.done('POST', 'site/preview')
  await owner.done('DELETE', 'pages/ink/preview')
  const [created] = await feed(owner, `event=preview.created&page=page://${uuid}`)
  expect(created).toMatchObject({
    user: { id: owner.id },
    uuid: `page://${uuid}`,
    title: 'Ink',
    link: '/pages/ink',
    detail: { template: 'note', expires: (link as { expires: string }).expires },
  })
  expect(JSON.stringify(created)).not.toContain((link as { token: string }).token)
  const all = ['preview.created Ink', 'preview.created Plan', 'preview.created null', 'preview.revoked Ink']
  expect(await linesOf(owner, 'event=preview.*')).toEqual(all)
  const otherClient = await createTokenClient(shown, { role: 'writer' })
  expect(await linesOf(otherClient, 'event=preview.*')).toEqual(all.filter(line => !line.includes('Plan')))
  expect(await linesOf(await createTokenClient(shown, { role: 'outsider' }), 'event=preview.*')).toEqual([])
  expect((await linesOf(owner, 'limit=1000')).join()).not.toContain('preview')
})
