import { expect, test } from 'vitest'
import { createPlace, createTestApp, writeBlueprints } from '../../test/harness.ts'
import { addPage, visitor } from '../../test/pages.ts'

async function createSite() {
  const place = await createPlace({ migrated: true })
  writeBlueprints(place.data, {
    'pages/note.yml': `
fields:
  kind: { type: select, options: [story, news] }
  days: { type: checkboxes, options: [mon, tue] }
  free: { type: tags }
  rows: { type: structure, fields: { who: { type: text }, what: { type: radio, options: [a, b] } } }
  place: { type: object, fields: { street: { type: text } } }
  text: { type: blocks, fieldsets: [heading, text] }
  rest: { type: layout, fieldsets: [text], layouts: ['1/1'] }`,
    'site.yml': 'fields: { tagline: { type: text } }',
  })
  const site = await createTestApp({ place })
  await addPage(site, '', { slug: 'a', title: 'A', template: 'note' })
  return { site, admin: await visitor(site) }
}

const known = {
  kind: 'news',
  days: ['mon'],
  free: ['anything'],
  rows: [{ who: 'Ada', what: 'a' }],
  place: { street: 'Quay 4' },
  text: [{ type: 'heading', content: { text: 'Hello', level: 'h2' } }],
  rest: [{ attrs: {}, columns: [{ width: '1/1', blocks: [{ type: 'text', content: { text: '<p>x</p>' } }] }] }],
}

test('a strict write takes what the blueprint knows, and refuses everything else with 400', async () => {
  const { admin } = await createSite()
  await admin.done('PATCH', 'pages/a?strict=true', { ...known, title: 'B' })
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

test('without strict further names are stored, and a long list of wrong ones ends after fifty', async () => {
  const { admin } = await createSite()
  await admin.done('PATCH', 'pages/a', { colour: 'red' })
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`name${index}`, 'x']))
  const { details } = await admin.call('PATCH', 'pages/a?strict=true', many)
  expect(Object.keys(details)).toHaveLength(50)
})
