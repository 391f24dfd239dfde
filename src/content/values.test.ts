import { beforeAll, expect, test } from 'vitest'
import { cpuTime } from '../../test/cpu-time.ts'
import { folderOf, importFrom } from '../../test/folders.ts'
import { createTestStorage, createTestApp, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { findFaults } from '../cli/check/faults.ts'
import { repair } from '../cli/check/repair.ts'
import { convertContents } from './convert/convert.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/note.yml': `fields:
  rows: { type: structure, fields: { what: { type: text }, link: { type: pages } } }
  related: { type: pages }
  tone: { type: select, options: [calm, loud] }
  kinds: { type: multiselect, options: [a, b] }
  body: { type: blocks, fieldsets: { text: true, video: true } }
`,
  'pages/vault.yml': `options: { access: { admin: true, '*': false } }\n`,
  'users/writer.yml': 'title: Writer\n',
})
const site = await createTestApp({ storage })
const { app } = site
const admin = await createTokenClient(site)
const writer = await createTokenClient(site, { role: 'writer' })
const quiet = { thorough: false, progress: () => {} }

async function stored(uuid: string): Promise<Record<string, string>> {
  const row = app.store.db.selectFrom('contents').select('data').where('owner', '=', `page://${uuid}`)
  return JSON.parse((await row.executeTakeFirstOrThrow()).data) as Record<string, string>
}

async function put(uuid: string, content: Record<string, string>): Promise<void> {
  const data = JSON.stringify(content)
  await app.store.write(tx => tx.updateTable('contents').set({ data }).where('owner', '=', `page://${uuid}`).execute())
}

const contentOf = async (who: typeof admin, id: string) =>
  ((await who.done('GET', `pages/${id}`)).data as { content: Record<string, never> }).content

let vault: string
let open: string
beforeAll(async () => {
  vault = await addPage(site, '', { slug: 'vault', template: 'vault', status: 'listed' })
  open = await addPage(site, '', { slug: 'open', template: 'note', status: 'listed' })
})

test('a structure of any length is imported as JSON, and keeps all rows when one is added', async () => {
  const yaml = Array.from({ length: 9000 }, (_, row) => `- \n  what: Row ${row} of a long list`).join('\n')
  expect(yaml.length).toBeGreaterThan(200_000)
  await importFrom(
    site,
    folderOf({ 'content/long/note.txt': `Title: Long\n\n----\n\nRows:\n\n${yaml}\n\n----\n\nUuid: ulong` }),
  )
  expect((await stored('ulong'))['rows']!.slice(0, 2)).toBe('[{')
  const { rows } = (await contentOf(admin, 'long')) as unknown as { rows: { what: string }[] }
  expect(rows).toHaveLength(9000)
  await admin.done('PATCH', 'pages/long', { rows: [...rows, { what: 'One more', link: [] }] })
  expect(((await contentOf(admin, 'long')) as unknown as { rows: object[] }).rows).toHaveLength(9001)
})

test('an unreadable value is shown as broken, overwritten only on request, and listed by check', async () => {
  const uuid = await addPage(site, '', { slug: 'torn', template: 'note', status: 'listed' })
  const torn = '- what: [not closed'
  await put(uuid, { title: 'Torn', rows: torn })
  const content = await contentOf(admin, 'torn')
  expect(content['rows']).toEqual({ $broken: 'unreadable', length: torn.length, text: torn })
  await admin.done('PATCH', 'pages/torn', { ...content, title: 'Torn' })
  expect((await stored(uuid))['rows']).toBe(torn)
  for (const rows of [[], [{ what: 'New' }], '', '- what: New']) {
    const refused = await admin.call('PATCH', 'pages/torn', { rows })
    expect(refused.status).toBe(409)
    expect(refused).toMatchObject({
      key: 'error.content.broken',
      details: { rows: { message: { broken: expect.any(String) as unknown } } },
    })
    expect((await admin.call('POST', 'pages/torn/changes/save', { rows })).status).toBe(409)
  }
  const { faults } = await findFaults(app, quiet)
  expect(faults.filter(({ kind }) => kind === 'fields')).toMatchObject([{ at: `page://${uuid}` }])
  await admin.done('PATCH', 'pages/torn', { rows: { $overwrite: [{ what: 'New' }] } })
  expect(JSON.parse((await stored(uuid))['rows']!)).toEqual([{ what: 'New' }])
})

test('other requests are served while a list of slow values is read', async () => {
  const top = await addPage(site, '', { slug: 'many', status: 'listed' })
  const html = '<p onclick=x>y</p>'.repeat(3500)
  const slow = Array.from({ length: 24 }, async (_, index) => {
    const uuid = await addPage(site, top, { slug: `p${index}`, template: 'note', status: 'listed' })
    const text = { type: 'text', id: 't', isHidden: false, content: { text: `${index}${html}` } }
    await put(uuid, { title: 'P', body: JSON.stringify([text]) })
  })
  await Promise.all(slow)
  let turns = 0
  let isDone = false
  const count = () => void (isDone || (turns++, setImmediate(count)))
  const waiting = admin.done('GET', 'pages/many/children?select=content')
  setImmediate(count)
  await waiting
  isDone = true
  // At once, it is two.
  expect(turns).toBeGreaterThan(5)
})

