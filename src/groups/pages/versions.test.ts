import { expect, test } from 'vitest'
import { requestsOf } from '../../../test/requests.ts'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { describeRole, createSignedInUser } from '../../../test/signed-in-user.ts'
import { refusal } from '../../../test/sign-in.ts'
import { createPage } from './create.ts'
import { operatorContext } from '../../cli/site.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/default.yml':
    'options: { changeTemplate: [other] }\nfields: { text: { type: text, required: true }, level: { type: number } }',
  'pages/other.yml': 'fields: { text: { type: text } }',
})
describeRole(storage, 'reader', 'permissions: { pages: { update: false } }')
describeRole(storage, 'untitled', 'permissions: { pages: { changeTitle: false } }')
describeRole(storage, 'without-users', 'permissions: { access: { users: false } }')
const site = await createTestApp({ storage })
const { app } = site
const people = [await createSignedInUser(site), await createSignedInUser(site)] as const
const [anna, bert] = [await requestsOf(people[0]), await requestsOf(people[1])]

let pageCount = 0
async function newPage(draft = false): Promise<string> {
  const slug = `page-${++pageCount}`
  await createPage(operatorContext(app), '', {
    shownReferences: 'all',
    slug,
    title: slug,
    content: { text: 'first' },
    draft,
  })
  return `/pages/${slug}`
}
const slugOf = (page: string) => page.slice('/pages/'.length)

interface Page {
  title: string
  content: Record<string, unknown>
  options: Record<string, boolean>
}
const read = async (page: string, call = anna) => (await call('GET', page)).json<{ data: Page }>().data

interface Version {
  id: number
  action: string
  fields: string[]
}
const historyOf = async (page: string) => (await anna('GET', `${page}/history`)).json<{ data: Version[] }>().data

test('a saved draft is hidden, locks the page for others, and is recorded as publish when it is published', async () => {
  const page = await newPage()
  const saved = await anna('POST', `${page}/changes/save`, { text: 'walrus', level: 3 })
  expect(saved.json()).toMatchObject({ status: 'ok', errors: {} })
  expect((await read(page)).content).toMatchObject({ text: 'first' })
  for (const path of [page, `${page}?view=any`, `${page}/history`])
    expect((await anna('GET', path)).body).not.toContain('walrus')
  for (const attempt of [
    () => bert('PATCH', page, { level: 1 }),
    () => bert('PATCH', `${page}/title`, { title: 'Other' }),
    () => bert('POST', `${page}/changes/save`, { level: 1 }),
    () => bert('POST', `${page}/changes/publish`),
  ])
    expect(refusal(await attempt())).toMatchObject({ status: 423, key: 'error.content.lock' })
  const { options } = await read(page, bert)
  expect(Object.entries(options).flatMap(([action, isAllowed]) => (isAllowed ? [action] : []))).toEqual(['preview'])
  expect((await read(page)).options).toMatchObject({ update: true, delete: true })
  expect((await anna('POST', `${page}/changes/publish`)).headers['etag']).toBe('"2"')
  expect((await read(page, bert)).content).toMatchObject({ text: 'walrus', level: 3 })
  expect((await read(page, bert)).options).toMatchObject({ update: true })
  expect(await historyOf(page)).toMatchObject([
    { action: 'publish', fields: ['text', 'level'] },
    { action: 'create', fields: ['title', 'text'] },
  ])
})

