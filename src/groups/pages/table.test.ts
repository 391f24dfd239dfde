import { expect, test } from 'vitest'
import { createTestApp, createTestStorage, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/tides.yml': `fields:
  tides: { type: table, max: 100 }
  required: { type: table, required: true }
  text: { type: blocks, fieldsets: [text, table] }
`,
})
const site = await createTestApp({ storage })
const admin = await createTokenClient(site)
const required = { rows: [['x']] }
await addPage(site, '', { slug: 'tides', title: 'Tides', template: 'tides', status: 'listed', content: { required } })
const send = (tides: unknown) => admin.call('PATCH', 'pages/tides', { tides, required })
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
  expect((await send(null)).data, 'null is no change').toMatchObject({ content: { tides: table } })
  for (const empty of ['', { rows: [] }]) {
    expect((await send(table)).data).toMatchObject({ content: { tides: table } })
    expect((await send(empty)).data).toMatchObject({ content: { tides: { header: false, rows: [] } } })
  }
})

const sameLength = 'This needs as many cells as the first row: at least one, at most 50.'

test.each<[string, tides: unknown, message: Record<string, string>]>([
  ['a text', 'a,b', { type: 'This must be an object.' }],
  ['a list', [['a']], { type: 'This must be an object.' }],
  ['no rows', {}, { table: 'rows: This must be a list.' }],
  ['rows that are no list', { rows: { 0: ['a'] } }, { table: 'rows: This must be a list.' }],
  ['a row that is no list', { rows: [['a'], 'b'] }, { table: 'Row 2: This must be a list.' }],
  ['a cell that is no text', { rows: [['a', 5]] }, { table: 'Row 1: This must be a text.' }],
  ['a nested cell', { rows: [[['a']]] }, { table: 'Row 1: This must be a text.' }],
  ['rows of different lengths', { rows: [['a', 'b'], ['c']] }, { table: `Row 2: ${sameLength}` }],
  ['rows without cells', { rows: [[], []] }, { table: `Row 1: ${sameLength}` }],
  [
    'a header that is not a boolean',
    { header: 'yes', rows: [['a']] },
    { table: 'header: This must be true or false.' },
  ],
  ['an unknown property', { rows: [['a']], style: 'x' }, { table: 'There is no “style” here.' }],
  ['too many rows', { rows: Array.from({ length: 201 }, () => ['a']) }, { max: 'This can have at most 200 entries.' }],
  [
    'more rows than the blueprint allows',
    { rows: Array.from({ length: 101 }, () => ['a']) },
    { max: 'This can have at most 100 entries.' },
  ],
  ['too many columns', { rows: [Array.from({ length: 51 }, () => 'a')] }, { table: `Row 1: ${sameLength}` }],
  ['a long cell', { rows: [['a'.repeat(5001)]] }, { table: 'Row 1: This can have at most 5000 characters.' }],
  [
    'deep HTML',
    { rows: [['<b><i>'.repeat(400)]] },
    { html: 'This has too much HTML: too many tags, or too many nested ones.' },
  ],
])('%s is refused', async (_, tides, message) => {
  const refused = await send(tides)
  expect(refused).toMatchObject({ status: 400, key: 'error.invalidArgument' })
  expect(refused['details']).toMatchObject({ tides: { message } })
  expect(await read()).toMatchObject({ tides: { header: false, rows: [] } })
})

test('a `__proto__` property is refused', async () => {
  const refused = await send(JSON.parse('{"__proto__":{"rows":[["a"]]}}'))
  expect(refused).toMatchObject({ status: 400, key: 'error.request.malformed' })
  expect(await read()).toMatchObject({ tides: { header: false, rows: [] } })
})

test('a required table needs a non-empty cell; 200 × 50 cells are stored', async () => {
  expect((await admin.call('PATCH', 'pages/tides', { required: { rows: [['', ' ']] } })).status).toBe(400)
  const rows = Array.from({ length: 200 }, (_, row) => Array.from({ length: 50 }, (__, column) => `${row} ${column}`))
  await admin.done('PATCH', 'pages/tides', { required: { rows } })
  expect((await read()).required).toEqual({ header: false, rows })
})

test('a short row is padded; an unreadable or too large stored table is shown as `$broken` and changed only with `$overwrite`', async () => {
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