test('a value that takes too long to parse is broken and is converted by a repair', async () => {
  const uuid = await addPage(site, '', { slug: 'slow', template: 'note', status: 'listed' })
  const yaml = Array.from({ length: 1100 }, (_, row) => `- \n  what: Row ${row}\n  link:\n    - page://${open}`).join(
    '\n',
  )
  await put(uuid, { title: 'Slow', rows: yaml })
  const before = cpuTime()
  const content = await contentOf(admin, 'slow')
  expect(cpuTime() - before, 'milliseconds').toBeLessThan(500)
  expect(content['rows']).toMatchObject({ $broken: 'tooLarge', length: yaml.length })
  const { faults } = await findFaults(app, quiet)
  await repair(app, faults)
  expect(((await contentOf(admin, 'slow')) as unknown as { rows: object[] }).rows).toHaveLength(1100)
  await put(uuid, { title: 'Slow', rows: '"'.repeat(199_000) })
  const start = cpuTime()
  expect((await contentOf(admin, 'slow'))['rows']).toMatchObject({ $broken: 'tooLarge', length: 199_000 })
  const spent = cpuTime() - start
  await put(uuid, { title: 'Slow' })
  expect(spent, 'milliseconds').toBeLessThan(500)
})

test('YAML is converted where the blueprint has a structure, also in drafts and history', async () => {
  const uuid = await addPage(site, '', { slug: 'old', template: 'note', status: 'listed' })
  await admin.done('POST', 'pages/old/changes/save', { tone: 'calm' })
  const yaml = '- what: One\n- what: Two'
  await put(uuid, { title: 'Old', rows: yaml, note: yaml, related: `- page://${open}` })
  const { db } = app.store
  const changes = JSON.stringify({ rows: { from: '', to: yaml }, note: { from: '', to: yaml } })
  await app.store.write(async tx => {
    await tx.updateTable('changes').set({ data: changes }).where('owner', '=', `page://${uuid}`).execute()
    await tx
      .updateTable('history')
      .set({ data: JSON.stringify({ rows: yaml }) })
      .where('owner', '=', `page://${uuid}`)
      .execute()
    await tx
      .insertInto('conversions')
      .values(['contents', 'changes', 'history'].map(name => ({ name, place: name === 'history' ? '0' : '' })))
      .execute()
  })
  await convertContents(app)
  const json = '[{"what":"One"},{"what":"Two"}]'
  expect(await stored(uuid)).toEqual({ title: 'Old', rows: json, note: yaml, related: `["page://${open}"]` })
  const drafts = await db
    .selectFrom('changes')
    .select('data')
    .where('owner', '=', `page://${uuid}`)
    .executeTakeFirstOrThrow()
  expect(JSON.parse(drafts.data)).toEqual({ rows: { from: '', to: json }, note: { from: '', to: yaml } })
  const version = await db
    .selectFrom('history')
    .select('data')
    .where('owner', '=', `page://${uuid}`)
    .executeTakeFirstOrThrow()
  expect(JSON.parse(version.data)).toEqual({ rows: json })
  expect(await db.selectFrom('conversions').selectAll().execute()).toEqual([])
})

test('references that the caller cannot see stay in place when the field is sent back', async () => {
  const uuid = await addPage(site, '', { slug: 'mixed', template: 'note', status: 'listed' })
  const many = Array.from({ length: 1005 }, (_, index) => `page://gone${index}`)
  const video = {
    type: 'video',
    id: 'v',
    isHidden: false,
    content: { url: 'https://example.org/v', start: 7, preload: 'odd' },
  }
  const before = {
    title: 'Mixed',
    rows: JSON.stringify([
      { what: 'A', link: [`page://${vault}`, `page://${open}`] },
      { what: 'B', link: [`page://${vault}`] },
    ]),
    related: JSON.stringify([`page://${vault}`, 'open', ...many]),
    tone: 'shrill',
    kinds: 'a, z, b',
    body: JSON.stringify([{ type: 'lost', id: 'l', content: { x: 1 } }, video, 'no block']),
  }
  await put(uuid, before)
  const content = await contentOf(writer, 'mixed')
  expect(content).toMatchObject({ related: [{ id: 'open' }], tone: '', kinds: ['a', 'b'] })
  await writer.done('PATCH', 'pages/mixed', content)
  await writer.done('POST', 'pages/mixed/changes/save', content)
  expect(await stored(uuid)).toEqual(before)
  expect(((await writer.done('GET', 'pages/mixed/changes')).data as { fields: string[] }).fields).toEqual([])

  const { rows, body } = content as unknown as { rows: object[]; body: { content: object }[] }
  await writer.done('PATCH', 'pages/mixed', {
    rows: [rows[1], { what: 'New', link: [] }, { ...rows[0], link: [] }],
    related: [],
    kinds: ['b'],
    body: [{ ...body[1], content: { ...body[1]!.content, muted: false } }, body[0]],
  })
  const after = await stored(uuid)
  expect(JSON.parse(after['rows']!)).toEqual([
    { what: 'B', link: [`page://${vault}`] },
    { what: 'New', link: [] },
    { what: 'A', link: [`page://${vault}`] },
  ])
  expect(JSON.parse(after['related']!)).toEqual([`page://${vault}`, ...many])
  expect(after['kinds']).toBe('z, b')
  expect(JSON.parse(after['body']!)).toMatchObject([
    { id: 'v', content: { start: 7, preload: 'odd', muted: false } },
    'no block',
    { type: 'lost', content: { x: 1 } },
  ])
})

test("blocks outside the field's kinds and script links are refused", async () => {
  await addPage(site, '', { slug: 'guarded', template: 'note' })
  const heading = { type: 'heading', content: { level: 'h2', text: '<img src=x onerror=alert(1)>' } }
  for (const path of ['pages/guarded', 'pages/guarded/changes/save'])
    expect((await admin.call(path.endsWith('save') ? 'POST' : 'PATCH', path, { body: [heading] })).status).toBe(400)
  const address = { type: 'video', content: { url: ' java\tscript:alert(1)' } }
  expect((await admin.call('PATCH', 'pages/guarded', { body: [address] })).status).toBe(400)
})
