import { expect, test } from 'vitest'
import { createImage, createUploader } from '../../../test/files.ts'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { createSignedInUser } from '../../../test/signed-in-user.ts'

/** More than the queries of a request may read one by one. */
const many = 210
const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/many.yml': `
sections:
  about: { type: info, text: "**About** {{ page.body }}" }
  fields:
    type: fields
    fields:
      pics: { type: files, info: "{{ file.alt }}" }
      friends: { type: pages, info: "{{ page.files.count }}" }
      body: { type: textarea }
`,
})
const app = await createTestApp({ storage })
const { store } = app.app
const admin = await createTokenClient(app)
const top = await addPage(app, '', { slug: 'many', template: 'many', status: 'listed' })
const pages: string[] = []
for (let at = 0; at < many; at++)
  pages.push(`page://${await addPage(app, top, { slug: `p${at}`, status: 'unlisted' })}`)
const sender = await createUploader(await createSignedInUser(app))
await sender.send('pages/many/files', [{ filename: 'a.png', bytes: await createImage(), type: 'image/png' }])
const file = await store.db.selectFrom('files').selectAll().executeTakeFirstOrThrow()
const uuids = Array.from({ length: many }, (_, at) => `file0000${String(at).padStart(8, '0')}`)
for (const [at, uuid] of uuids.entries()) {
  const names = { filename: `f${at}.png`, name_key: `f${at}.png` }
  await store.db
    .insertInto('files')
    .values({ ...file, ...names, uuid, parent: pages[at]! })
    .execute()
  const content = { owner: `file://${uuid}`, language: '', data: JSON.stringify({ alt: `alt ${at}` }), modified_at: 0 }
  await store.db.insertInto('contents').values(content).execute()
}
const language = (await store.db.selectFrom('contents').select('language').executeTakeFirstOrThrow()).language

test('queries of many models are batched', async () => {
  expect(language).toBe('')
  const sent = { pics: uuids.map(uuid => `file://${uuid}`), friends: pages }
  const { status, data } = await admin.call('PATCH', 'pages/many', sent)
  expect(status).toBe(200)
  const { data: read } = await admin.done('GET', 'pages/many')
  for (const { content } of [data, read]) {
    expect(content.pics.map(({ info }: { info: string }) => info)).toEqual(uuids.map((_, at) => `alt ${at}`))
    expect(content.friends.map(({ info }: { info: string }) => info)).toEqual(uuids.map(() => '1'))
  }
})

test('nested lists are limited, and left out of lists with all fields', async () => {
  const refused = await admin.call('GET', 'pages/many/children?limit=1000&select=siblings')
  expect(refused).toMatchObject({ status: 400, key: 'error.validation', details: { select: { label: 'select' } } })
  const { data } = await admin.done('GET', 'pages/many/children?limit=1000&view=any')
  expect(data).toHaveLength(many)
  expect(data[0]).toHaveProperty('content')
  for (const list of ['children', 'drafts', 'files', 'parents', 'siblings']) expect(data[0]).not.toHaveProperty(list)
  expect((await admin.done('GET', 'pages/many+p0?view=any')).data.siblings).toHaveLength(many)
})

test('content is not parsed as Markdown, and Markdown is limited', async () => {
  await admin.done('PATCH', 'pages/many', { body: '*a _'.repeat(10_000) })
  const { text } = (await admin.done('GET', 'pages/many/sections/about')) as never as { text: string }
  expect(text).toMatch(/^<p><strong>About<\/strong> \*a _\*a _/)
  expect(text.length).toBeLessThan(11_000)
})
