import { expect, test } from 'vitest'
import { createTestApp, createTestStorage, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/tides.yml': `fields:
  tides: { type: table, max: 100 }
  must: { type: table, required: true }
  text: { type: blocks, fieldsets: [text, table] }
  all: { type: blocks }
`,
})
const site = await createTestApp({ storage })
const admin = await createTokenClient(site)
const must = { rows: [['x']] }
await addPage(site, '', { slug: 'tides', title: 'Tides', template: 'tides', status: 'listed', content: { must } })
const send = (tides: unknown) => admin.call('PATCH', 'pages/tides', { tides, must })
const read = async () => (await admin.done('GET', 'pages/tides?select=content')).data.content

test('a table is stored with clean cells, read, sent back, found and emptied', async () => {
  expect(await read()).toMatchObject({ tides: { header: false, rows: [] } })
  const rows = [
    ['Day', ' High <b>water</b> '],
    ['<p>Mon</p><p>Tue</p>', '<a href="javascript:alert(1)" onclick="x()">6:12</a><script>alert(1)</script>'],
    ['<ul><li>Ebb</li></ul>', 'Quicksilver &lt;'],
  ]
  const table = {
    header: true,
    rows: [
      ['Day', 'High <b>water</b>'],
      ['Mon<br>Tue', '<a>6:12</a>'],
      ['Ebb', 'Quicksilver &lt;'],
    ],
  }
  expect((await send({ header: true, rows })).data).toMatchObject({ content: { tides: table } })
  const readTable = async () => (await admin.done('GET', 'pages/tides?select=content,revision')).data
  const { content, revision } = await readTable()
  expect((await admin.call('PATCH', 'pages/tides', { tides: content.tides })).status).toBe(200)
  expect(await readTable()).toMatchObject({ content: { tides: table }, revision })
  expect((await admin.done('GET', 'site/search?q=quicksilver')).data).toMatchObject([{ id: 'tides' }])
  await admin.done('PATCH', 'pages/tides', { text: [{ type: 'table', content: { table } }, { type: 'table' }] })
  expect((await read()).text).toMatchObject([
    { content: { table } },
    { content: { table: { header: false, rows: [] } } },
  ])
  for (const empty of ['', null, { rows: [] }]) {
    expect((await send(empty)).status).toBe(200)
    if (empty !== null) expect(await read()).toMatchObject({ tides: { header: false, rows: [] } })
  }
})

test.each([
  ['a text', 'a,b'],
  ['a list', [['a']]],
  ['no rows', {}],
  ['rows that are no list', { rows: { 0: ['a'] } }],
  ['a row that is no list', { rows: [['a'], 'b'] }],
  ['a cell that is no text', { rows: [['a', 5]] }],
  ['a nested cell', { rows: [[['a']]] }],
  ['rows of different lengths', { rows: [['a', 'b'], ['c']] }],
  ['rows without cells', { rows: [[], []] }],
  ['a header that is no flag', { header: 'yes', rows: [['a']] }],
  ['more than header and rows', { rows: [['a']], style: 'x' }],
  ['the prototype', JSON.parse('{"__proto__":{"rows":[["a"]]}}')],
  ['too many rows', { rows: Array.from({ length: 201 }, () => ['a']) }],
  ['more rows than the blueprint allows', { rows: Array.from({ length: 101 }, () => ['a']) }],
  ['too many columns', { rows: [Array.from({ length: 51 }, () => 'a')] }],
  ['a long cell', { rows: [['a'.repeat(5001)]] }],
  ['deep HTML', { rows: [['<b><i>'.repeat(400)]] }],
])('%s is refused', async (_, tides) => {
  expect(await send(tides)).toMatchObject({ status: 400, key: expect.any(String) })
  expect(await read()).toMatchObject({ tides: { header: false, rows: [] } })
})

test('a table of empty cells is not filled in; the largest is stored', async () => {
  expect((await admin.call('PATCH', 'pages/tides', { must: { rows: [['', ' ']] } })).status).toBe(400)
  const rows = Array.from({ length: 200 }, (_, row) => Array.from({ length: 50 }, (__, column) => `${row} ${column}`))
  await admin.done('PATCH', 'pages/tides', { must: { rows } })
  expect((await read()).must).toEqual({ header: false, rows })
})

test('what is stored otherwise is kept and named', async () => {
  const { db } = site.app.store
  const { uuid } = (await admin.done('GET', 'pages/tides?select=uuid')).data
  const put = (tides: unknown) => db.updateTable('contents').set({ data: JSON.stringify({ title: 'Tides', tides: JSON.stringify(tides) }) }).where('owner', '=', uuid).execute() // prettier-ignore
  await put({ rows: [['a', 'b'], ['c']] })
  expect(await read()).toMatchObject({ tides: { header: false, rows: [['a', 'b'], ['c', '']] } }) // prettier-ignore
  for (const [broken, reason] of [
    [{ rows: 'x' }, 'unreadable'],
    [['x'], 'unreadable'],
    [{ rows: Array.from({ length: 201 }, () => ['a']) }, 'tooLarge'],
  ] as const) {
    await put(broken)
    expect(await read()).toMatchObject({ tides: { $broken: reason } })
    expect((await send({ rows: [['new']] })).status).toBe(409)
  }
  expect((await send({ $overwrite: { rows: [['new']] } })).status).toBe(200)
  expect(await read()).toMatchObject({ tides: { rows: [['new']] } })
})

test('the block is the last of those that a field without a choice offers', () => {
  const field = site.app.blueprints.page('tides').fields.get('all') as unknown as { fieldsets: Map<string, unknown> }
  expect([...field.fieldsets.keys()].at(-1)).toBe('table')
})
