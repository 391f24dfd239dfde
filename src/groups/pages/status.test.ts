import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { describeRole } from '../../../test/signed-in-user.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { revisionIn } from '../../../test/revision.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/event.yml': 'num: date\nfields: { date: { type: date } }',
  'pages/moment.yml': 'num: datetime\nfields: { date: { type: date, time: true } }',
  'pages/zero.yml': 'num: zero',
  'pages/year.yml': 'num: "{{ page.year }}"\nfields: { year: { type: text } }',
  'pages/strict.yml': 'fields: { text: { type: text, required: true } }',
  'pages/quiet.yml': 'status: { draft: true, unlisted: true }',
})
describeRole(storage, 'sorter', 'permissions: { pages: { changeStatus: false } }')
describeRole(storage, 'statusEditor', 'permissions: { pages: { sort: false } }')
const site = await createTestApp({ storage })
const admin = await createTokenClient(site)
const [sorter, statusEditor] = [
  await createTokenClient(site, { role: 'sorter' }),
  await createTokenClient(site, { role: 'statusEditor' }),
]
let count = 0

/** A page with listed children of these slugs. */
async function createSiblings(...slugs: string[]) {
  const top = `row-${++count}`
  const parent = await addPage(site, '', { slug: top, draft: false })
  for (const slug of slugs) await addPage(site, parent, { slug, status: 'listed' })
  return {
    parent,
    pathOf: (slug: string) => `pages/${top}+${slug}`,
    /** `1 a` for listed pages, `a` for unlisted ones. */
    listInOrder: async () => {
      const { data } = await admin.done('GET', `pages/${top}/children?select=slug,num,status`)
      return data.map(({ slug, num }: { slug: string; num: number | null }) => (num === null ? slug : `${num} ${slug}`))
    },
  }
}

const listed = (position?: number) => ({ status: 'listed', ...(position !== undefined && { position }) })

test('pages are listed at the end or at a position, and siblings are shifted', async () => {
  const { pathOf, listInOrder, parent } = await createSiblings('a', 'b', 'c')
  expect(await listInOrder()).toEqual(['1 a', '2 b', '3 c'])
  await addPage(site, parent, { slug: 'd' })
  expect((await admin.done('PATCH', `${pathOf('d')}/status`, listed(2))).data).toMatchObject({
    status: 'listed',
    num: 2,
  })
  expect(await listInOrder()).toEqual(['1 a', '2 d', '3 b', '4 c'])
  await admin.done('PATCH', `${pathOf('a')}/status`, listed(3))
  expect(await listInOrder()).toEqual(['1 d', '2 b', '3 a', '4 c'])
  await admin.done('PATCH', `${pathOf('c')}/status`, listed(0))
  expect(await listInOrder()).toEqual(['1 c', '2 d', '3 b', '4 a'])
  await admin.done('PATCH', `${pathOf('c')}/status`, listed(99))
  expect(await listInOrder()).toEqual(['1 d', '2 b', '3 a', '4 c'])
  await admin.done('PATCH', `${pathOf('d')}/status`, listed())
  expect(await listInOrder()).toEqual(['1 b', '2 a', '3 c', '4 d'])
})

test('siblings are renumbered without gaps when a page is unlisted, made a draft or deleted', async () => {
  const { pathOf, listInOrder } = await createSiblings('a', 'b', 'c', 'd', 'e')
  await admin.done('PATCH', `${pathOf('b')}/status`, { status: 'unlisted' })
  expect(await listInOrder()).toEqual(['1 a', '2 c', '3 d', '4 e', 'b'])
  expect((await admin.done('PATCH', `${pathOf('c')}/status`, { status: 'draft' })).data.num).toBeNull()
  expect(await listInOrder()).toEqual(['1 a', '2 d', '3 e', 'b'])
  await admin.done('DELETE', pathOf('a'))
  expect(await listInOrder()).toEqual(['1 d', '2 e', 'b'])
})

test('an unchanged position changes nothing, and siblings keep their revision', async () => {
  const { pathOf } = await createSiblings('a', 'b')
  const { headers } = await admin.done('PATCH', `${pathOf('b')}/status`, listed(2))
  const before = headers['etag']
  expect((await admin.done('PATCH', `${pathOf('b')}/status`, listed())).headers['etag']).toBe(before)
  await admin.done('PATCH', `${pathOf('a')}/status`, listed(2))
  expect(revisionIn((await admin.done('GET', pathOf('b'))).headers)).toBe(revisionIn(headers))
})

test('imported numbers are corrected with the next change', async () => {
  const { pathOf, listInOrder, parent } = await createSiblings('a', 'b', 'c')
  await site.app.store.db.updateTable('pages').set({ num: 70 }).where('parent', '=', parent).execute()
  await admin.done('PATCH', `${pathOf('c')}/status`, listed(1))
  expect(await listInOrder()).toEqual(['1 c', '2 a', '3 b'])
})

