import { expect, test } from 'vitest'
import { createTestApp } from '../../../test/harness.ts'
import { addPage, type ApiResponse, createTokenClient } from '../../../test/pages.ts'
import { revisionIn } from '../../../test/revision.ts'

// A busy machine needs more time.
const settings = { database: { timeout: 20 } }
const site = await createTestApp({ settings })
const otherSite = await createTestApp({ settings, storage: site.storage })
const [here, there] = [await createTokenClient(site), await createTokenClient(otherSite)]
const { db } = site.app.store

const statuses = (answers: ApiResponse[]) => answers.map(({ status }) => status).toSorted((a, b) => a - b)

/** Every page has its parent, its path, its content and its place in the counts. */
async function mustBeWhole() {
  const pages = await db.selectFrom('pages').selectAll().execute()
  const byUuid = new Map(pages.map(page => [page.uuid, page]))
  for (const { parent, path, slug } of pages)
    expect(path).toBe(parent === '' ? slug : `${byUuid.get(parent)?.path}/${slug}`)
  const owners = new Set(pages.map(({ uuid }) => `page://${uuid}`))
  const contents = await db.selectFrom('contents').select('owner').where('owner', 'like', 'page://%').execute()
  expect(new Set(contents.map(({ owner }) => owner))).toEqual(owners)
  const counts = await db.selectFrom('page_counts').selectAll().where('count', '>', 0).execute()
  const counted = Map.groupBy(pages, ({ parent, template, status }) => [parent, template, status].join())
  expect(
    new Map(counts.map(({ parent, template, status, count }) => [[parent, template, status].join(), count])),
  ).toEqual(new Map([...counted].map(([key, rows]) => [key, rows.length])))
}

test('of many concurrent requests for one slug one succeeds', async () => {
  const parent = await addPage(site, '', { slug: 'race' })
  await addPage(site, parent, { slug: 'mover' })
  const answers = await Promise.all([
    ...Array.from({ length: 4 }, (_, index) =>
      (index % 2 ? here : there).call('POST', 'pages/race/children', { slug: 'same' }),
    ),
    there.call('PATCH', 'pages/race+mover/slug', { slug: 'same' }),
  ])
  expect(statuses(answers)).toEqual([200, 400, 400, 400, 400])
  await mustBeWhole()
})

test('no page is created below a page that was deleted meanwhile', async () => {
  for (let round = 0; round < 5; round++) {
    const parent = await addPage(site, '', { slug: `going-${round}` })
    await addPage(site, parent, { slug: 'there' })
    const answers = await Promise.all([
      here.call('POST', `pages/going-${round}/children`, { slug: 'a' }),
      there.call('DELETE', `pages/going-${round}`, { force: true }),
      there.call('POST', `pages/going-${round}+there/children`, { slug: 'b' }),
      here.call('PATCH', `pages/going-${round}+there`, { text: 'x' }),
      there.call('PATCH', `pages/going-${round}+there/slug`, { slug: 'elsewhere' }),
      here.call('POST', `pages/going-${round}/duplicate`, { slug: `copy-${round}`, children: true }),
    ])
    for (const { status } of answers) expect([200, 404]).toContain(status)
    expect(answers[1].status).toBe(200)
  }
  await mustBeWhole()
})

test('two concurrent moves never create a cycle', async () => {
  for (let round = 0; round < 5; round++) {
    await addPage(site, '', { slug: `one-${round}` })
    await addPage(site, '', { slug: `two-${round}` })
    const answers = await Promise.all([
      here.call('PATCH', `pages/one-${round}/move`, { parent: `two-${round}` }),
      there.call('PATCH', `pages/two-${round}/move`, { parent: `one-${round}` }),
    ])
    expect(statuses(answers)[0]).toBe(200)
    for (const { status } of answers) expect([200, 400, 404]).toContain(status)
  }
  await mustBeWhole()
})

test('after any concurrent moves, numbers are 1 to n', async () => {
  const parent = await addPage(site, '', { slug: 'row' })
  const slugs = Array.from({ length: 8 }, (_, index) => `p${index}`)
  for (const slug of slugs) await addPage(site, parent, { slug, draft: false })
  const list = (slug: string, index: number) =>
    (index % 2 ? here : there).call('PATCH', `pages/row+${slug}/status`, {
      status: 'listed',
      position: (index * 3) % 5,
    })
  expect(new Set(statuses(await Promise.all(slugs.map(list))))).toEqual(new Set([200]))
  await Promise.all([
    ...slugs.slice(0, 3).map((slug, index) => list(slug, index + 1)),
    here.call('PATCH', 'pages/row+p3/status', { status: 'draft' }),
    there.call('DELETE', 'pages/row+p4'),
    here.call('PATCH', 'pages/row+p5/move', { parent: null }),
  ])
  const { data } = await here.done('GET', 'pages/row/children?status=listed&select=num')
  expect(data.map(({ num }: { num: number }) => num)).toEqual([1, 2, 3, 4, 5])
  await mustBeWhole()
})

test('of concurrent writes with the same revision one succeeds', async () => {
  await addPage(site, '', { slug: 'edited' })
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      (index % 2 ? here : there).call('PATCH', 'pages/edited', { text: `by ${index}` }, { 'if-match': '"1"' }),
    ),
  )
  expect(statuses(answers)).toEqual([200, 412, 412, 412, 412, 412])
  expect(revisionIn((await here.done('GET', 'pages/edited')).headers)).toBe(2)
})
