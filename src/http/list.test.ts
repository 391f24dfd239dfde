import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../test/harness.ts'
import { addPage, type ApiResponse, createTokenClient } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage()
const list = '{ type: pages, template: note, limit: 100, layout: table, columns: { text: { type: textarea } } }'
const short = 'type: pages, template: note, limit: 100, search: true'
writeBlueprints(storage.data, {
  'pages/top.yml': `sections: { notes: ${list}, sorted: { ${short}, sortBy: group desc }, flipped: { ${short}, flip: true } }`,
  'pages/large.yml': `fields: { related: { type: pages, query: 'site.index.filterBy("group", "b").flip' } }`,
  'pages/note.yml': 'fields: { text: { type: textarea }, group: { type: text } }',
})
const site = await createTestApp({ storage })
const admin = await createTokenClient(site)
const top = await addPage(site, '', { slug: 'top', template: 'top', title: 'Top', draft: false })
const count = 24
const slugs = Array.from({ length: count }, (_, index) => `n${String(index).padStart(2, '0')}`)
for (const slug of slugs) {
  const uuid = await addPage(site, top, { slug, template: 'note', title: 'Storm', status: 'unlisted' })
  // Every third one is small. Written beside the interface: that takes a while for so many letters.
  const text = Number(slug.slice(1)) % 3 === 0 ? 'small' : 'ö'.repeat(400_000)
  const data = JSON.stringify({ title: 'Storm', text, group: 'a' })
  await site.app.store.db.updateTable('contents').set({ data }).where('owner', '=', `page://${uuid}`).execute()
}

const maxBytes = 8 * 1024 * 1024
const entries = (answer: ApiResponse) =>
  (answer as { pagination: ApiResponse['pagination'] & { next?: number } }).pagination

/** Requests the pages of a list until there is no `next`. */
async function pageThrough(ask: (offset: number) => Promise<ApiResponse>): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = []
  for (let [pages, offset] = [1, 0]; ; pages++) {
    const answer = await ask(offset)
    const { data, pagination } = { data: answer.data as { id: string }[], pagination: entries(answer) }
    expect(JSON.stringify(data).length).toBeLessThan(maxBytes)
    expect(pagination).toMatchObject({ total: count })
    expect(pagination.offset ?? offset).toBe(offset)
    ids.push(...data.map(({ id }) => id))
    if (pagination.next === undefined) return { ids, pages }
    expect(pagination).toMatchObject({ limit: data.length, next: offset + data.length })
    offset = pagination.next
  }
}

const select = 'select=id,content&limit=1000'
const paged: [name: string, ask: (offset: number) => Promise<ApiResponse>][] = [
  ['children', offset => admin.done('GET', `pages/top/children?${select}&next=${offset}`)],
  [
    'children that are found',
    offset => admin.done('GET', `pages/top/children/search?q=storm&${select}&next=${offset}`),
  ],
  ['pages that are found', offset => admin.done('GET', `site/search?q=storm&${select}&next=${offset}`)],
  [
    'a query',
    offset =>
      admin.done('POST', `site/search?${select}&next=${offset}`, {
        filterBy: [{ field: 'group', operator: '==', value: 'a' }],
      }),
  ],
  [
    'pages by their ids',
    offset =>
      admin.done(
        'POST',
        `site/find?${select}&next=${offset}`,
        slugs.map(slug => `top/${slug}`),
      ),
  ],
  ['a section', offset => admin.done('GET', `pages/top/sections/notes?next=${offset}`)],
]

test.each(paged.filter(([name]) => isSlow || !name.endsWith('that are found')))(
  'a page of %s ends at 8 MB, and nothing is lost',
  async (_, ask) => {
    const { ids, pages } = await pageThrough(ask)
    expect(pages).toBeGreaterThan(1)
    expect(ids.toSorted()).toEqual(slugs.map(slug => `top/${slug}`))
  },
)

