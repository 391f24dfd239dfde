import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { describeRole } from '../../../test/signed-in-user.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { revisionIn } from '../../../test/revision.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/shelf.yml': 'sections: { books: { type: pages, templates: [book] } }',
  'pages/book.yml': 'title: Book',
  'pages/secret.yml': 'options: { access: false }',
})
describeRole(storage, 'withoutMove', 'permissions: { pages: { move: false } }')
describeRole(storage, 'withoutChangeSlug', 'permissions: { pages: { changeSlug: false } }')
describeRole(storage, 'withoutSort', 'permissions: { pages: { sort: false } }')
describeRole(storage, 'withoutCreate', 'permissions: { pages: { create: false } }')
const site = await createTestApp({ storage })
const admin = await createTokenClient(site)
const withoutMove = await createTokenClient(site, { role: 'withoutMove' })
const withoutChangeSlug = await createTokenClient(site, { role: 'withoutChangeSlug' })
const withoutCreate = await createTokenClient(site, { role: 'withoutCreate' })

test('a page moves with its descendants, below another page or to the top level', async () => {
  const from = await addPage(site, '', { slug: 'from', status: 'listed' })
  const moved = await addPage(site, from, { slug: 'moved', status: 'listed' })
  await addPage(site, from, { slug: 'left', status: 'listed' })
  await addPage(site, moved, { slug: 'below' })
  const to = await addPage(site, '', { slug: 'to', draft: false })
  await addPage(site, to, { slug: 'first', status: 'listed' })
  const { data } = await admin.done('PATCH', 'pages/from+moved/move', { parent: 'to' })
  expect(data).toMatchObject({ id: 'to/moved', num: 2, status: 'listed', parent: { id: 'to' } })
  expect((await admin.done('GET', 'pages/to+moved+below?select[parents][]=id')).data.parents).toEqual([
    { id: 'to' },
    { id: 'to/moved' },
  ])
  expect((await admin.done('GET', 'pages/from+left')).data.num).toBe(1)
  expect((await admin.done('GET', 'pages/to/children')).pagination.total).toBe(2)
  expect((await admin.done('PATCH', 'pages/to+moved/move', { parent: '', slug: 'Free' })).data).toMatchObject({
    id: 'free',
    parent: null,
  })
  expect((await admin.done('GET', 'pages/free+below?select=id')).data.id).toBe('free/below')
  expect((await admin.done('PATCH', `pages/free/move`, { parent: `@${to}` })).data.id).toBe('to/free')
  const { headers } = await admin.done('GET', 'pages/to+free')
  expect(revisionIn((await admin.done('PATCH', `pages/to+free/move`, { parent: 'to' })).headers)).toBe(
    revisionIn(headers),
  )
})

test('a page moves back to its former position', async () => {
  const row = await addPage(site, '', { slug: 'row', status: 'listed' })
  for (const slug of ['one', 'two', 'three']) await addPage(site, row, { slug, status: 'listed' })
  const other = await addPage(site, '', { slug: 'other', status: 'listed' })
  await addPage(site, other, { slug: 'hidden' })
  const slugs = async (parent: string) => {
    const { data } = await admin.done('GET', `pages/${parent}/children?status=listed&select=slug,num`)
    return (data as unknown as { slug: string; num: number }[]).map(({ slug, num }) => `${num} ${slug}`)
  }
  await admin.done('PATCH', 'pages/row+two/move', { parent: 'other' })
  expect([await slugs('row'), await slugs('other')]).toEqual([['1 one', '2 three'], ['1 two']])
  const withoutSort = await createTokenClient(site, { role: 'withoutSort' })
  expect((await withoutSort.call('PATCH', 'pages/other+two/move', { parent: 'row', position: 2 })).key).toBe(
    'error.page.sort.permission',
  )
  await admin.done('PATCH', 'pages/other+two/move', { parent: 'row', position: 2 })
  expect([await slugs('row'), await slugs('other')]).toEqual([['1 one', '2 two', '3 three'], []])
  // A position after the last page is the end. Unlisted pages and drafts have no position.
  await admin.done('PATCH', 'pages/row+one/move', { parent: 'other', position: 9 })
  await admin.done('PATCH', 'pages/other+hidden/move', { parent: 'row', position: 1 })
  expect([await slugs('row'), await slugs('other')]).toEqual([['1 two', '2 three'], ['1 one']])
  expect((await admin.call('PATCH', 'pages/row+two/move', { parent: 'other', position: 0 })).status).toBe(400)
})

test('an impossible move is refused, and nothing has moved', async () => {
  const a = await addPage(site, '', { slug: 'a' })
  const b = await addPage(site, a, { slug: 'b' })
  await addPage(site, b, { slug: 'c' })
  await addPage(site, '', { slug: 'c' })
  await addPage(site, '', { slug: 'shelf', template: 'shelf' })
  await addPage(site, '', { slug: 'book', template: 'book' })
  await addPage(site, '', { slug: 'secret', template: 'secret' })
  const refusals: [string, unknown, number, string][] = [
    ['a', { parent: 'a' }, 400, 'error.page.move.self'],
    ['a', { parent: 'a+b+c' }, 400, 'error.page.move.self'],
    ['c', { parent: 'a+b' }, 400, 'error.page.draft.duplicate'],
    ['c', { parent: 'shelf' }, 400, 'error.page.move.template'],
    ['c', { parent: 'nowhere' }, 404, 'error.page.notFound'],
    ['c', { parent: 'secret' }, 404, 'error.page.notFound'],
    ['a+b', { parent: null, slug: 'api' }, 400, 'error.page.changeSlug.reserved'],
    ['a+b', { parent: null, slug: '!' }, 400, 'error.page.slug.invalid'],
    ['a', {}, 400, 'error.validation'],
    ['a', { parent: 7 }, 400, 'error.validation'],
  ]
  for (const [id, body, status, key] of refusals)
    expect([id, await admin.call('PATCH', `pages/${id}/move`, body)]).toMatchObject([id, { status, key }])
  expect((await admin.done('GET', 'pages/a+b+c?select=id')).data.id).toBe('a/b/c')
  expect((await admin.done('PATCH', 'pages/book/move', { parent: 'shelf' })).data.id).toBe('shelf/book')
  expect(await withoutMove.call('PATCH', 'pages/c/move', { parent: 'a' })).toMatchObject({
    status: 403,
    key: 'error.page.move.permission',
  })
})

test('a move requires the permission to create at the target, and a new slug the permission to change it', async () => {
  const top = await addPage(site, '', { slug: 'top' })
  await addPage(site, top, { slug: 'mine' })
  await addPage(site, '', { slug: 'target' })
  expect(await withoutCreate.call('PATCH', 'pages/top+mine/move', { parent: 'target' })).toMatchObject({
    status: 403,
    key: 'error.page.create.permission',
  })
  for (const parent of ['target', 'top'])
    expect(await withoutChangeSlug.call('PATCH', 'pages/top+mine/move', { parent, slug: 'ours' })).toMatchObject({
      status: 403,
      key: 'error.page.changeSlug.permission',
    })
  expect((await admin.done('GET', 'pages/top+mine?select=id')).data.id).toBe('top/mine')
  expect((await withoutCreate.done('PATCH', 'pages/top+mine/move', { parent: 'top', slug: 'ours' })).data.id).toBe(
    'top/ours',
  )
  expect(
    (await withoutChangeSlug.done('PATCH', 'pages/top+ours/move', { parent: 'target', slug: 'ours' })).data.id,
  ).toBe('target/ours')
})
