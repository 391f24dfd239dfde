import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/numbered.yml': 'title: Numbered\nfields: { revision: { type: number } }\n',
})
const site = await createTestApp({ storage })
const admin = await createTokenClient(site)

let count = 0
/** At revision 2. */
async function page(template = 'default'): Promise<string> {
  const slug = `page-${++count}`
  await addPage(site, '', { slug, template })
  await admin.done('PATCH', `pages/${slug}/title`, { title: 'Seen' })
  return `pages/${slug}`
}

test.each([
  ['"2"', 200],
  ['W/"2"', 200],
  ['"1", "2"', 200],
  ['W/"1" ,W/"2"', 200],
  ['*', 200],
  ['"1"', 412],
  ['"1", "3"', 412],
  ['"1", nonsense', 400],
  ['2', 400],
])('If-Match: %s is answered with %i', async (tag, status) => {
  expect((await admin.call('PATCH', await page(), { text: 'x' }, { 'if-match': tag })).status).toBe(status)
})

test.each([
  ['/title', { title: 'New' }],
  ['/slug', { slug: 'elsewhere' }],
  ['/status', { status: 'unlisted' }],
  ['/template', { template: 'default' }],
  ['/move', { parent: null }],
  ['', { text: 'x' }],
])('writes to %s accept an expected revision', async (address, body) => {
  const path = await page()
  expect(await admin.call('PATCH', path + address, { ...body, revision: 1 })).toMatchObject({
    status: 412,
    key: 'error.content.changed',
  })
  expect((await admin.call('PATCH', path + address, { ...body, revision: 2 }, { 'if-match': '"1"' })).status).toBe(412)
  expect((await admin.call('PATCH', path + address, { ...body, revision: 2 })).status).not.toBe(412)
})

test('revision is a guard and not content, unless there is a field of that name', async () => {
  const path = await page()
  expect((await admin.done('PATCH', path, { text: 'x', revision: 2 })).data.content).not.toHaveProperty('revision')
  expect((await admin.call('PATCH', path, { text: 'y', revision: 2 })).status).toBe(412)
  expect((await admin.call('POST', `${path}/changes/save`, { text: 'y', revision: 2 })).status).toBe(412)
  const numbered = await page('numbered')
  expect((await admin.done('PATCH', numbered, { revision: 7 })).data.content.revision).toBe(7)
})

test('the title of the site is guarded, too', async () => {
  const { etag } = (await admin.done('PATCH', 'site/title', { title: 'One' })).headers
  const revision = Number(/\d+/.exec(String(etag))![0])
  expect((await admin.call('PATCH', 'site/title', { title: 'Two', revision: revision - 1 })).status).toBe(412)
  await admin.done('PATCH', 'site/title', { title: 'Two', revision })
})
