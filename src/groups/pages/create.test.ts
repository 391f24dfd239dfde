import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { describeRole } from '../../../test/signed-in-user.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/event.yml': `
fields:
  text: { type: text, required: true }
  day: { type: date, default: today }
  price: { type: number, default: 12 }
`,
  'pages/closed.yml': 'options: { create: false }',
  'pages/quiet.yml': 'status: { draft: true, listed: true }',
  'pages/shelf.yml': 'sections: { events: { type: pages, template: event } }',
})
describeRole(storage, 'author', 'permissions: { pages: { changeStatus: false } }')
const site = await createTestApp({ storage })
const admin = await createTokenClient(site)
const author = await createTokenClient(site, { role: 'author' })
const top = await addPage(site, '', { slug: 'top', draft: false })
const make = (body: unknown, who = admin) => who.call('POST', 'pages/top/children', body)

test('a page is created as a draft, with the defaults of its blueprint', async () => {
  const { data, headers, status } = await make({
    template: 'Event',
    content: { title: '  Größe & Öl_2 / ßx ', text: 'Hi', price: 3 },
  })
  expect(status).toBe(200)
  expect(data).toMatchObject({
    id: 'top/grosse-ol-2-ssx',
    status: 'draft',
    num: null,
    template: 'event',
    title: 'Größe & Öl_2 / ßx',
    parent: { id: 'top' },
    content: { text: 'Hi', price: 3, title: 'Größe & Öl_2 / ßx' },
  })
  expect(data.content.day).toMatch(/^\d{4}-\d\d-\d\d/)
  expect(data.uuid).toMatch(/^page:\/\/[a-z0-9]{16}$/)
  expect(headers['etag']).toBe('"1"')
  expect((await admin.done('GET', 'pages/top+grosse-ol-2-ssx')).data).toEqual(data)
  const versions = await site.app.store.db
    .selectFrom('history')
    .select(['action', 'revision', 'user_id'])
    .where('owner', '=', data.uuid)
    .execute()
  expect(versions).toEqual([{ action: 'create', revision: 1, user_id: admin.id }])
  const events = await site.app.store.db
    .selectFrom('audit_events')
    .select(['event', 'actor_id'])
    .where('subject_id', '=', data.uuid)
    .execute()
  expect(events).toEqual([{ event: 'page.created', actor_id: admin.id }])
})

test('the slug comes from the body, or from the title, in any script', async () => {
  expect((await make({ slug: 'Given Slug', title: 'Another' })).data).toMatchObject({
    slug: 'given-slug',
    title: 'Another',
  })
  expect((await make({ title: '日本語 ノート' })).data.slug).toBe('日本語-ノート')
  const found = await admin.done('GET', `pages/${encodeURIComponent('top+日本語-ノート')}?select=id`)
  expect(found.data.id).toBe('top/日本語-ノート')
  expect((await make({ title: 'x'.repeat(500) })).data.slug).toHaveLength(128)
})

test.each([
  [{}, 'error.page.slug.invalid'],
  [{ slug: '' }, 'error.page.slug.invalid'],
  [{ slug: '!?…', title: 'Fine' }, 'error.page.slug.invalid'],
  [{ title: '🌊' }, 'error.page.slug.invalid'],
  [{ slug: 'x'.repeat(1001) }, 'error.validation'],
  [{ slug: 'a', template: '../../..' }, 'error.page.template.invalid'],
  [{ slug: 'a', template: '' }, 'error.validation'],
  [{ slug: ['a'] }, 'error.validation'],
  [{ slug: 'a', draft: 'no' }, 'error.validation'],
  [{ slug: 'a', content: { uuid: 'mine' } }, 'error.invalidArgument'],
  [{ slug: 'a', content: { UUID: 'x'.repeat(17) } }, 'error.invalidArgument'],
  [{ slug: 'a', content: { uuid: '../../etc/passwd' } }, 'error.invalidArgument'],
  [{ slug: 'a', content: { uuid: 'page://abcdefghi' } }, 'error.invalidArgument'],
  [{ slug: 'a', content: { uuid: ['abcdefghijklmnop'] } }, 'error.invalidArgument'],
  [{ slug: 'a', content: { title: ['list'] } }, 'error.invalidArgument'],
  [{ slug: 'a', template: 'event', content: { price: { no: 1 } } }, 'error.invalidArgument'],
  [{ slug: 'a', template: 'event', content: { text: '' }, draft: false }, 'error.page.changeStatus.incomplete'],
  [{ slug: 'a', template: 'quiet', draft: false }, 'error.page.status.invalid'],
  [{ slug: 'a', template: 'closed' }, 'error.page.create.permission'],
  [{ slug: 'a', other: 1 }, 'error.validation'],
])('%j is refused with %s', async (body, key) => {
  expect(await make(body)).toMatchObject({ key })
  expect(await admin.call('GET', 'pages/top+a')).toMatchObject({ status: 404 })
})