test('a page with an edit lock cannot be moved, renamed, deleted or get another template', async () => {
  const [page, other] = [await newPage(), await newPage()]
  const id = slugOf(page)
  await anna('POST', `${page}/changes/save`, { text: 'walrus' })
  const attempts: [Parameters<typeof bert>[0], string, object?][] = [
    ['PATCH', `${page}/slug`, { slug: 'elsewhere' }],
    ['PATCH', `${page}/template`, { template: 'other' }],
    ['PATCH', `${page}/move`, { parent: slugOf(other) }],
    ['PATCH', `${page}/move`, { parent: null, slug: 'elsewhere' }],
    ['DELETE', page],
  ]
  for (const [method, path, body] of attempts)
    expect(refusal(await bert(method, path, body))).toMatchObject({
      status: 423,
      key: 'error.content.lock',
      details: { user: { id: people[0].id }, unlockable: true },
    })
  expect((await bert('PATCH', `${page}/status`, { status: 'listed' })).statusCode).toBe(200)
  expect((await anna('PATCH', `${page}/move`, { parent: slugOf(other) })).statusCode).toBe(200)
  const moved = `${other}+${id}`
  expect(refusal(await bert('DELETE', other, { force: true })), 'with what is below it').toMatchObject({ status: 423 })
  expect((await anna('GET', `${moved}/changes`)).json()).toMatchObject({ data: { content: { text: 'walrus' } } })
  expect((await bert('POST', `${moved}/changes/unlock`)).statusCode).toBe(200)
  for (const [method, path, body] of [
    ['PATCH', `${moved}/slug`, { slug: 'renamed' }],
    ['PATCH', `${other}+renamed/template`, { template: 'other' }],
    ['DELETE', other, { force: true }],
  ] as const)
    expect((await bert(method, path, body)).statusCode).toBe(200)
})

test('a draft in any language locks the page until the lock expires', async () => {
  const page = await newPage()
  for (const code of ['en', 'de']) await anna('POST', '/languages', { code })
  await anna('POST', `${page}/changes/save`, { text: 'Walross' }, { 'x-language': 'de' })
  expect((await bert('PATCH', page, { level: 2 })).statusCode).toBe(200)
  for (const language of ['en', 'de'])
    expect((await bert('PATCH', `${page}/slug?language=${language}`, { slug: 'x' })).statusCode).toBe(423)
  expect((await bert('DELETE', page)).statusCode).toBe(423)
  await storage.moveClock(10 * 60_000 + 1)
  expect((await bert('DELETE', page)).statusCode).toBe(200)
  for (const code of ['de', 'en']) await anna('DELETE', `/languages/${code}`)
})

test('publishing a draft cannot make a published page incomplete', async () => {
  const page = await newPage()
  await anna('POST', `${page}/changes/save`, { text: '' })
  expect(refusal(await anna('POST', `${page}/changes/publish`))).toMatchObject({
    status: 400,
    details: { text: expect.anything() as unknown },
  })
  expect((await read(page)).content['text']).toBe('first')
})

test('the title is restored with a version', async () => {
  const page = await newPage()
  expect((await anna('PATCH', `${page}/title`, { title: 'Other' })).statusCode).toBe(200)
  expect((await anna('PATCH', page, { text: 'second' })).statusCode).toBe(200)
  const versions = await historyOf(page)
  expect(versions.map(({ action, fields }) => [action, ...fields])).toEqual([
    ['update', 'text'],
    ['title', 'title'],
    ['create', 'title', 'text'],
  ])
  expect((await anna('POST', `${page}/history/${versions.at(-1)!.id}/restore`)).json()).toEqual({ status: 'ok' })
  expect(await read(page)).toMatchObject({ title: 'Other', content: { text: 'second' } })
  expect((await anna('POST', `${page}/changes/publish`)).statusCode).toBe(200)
  expect(await read(page)).toMatchObject({ title: slugOf(page), content: { text: 'first' } })
  expect((await historyOf(page))[0]).toMatchObject({ action: 'publish', fields: ['title', 'text'] })
})

test('a version that is no longer valid is restored as a draft, and not published', async () => {
  const page = await newPage(true)
  expect((await anna('PATCH', page, { text: '' })).statusCode).toBe(200)
  const [empty] = await historyOf(page)
  await anna('PATCH', page, { text: 'again' })
  expect((await anna('POST', `${page}/history/${empty!.id}/restore`)).statusCode).toBe(200)
  await anna('PATCH', `${page}/status`, { status: 'listed' })
  expect((await anna('GET', `${page}/changes`)).json()).toMatchObject({ data: { fields: ['text'] } })
  expect(refusal(await anna('POST', `${page}/changes/publish`))).toMatchObject({
    status: 400,
    key: 'error.invalidArgument',
    details: { text: { message: { required: expect.anything() as unknown } } },
  })
  expect((await read(page)).content['text']).toBe('again')
})