test('some templates are numbered by their content', async () => {
  const { pathOf, parent, listInOrder } = await createSiblings('a')
  await addPage(site, parent, { slug: 'e', template: 'event', content: { date: '2026-03-04' } })
  await addPage(site, parent, { slug: 'm', template: 'moment', content: { date: '2026-03-04 05:10' } })
  await addPage(site, parent, { slug: 'z', template: 'zero' })
  await addPage(site, parent, { slug: 'y', template: 'year', content: { year: '1999 or so' } })
  const list = async (slug: string) => (await admin.done('PATCH', `${pathOf(slug)}/status`, listed(1))).data.num
  expect(await list('e')).toBe(20260304)
  expect(await list('m')).toBe(202603040510)
  expect(await list('z')).toBe(0)
  expect(await list('y')).toBe(1999)
  expect(await listInOrder()).toEqual(['0 z', '1 a', '1999 y', '20260304 e', '202603040510 m'])
  expect((await admin.done('PATCH', pathOf('e'), { date: '2027-01-02' })).data.num).toBe(20270102)
  await addPage(site, parent, { slug: 'b', status: 'listed' })
  expect((await admin.done('GET', pathOf('b'))).data.num, 'numbered among siblings with the same kind of number').toBe(
    2,
  )
  await storage.stopClock()
  await addPage(site, parent, { slug: 'now', template: 'event', status: 'listed' })
  const today = new Date(storage.clock()).toISOString().slice(0, 10)
  expect((await admin.done('GET', pathOf('now'))).data.num).toBe(Number(today.replaceAll('-', '')))
})

test('an incomplete draft is not published; an incomplete published page can change its status', async () => {
  const { pathOf, parent } = await createSiblings()
  await addPage(site, parent, { slug: 's', template: 'strict' })
  for (const status of ['unlisted', 'listed'])
    expect(await admin.call('PATCH', `${pathOf('s')}/status`, { status })).toMatchObject({
      status: 403,
      key: 'error.page.changeStatus.incomplete',
      details: { text: { label: 'Text', message: { required: expect.anything() } } },
    })
  await admin.done('PATCH', pathOf('s'), { text: 'here' })
  await admin.done('PATCH', `${pathOf('s')}/status`, { status: 'unlisted' })
  expect((await admin.done('GET', `${pathOf('s')}?select=errors,isSortable`)).data).toEqual({
    errors: {},
    isSortable: false,
  })
  const { uuid } = (await admin.done('GET', `${pathOf('s')}?select=uuid`)).data
  await site.app.store.db.updateTable('contents').set({ data: '{"title":"S"}' }).where('owner', '=', uuid).execute()
  expect((await admin.done('GET', `${pathOf('s')}?select=errors`)).data.errors).toHaveProperty('text')
  expect((await admin.done('PATCH', `${pathOf('s')}/status`, listed())).data.options.sort).toBe(true)
})

test('a status that is not offered is refused', async () => {
  const { pathOf, parent } = await createSiblings()
  await addPage(site, parent, { slug: 'q', template: 'quiet' })
  expect(await admin.call('PATCH', `${pathOf('q')}/status`, listed())).toMatchObject({
    status: 400,
    key: 'error.page.status.invalid',
    message: 'This page cannot have the status “Public”.',
  })
  for (const body of [{}, { status: 'gone' }, { status: 'listed', position: 'x' }, { status: 'listed', position: -1 }])
    expect(await admin.call('PATCH', `${pathOf('q')}/status`, body)).toMatchObject({
      status: 400,
      key: 'error.validation',
    })
})

test('the home and error pages stay published', async () => {
  await addPage(site, '', { slug: 'home', draft: false })
  await addPage(site, '', { slug: 'error', draft: false })
  expect(await admin.call('PATCH', 'pages/home/status', { status: 'draft' })).toMatchObject({
    key: 'error.page.status.invalid',
  })
  for (const id of ['home', 'error'])
    for (const path of [`pages/${id}/blueprint`, `pages/${id}?select=blueprint`]) {
      const { data } = await admin.done('GET', path)
      expect(Object.keys((data.blueprint ?? data).status)).toEqual(['unlisted', 'listed'])
    }
  expect((await admin.done('PATCH', 'pages/home/status', listed())).data.status).toBe('listed')
  expect(await admin.call('PATCH', 'pages/error/status', listed())).toMatchObject({
    key: 'error.page.changeStatus.permission',
  })
  for (const id of ['home', 'error']) {
    expect(await admin.call('PATCH', `pages/${id}/slug`, { slug: 'x' })).toMatchObject({
      status: 403,
      key: 'error.page.changeSlug.permission',
    })
    expect(await admin.call('PATCH', `pages/${id}/move`, { parent: 'row-1' })).toMatchObject({
      key: 'error.page.move.permission',
    })
    expect(await admin.call('DELETE', `pages/${id}`)).toMatchObject({ key: 'error.page.delete.permission' })
  }
  const { url } = site.app.config
  expect((await admin.done('GET', 'pages/home?select=url,options')).data).toMatchObject({
    url,
    options: { delete: false },
  })
})

test('`pages.sort` and `pages.changeStatus` are separate permissions', async () => {
  const { pathOf, parent } = await createSiblings('a', 'b')
  await addPage(site, parent, { slug: 'd' })
  expect((await sorter.call('PATCH', `${pathOf('b')}/status`, listed(1))).status).toBe(200)
  expect(await sorter.call('PATCH', `${pathOf('d')}/status`, listed(1))).toMatchObject({
    key: 'error.page.changeStatus.permission',
  })
  expect(await statusEditor.call('PATCH', `${pathOf('b')}/status`, listed(2))).toMatchObject({
    status: 403,
    key: 'error.page.sort.permission',
  })
  expect((await statusEditor.call('PATCH', `${pathOf('d')}/status`, listed(1))).status).toBe(200)
})