async function createdUuid(slug: string, template: string): Promise<string> {
  return (await make({ slug, template })).data.template as string
}

test('a template without a blueprint uses the default blueprint under its own name', async () => {
  expect(await createdUuid('tpl-1', 'Not-There')).toBe('not-there')
  expect(await createdUuid('tpl-2', '../../Etc/x.php')).toBe('etc-x-php')
  expect(await createdUuid('tpl-3', '__proto__')).toBe('proto')
  expect(await createdUuid('tpl-4', 'Größe 1')).toBe('grosse-1')
  const { data } = await admin.done('GET', 'pages/top+tpl-1/blueprint')
  expect(data.name).toBe('pages/default')
  await addPage(site, top, { slug: 'shelf', template: 'shelf' })
  const onShelf = (template: string) => admin.call('POST', 'pages/top+shelf/children', { slug: 'x', template })
  expect(await onShelf('Not-There')).toMatchObject({ status: 400, key: 'error.page.template.invalid' })
  expect(await onShelf('event')).toMatchObject({ status: 200 })
})

test('a page can be created with a uuid, once', async () => {
  const uuid = 'Abcdefgh12345678'
  const { data } = await make({ slug: 'moved-in', content: { title: 'Moved in', UUID: uuid } })
  expect(data).toMatchObject({ uuid: `page://${uuid}`, content: { title: 'Moved in', uuid } })
  expect((await admin.done('GET', `pages/@${uuid}`)).data.id).toBe('top/moved-in')
  expect(await make({ slug: 'again', content: { uuid } })).toMatchObject({
    status: 400,
    key: 'error.page.uuid.duplicate',
  })
  expect(await make({ slug: 'moved-in', content: { uuid } })).toMatchObject({ key: 'error.page.draft.duplicate' })
  expect(await admin.call('PATCH', 'pages/top+moved-in', { uuid: 'Abcdefgh87654321' })).toMatchObject({ status: 400 })
  expect((await make({ slug: 'blank', content: { uuid: '' } })).data.uuid).toMatch(/^page:\/\/[a-z0-9]{16}$/)
  const twins = await Promise.all(['one', 'two'].map(slug => make({ slug, content: { uuid: 'twin000000000001' } })))
  expect(new Set(twins.map(({ status }) => status))).toEqual(new Set([200, 400]))
})

test('siblings have different slugs', async () => {
  await make({ slug: 'twice' })
  expect(await make({ slug: 'Twice' })).toMatchObject({ status: 400, key: 'error.page.draft.duplicate' })
  await addPage(site, top, { slug: 'public', draft: false })
  expect(await make({ slug: 'public' })).toMatchObject({ status: 400, key: 'error.page.duplicate' })
  expect(await admin.call('POST', 'pages/top+twice/children', { slug: 'twice' })).toMatchObject({ status: 200 })
})

test('publishing on creation requires the permission, and a complete page', async () => {
  const { status, details } = await make({ slug: 'half', template: 'event', draft: false })
  expect({ status, details }).toMatchObject({
    status: 403,
    details: { text: { message: { required: expect.anything() } } },
  })
  expect((await make({ slug: 'whole', template: 'event', content: { text: 'x' }, isDraft: false })).data.status).toBe(
    'unlisted',
  )
  expect(await make({ slug: 'mine', draft: false }, author)).toMatchObject({
    status: 403,
    key: 'error.page.changeStatus.permission',
  })
  expect(await make({ slug: 'mine' }, author)).toMatchObject({ status: 200 })
})

test('at the top level some slugs are reserved', async () => {
  for (const slug of ['api', 'assets', 'media', 'panel', 'health'])
    await expect(addPage(site, '', { slug })).rejects.toMatchObject({ key: 'page.changeSlug.reserved' })
  expect((await make({ slug: 'media' })).status).toBe(200)
})

test('the length of paths is limited', async () => {
  let parent = top
  const slug = 'd'.repeat(128)
  for (let depth = 0; depth < 7; depth++) parent = await addPage(site, parent, { slug })
  await expect(addPage(site, parent, { slug })).rejects.toMatchObject({ key: 'page.slug.maxlength' })
})

test('a page cannot be created below a missing one', async () => {
  expect(await admin.call('POST', 'pages/nothing/children', { slug: 'a' })).toMatchObject({ status: 404 })
  await expect(addPage(site, 'nobody', { slug: 'a' })).rejects.toMatchObject({ key: 'page.notFound' })
})