test('without the permission to change titles a restored version keeps the current title', async () => {
  const page = await newPage()
  const [first] = await historyOf(page)
  await anna('PATCH', `${page}/title`, { title: 'Today' })
  await anna('PATCH', page, { text: 'second' })
  const writer = await requestsOf(await createSignedInUser(site, { role: 'untitled' }))
  expect((await writer('POST', `${page}/history/${first!.id}/restore`)).statusCode).toBe(200)
  expect((await writer('POST', `${page}/changes/publish`)).statusCode).toBe(200)
  expect(await read(page)).toMatchObject({ title: 'Today', content: { text: 'first' } })
  expect((await historyOf(page))[0]).toMatchObject({ action: 'publish', fields: ['text'] })
})

test('without access to accounts authors are shown by name, without e-mail address and id', async () => {
  const page = await newPage()
  const cleo = await createSignedInUser(site)
  await app.store.db.updateTable('users').set({ name: 'Cleo' }).where('id', '=', cleo.id).execute()
  const call = await requestsOf(cleo)
  await call('PATCH', page, { level: 6 })
  await call('PATCH', `${page}/schedule`, { status: 'listed', at: new Date(storage.clock() + 3e5).toISOString() })
  await call('POST', `${page}/changes/save`, { level: 7 })
  const withoutUsers = await requestsOf(await createSignedInUser(site, { role: 'without-users' }))
  const answers = [
    await withoutUsers('GET', `${page}/changes`),
    await withoutUsers('GET', `${page}/history`),
    await withoutUsers('GET', `${page}/schedule`),
    await withoutUsers('GET', `${page}?select=schedule`),
    await withoutUsers('PATCH', page, { level: 4 }),
    await withoutUsers('PATCH', `${page}/slug`, { slug: 'else' }),
  ]
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 423, 423])
  for (const { body } of answers) {
    expect(body).toContain('Cleo')
    expect(body).not.toContain(cleo.email)
    expect(body).not.toContain(cleo.id)
  }
  for (const path of ['/changes', '/history', '/schedule'])
    expect((await anna('GET', page + path)).body).toContain(cleo.id)
  await anna('POST', `${page}/changes/unlock`)
  const { details } = refusal(await withoutUsers('PATCH', page, { level: 4 }))
  expect(details['user'], 'without a name').toEqual({ username: '' })
})

test('drafts and versions are deleted with the page, and hidden without the permission to update', async () => {
  const page = await newPage()
  await anna('POST', `${page}/changes/save`, { level: 3 })
  const reader = await requestsOf(await createSignedInUser(site, { role: 'reader' }))
  for (const path of ['/changes', '/history'])
    expect(refusal(await reader('GET', page + path)).key).toBe('error.page.update.permission')
  expect(refusal(await reader('POST', `${page}/changes/publish`)).key).toBe('error.version.publish.permission')
  expect((await anna('DELETE', page)).statusCode).toBe(200)
  for (const path of ['/changes', '/history']) expect((await anna('GET', page + path)).statusCode).toBe(404)
  const left = await app.store.db.selectFrom('changes').selectAll().execute()
  expect(left.filter(({ data }) => data.includes('"3"'))).toEqual([])
})

test('of several publications based on the same revision one succeeds; the others get 412 with the current content', async () => {
  const page = await newPage()
  const etag = String((await anna('GET', page)).headers['etag'])
  const answers = await Promise.all(
    [anna, bert, anna, bert].map((call, index) =>
      call('POST', `${page}/changes/publish`, { level: index + 1 }, { 'if-match': etag }),
    ),
  )
  expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 412, 412, 412])
  const current = { text: 'first', level: answers.findIndex(({ statusCode }) => statusCode === 200) + 1 }
  expect((await read(page)).content).toMatchObject(current)
  for (const answer of answers.filter(({ statusCode }) => statusCode !== 200))
    expect(refusal(answer)).toMatchObject({ status: 412, details: { current: { content: current } } })
})
