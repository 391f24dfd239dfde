import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../test/harness.ts'
import { addFile } from '../../test/media.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'

async function createSite() {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'pages/note.yml': `
fields:
  kind: { type: select, options: [story, news] }
  days: { type: checkboxes, options: [mon, tue] }
  free: { type: tags }
  rows: { type: structure, fields: { who: { type: text }, what: { type: radio, options: [a, b] } } }
  place: { type: object, fields: { street: { type: text } } }
  text: { type: blocks, fieldsets: [heading, text] }
  rest: { type: layout, fieldsets: [text], layouts: ['1/1'] }`,
    'pages/asked.yml': `
fields:
  who: { type: select, options: { type: query, query: site.children, value: '{{ page.slug }}' } }
  rows: { type: structure, fields: { see: { type: multiselect, options: { type: query, query: site.children, value: '{{ page.slug }}' } } } }
  below: { type: select, options: { type: query, query: page.children, value: '{{ page.slug }}' } }
  far: { type: select, options: { type: api, url: 'https://example.org/options.json' } }`,
    'files/picture.yml': 'fields: { alt: { type: text } }',
    'users/editor.yml': 'title: Editor\nfields: { bio: { type: text }, friends: { type: users } }',
    'site.yml': 'fields: { tagline: { type: text } }',
  })
  const site = await createTestApp({ storage })
  await addPage(site, '', { slug: 'a', title: 'A', template: 'note' })
  return { site, admin: await createTokenClient(site) }
}

const valid = {
  kind: 'news',
  days: ['mon'],
  free: ['anything'],
  rows: [{ who: 'Ada', what: 'a' }],
  place: { street: 'Quay 4' },
  text: [{ type: 'heading', content: { text: 'Hello', level: 'h2' } }],
  rest: [{ attrs: {}, columns: [{ width: '1/1', blocks: [{ type: 'text', content: { text: '<p>x</p>' } }] }] }],
}

test('a strict write accepts what the blueprint knows, and refuses everything else with 400', async () => {
  const { admin } = await createSite()
  await admin.done('PATCH', 'pages/a?strict=true', { ...valid, title: 'B' })
  const { data: read } = await admin.done('GET', 'pages/a')
  await admin.done('PATCH', 'pages/a?strict=1', read.content)
  const unknown: Record<string, unknown>[] = [
    { colour: 'red' },
    { kind: 'poem' },
    { days: ['mon', 'sun'] },
    { rows: [{ who: 'Ada', when: 'now' }] },
    { rows: [{ what: 'c' }] },
    { place: { city: 'Leer' } },
    { text: [{ type: 'line' }] },
    { text: [{ type: 'heading', content: { size: 3 } }] },
    { rest: [{ attrs: { wide: true }, columns: [] }] },
    { rest: [{ columns: [{ blocks: [{ type: 'heading' }] }] }] },
  ]
  for (const body of unknown) {
    const [name] = Object.keys(body) as [string]
    for (const path of ['pages/a?strict=true', 'pages/a/changes/save?strict=true']) {
      const answer = await admin.call(path.includes('save') ? 'POST' : 'PATCH', path, body)
      expect([body, answer.status, Object.keys(answer.details)]).toEqual([body, 400, [name]])
    }
  }
  const created = await admin.call('POST', 'pages/a/children?strict=true', {
    slug: 'b',
    template: 'note',
    content: { colour: 'red' },
  })
  expect([created.status, Object.keys(created.details)]).toEqual([400, ['colour']])
  expect((await admin.call('PATCH', 'site?strict=true', { slogan: 'x' })).status).toBe(400)
  expect((await admin.call('PATCH', 'pages/a?strict=perhaps', {})).status).toBe(400)
  expect((await admin.done('GET', 'pages/a')).data.content).toEqual(read.content)
})

test('every write that takes content can be strict', async () => {
  const { site, admin } = await createSite()
  const { uuid } = (await admin.done('GET', 'pages/a')).data
  await addFile(site, uuid, 'x.txt', Buffer.from('x'), { mime: 'text/plain' })
  const email = 'new@example.org'
  const writes: [method: 'POST' | 'PATCH', path: string, body: object][] = [
    ['POST', 'site/children', { slug: 'b', template: 'note', content: { colour: 'red' } }],
    ['POST', 'pages/a/children', { slug: 'b', template: 'note', content: { colour: 'red' } }],
    ['PATCH', 'pages/a', { colour: 'red' }],
    ['PATCH', 'site', { colour: 'red' }],
    ['PATCH', 'pages/a/files/x.txt', { colour: 'red' }],
    ['POST', 'users', { email, role: 'editor', content: { colour: 'red' } }],
    ['PATCH', `users/${admin.id}`, { colour: 'red' }],
    ...['pages/a', 'site', 'pages/a/files/x.txt', `users/${admin.id}`].flatMap(path =>
      ['save', 'publish'].map((what): ['POST', string, object] => [
        'POST',
        `${path}/changes/${what}`,
        { colour: 'red' },
      ]),
    ),
  ]
  for (const [method, path, body] of writes) {
    const answer = await admin.call(method, `${path}?strict=true`, body)
    expect([path, answer.status, Object.keys(answer.details ?? {})]).toEqual([path, 400, ['colour']])
  }
  // `strict` is a parameter of the query, beside others.
  await admin.done('POST', 'site/children?strict=true&select=slug', { slug: 'b', template: 'note', content: valid })
  const { id } = (
    await admin.done('POST', 'users', { email, role: 'editor', content: { friends: [`${admin.id}@example.org`] } })
  ).data
  const stored = await site.app.store.db
    .selectFrom('contents')
    .select('data')
    .where('owner', '=', `user://${id}`)
    .execute()
  expect(stored[0]!.data, 'references of a new account are stored by uuid, too').toContain(`user://${admin.id}`)
})

test('options from a query are checked, those of another server are not, and those of the page only if it exists', async () => {
  const { site, admin } = await createSite()
  await admin.done('PATCH', 'pages/a/status', { status: 'listed' })
  const uuid = await addPage(site, '', { slug: 'q', title: 'Q', template: 'asked' })
  await addPage(site, uuid, { slug: 'inner', title: 'Inner', template: 'note', status: 'listed' })
  const fine = { who: 'a', rows: [{ see: ['a'] }], below: 'inner', far: 'whatever' }
  await admin.done('PATCH', 'pages/q?strict=true', fine)
  for (const body of [{ who: 'zzz' }, { rows: [{ see: ['a', 'zzz'] }] }, { below: 'a' }]) {
    const answer = await admin.call('PATCH', 'pages/q?strict=true', body)
    expect([body, answer.status, Object.keys(answer.details)]).toEqual([body, 400, Object.keys(body)])
  }
  const create = (slug: string, content: object) =>
    admin.call('POST', 'site/children?strict=true', { slug, template: 'asked', content })
  expect((await create('r', { who: 'a', below: 'anything' })).status).toBe(200)
  expect((await create('s', { who: 'zzz' })).status).toBe(400)
})

test('without strict unknown names are stored; the list of errors ends after fifty', async () => {
  const { admin } = await createSite()
  await admin.done('PATCH', 'pages/a', { colour: 'red' })
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`name${index}`, 'x']))
  const { details } = await admin.call('PATCH', 'pages/a?strict=true', many)
  expect(Object.keys(details)).toHaveLength(50)
})
