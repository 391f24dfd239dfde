import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../test/harness.ts'
import { addFile } from '../../test/media.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { fieldTypes } from '../blueprints/fields/index.ts'
import { rounds } from '../../test/slow.ts'

// Every type there is, on its own and inside of all that can hold it: a new one is covered as soon as it is registered.

const saved = Object.keys(fieldTypes).filter(name => fieldTypes[name]!.saved)
const settings: Record<string, object> = {
  ...Object.fromEntries(['checkboxes', 'multiselect', 'radio', 'select', 'toggles'].map(type => [type, { options: ['a', 'b'] }])),
  tags: { accept: 'options', options: ['a', 'b'] },
  text: { converter: 'upper' },
  toggle: { default: true },
} // prettier-ignore
const isPlain = (type: string) => fieldTypes[type]!.nested.length === 0
const plain = Object.fromEntries(saved.filter(isPlain).map(type => [`in_${type}`, { type, ...settings[type] }]))
const fieldsets = { video: true, image: true, code: true, every: { fields: plain } }
const nested: Record<string, object> = {
  fields: { fields: plain },
  fieldsets: { fieldsets },
  settings: { settings: { fields: plain } },
}
const form = Object.fromEntries(
  saved.map(type => [type, Object.assign({ type, ...settings[type] }, ...fieldTypes[type]!.nested.map(key => nested[key]))]),
) // prettier-ignore

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/every.yml': JSON.stringify({ fields: form }),
  'site.yml': JSON.stringify({ fields: form }),
  'files/every.yml': JSON.stringify({ fields: form }),
  'users/writer.yml': JSON.stringify({ title: 'Writer', fields: form }),
  'pages/vault.yml': `options: { access: { admin: true, '*': false } }\n`,
})
const site = await createTestApp({ storage })
const { store } = site.app
const writer = await createTokenClient(site, { role: 'writer' })
const admin = await createTokenClient(site)
await admin.done('POST', 'languages', { code: 'en', name: 'English' })
await admin.done('POST', 'languages', { code: 'de', name: 'Deutsch' })
const vault = await addPage(site, '', { slug: 'vault', template: 'vault', status: 'listed' })
const open = await addPage(site, '', { slug: 'open', template: 'every', status: 'listed' })
const page = await addPage(site, '', { slug: 'page', template: 'every' })
const { uuid: file } = await addFile(site, `page://${page}`, 'one.png', Buffer.from('x'), { mime: 'image/png', type: 'image', template: 'every' }) // prettier-ignore

const word = fc.constantFrom(
  '', 'a', 'b', 'c, a', 'x', '5', 'eleven', '1,5', '2024-02-31', '2024-05-06 07:08:09', '25:99', 'true', 'on', '#abc', 'javascript:alert(1)',
  'https://example.org', 'vault', 'open', `page://${vault}`, `page://${open}`, 'page://gone', `user://${admin.id}`, `user://${writer.id}`, 'file://gone',
  '<p>x</p>', '<p onclick=x>y<script>z</script>', '- a: 1\n- b: 2', '- x\n- y', 'a: b', '- [', '[{', '{"a":1}', 'Älter',
) // prettier-ignore
const { part } = fc.letrec<{ part: unknown }>(tie => ({
  part: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('part'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'type', 'id', 'X'), tie('part'), { maxKeys: 3 }),
  ),
}))
const values = fc.record(
  { ...Object.fromEntries(Object.keys(plain).map(name => [name, part])), more: part, language: word, controls: part, text: part },
  { requiredKeys: [] },
) // prettier-ignore
const block = fc.oneof(
  part,
  fc.record(
    { type: fc.constantFrom('every', 'video', 'code', 'gone'), id: word, content: fc.oneof(values, part), isHidden: fc.boolean(), extra: part },
    { requiredKeys: ['type'] },
  ),
) // prettier-ignore
const blocks = fc.array(block, { maxLength: 3 })
const column = fc.record({ blocks, id: word, width: word, extra: part }, { requiredKeys: [] })
const layoutRow = fc.record({ attrs: fc.oneof(values, part), columns: fc.array(column, { maxLength: 2 }), id: word, extra: part }, { requiredKeys: [] }) // prettier-ignore
const rows = fc.array(fc.oneof({ weight: 5, arbitrary: values }, part), { maxLength: 3 })
const text = fc.oneof(
  { weight: 3, arbitrary: word },
  ...[part, values, rows, blocks, fc.array(layoutRow, { maxLength: 2 }), fc.array(word, { maxLength: 5 })].map(one =>
    one.map(value => JSON.stringify(value)),
  ),
)
const content = fc.record(Object.fromEntries(saved.map(type => [type, text])), { requiredKeys: [] })

async function stored(owner: string, language: string): Promise<unknown> {
  const rowOf = store.db.selectFrom('contents').select('data').where('owner', '=', owner)
  return JSON.parse((await rowOf.where('language', '=', language).executeTakeFirstOrThrow()).data)
}

async function put(owner: string, language: string, next: object): Promise<void> {
  const row = { owner, language, data: JSON.stringify(next), modified_at: 0 }
  await store.write(tx =>
    tx.insertInto('contents').values(row).onConflict(same => same.columns(['owner', 'language']).doUpdateSet(row)).execute(),
  ) // prettier-ignore
}

test.each([
  ['a page', `page://${page}`, 'pages/page', ''],
  ['a page in another language', `page://${page}`, 'pages/page', 'de'],
  ['the site', 'site://', 'site', ''],
  ['a file', `file://${file}`, 'pages/page/files/one.png', ''],
  ['an account', `user://${writer.id}`, `users/${writer.id}`, ''],
])('sending back what was read from any field type changes nothing: %s', async (_, owner, path, language) => {
  const headers = { 'x-language': language || 'en' } // content of the default language has the empty key
  await fc.assert(
    fc.asyncProperty(content, async before => {
      await put(owner, language, before)
      const answer = await writer.done('GET', path, undefined, headers)
      const shown = (answer.data as { content: Record<string, unknown> }).content
      const isDraft = owner.startsWith('page:')
      const sent = await writer.call('PATCH', path, shown, headers)
      if (isDraft) expect(sent).toMatchObject({ status: 200 })
      expect(await stored(owner, language)).toEqual(before)
      expect(await writer.call('POST', `${path}/changes/save`, shown, headers)).toMatchObject({ status: 200 })
      const { data } = await writer.done('GET', `${path}/changes`, undefined, headers)
      expect((data as { fields: string[] }).fields).toEqual([])
    }),
    { numRuns: language === '' && owner.startsWith('page:') ? rounds(12, 60) : rounds(3, 15) },
  )
})