const whole: [name: string, ask: () => Promise<ApiResponse>][] = [
  ['children', () => admin.done('GET', 'pages/top/children?select=id,title&limit=1000')],
  ['pages that are found', () => admin.done('GET', 'site/search?q=tor&select=id,title')],
  [
    'a query',
    () =>
      admin.done('POST', 'pages/top/children/search?select=id,title', {
        filterBy: [{ field: 'group', operator: '==', value: 'a' }],
        sortBy: 'title desc',
      }),
  ],
  ['a section from the end', () => admin.done('GET', 'pages/top/sections/flipped')],
  ['a section with words', () => admin.done('GET', 'pages/top/sections/sorted?searchterm=storm')],
  ['related pages', () => admin.done('GET', 'pages/top?select[children][]=id&select[children][]=title')],
]

test.each(whole.filter(([name]) => isSlow || !['a section with words', 'pages that are found'].includes(name)))(
  'no statement of %s reads more than 8 MB',
  async (_, ask) => {
    const { store } = site.app
    const read = store.read.bind(store)
    const sizes: number[] = []
    store.read = async query => {
      const rows = await read(query)
      const texts = rows.flatMap(row => Object.values(row as object)).filter(value => typeof value === 'string')
      sizes.push(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0))
      return rows
    }
    try {
      await ask()
    } finally {
      store.read = read
    }
    const all = sizes.reduce((sum, size) => sum + size, 0)
    expect(all).toBeGreaterThan(12_000_000) // all contents were read
    expect(Math.max(...sizes)).toBeLessThan(maxBytes + 1_000_000)
  },
)

test('a client that continues after the returned limit misses nothing, and small lists are not cut', async () => {
  const ids = new Set<string>()
  for (let [page, limit] = [1, 1000]; ids.size < count; page++) {
    const answer = await admin.done('GET', `pages/top/children?select=id,content&limit=${limit}&page=${page}`)
    for (const { id } of answer.data as { id: string }[]) ids.add(id)
    limit = answer.pagination.limit
  }
  const small = await admin.done('GET', 'pages/top/children?select=id,title&limit=1000')
  expect(small.data).toHaveLength(count)
  expect(small.pagination).toEqual({ page: 1, total: count, offset: 0, limit: 1000 })
  expect(await admin.call('GET', `pages/top/children?next=${count}`)).toMatchObject({ key: 'error.errorPage' })
})

test('related lists above the limit are refused, because they have no pages', async () => {
  const query = 'select[children][]=id&select[children][]=content'
  expect(await admin.call('GET', `pages/top?${query}`)).toMatchObject({
    status: 400,
    details: { select: { message: { size: expect.stringContaining('8 MB') as string } } },
  })
  const { data } = await admin.done('GET', 'pages/top?select=children')
  expect(data.children).toHaveLength(count)
})

test.runIf(isSlow)('pages with more than 64 MB of content are shown and filtered by their short values', async () => {
  const large = await addPage(site, '', { slug: 'large', template: 'large', title: 'Large', draft: false })
  const { db } = site.app.store
  const ids: string[] = []
  const data = JSON.stringify({ title: 'Gale', text: 'a'.repeat(9 * 1024 * 1024), group: 'b' })
  for (const slug of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']) {
    const uuid = await addPage(site, large, { slug, template: 'note', title: 'Gale', status: 'unlisted' })
    await db.updateTable('contents').set({ data }).where('owner', '=', `page://${uuid}`).execute()
    ids.push(`large/${slug}`)
  }
  const related = JSON.stringify(ids)
  await db
    .updateTable('contents')
    .set({ data: JSON.stringify({ title: 'Large', related }) })
    .where('owner', '=', `page://${large}`)
    .execute()

  const { data: page } = await admin.done('GET', 'pages/large?select=content')
  const { related: shownReferences } = (page as { content: { related: { id: string; text: string }[] } }).content
  expect(shownReferences.map(({ id, text }) => [id, text])).toEqual(ids.map(id => [id, 'Gale']))
  const { data: choices } = await admin.done('GET', 'pages/large/fields/related')
  expect(choices).toMatchObject(ids.toReversed().map(id => ({ id, text: 'Gale' })))
})
