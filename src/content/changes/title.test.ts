import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { describeRole } from '../../../test/signed-in-user.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'site.yml': 'fields: { motto: { type: text } }',
  'pages/default.yml': 'fields: { text: { type: text, required: true } }',
})
describeRole(storage, 'writer', 'permissions: { pages: { changeTitle: false }, site: { changeTitle: false } }')
describeRole(storage, 'author', 'permissions: { pages: { publish: false } }')
const site = await createTestApp({ storage })
const anna = await createTokenClient(site)
const writer = await createTokenClient(site, { role: 'writer' })
const author = await createTokenClient(site, { role: 'author' })

let count = 0
async function newPage(status: 'draft' | 'listed' = 'listed') {
  const slug = `page-${++count}`
  await addPage(site, '', { slug, title: 'Before', content: { text: 'Words' }, ...(status === 'listed' && { status }) })
  return `pages/${slug}`
}
const titleOf = async (path: string) => (await anna.done('GET', `${path}?select=title`)).data.title as string
const draftOf = async (path: string) => (await anna.done('GET', `${path}/changes`)).data

test('a title is saved as a draft and published with it', async () => {
  for (const path of [await newPage(), 'site']) {
    const before = await titleOf(path)
    expect(await anna.done('POST', `${path}/changes/save`, { Title: ' After\n the  rain ' })).toMatchObject({
      errors: {},
    })
    expect(await draftOf(path)).toMatchObject({ fields: ['title'], content: { title: 'After the  rain' } })
    expect(await titleOf(path)).toBe(before)
    await anna.done('POST', `${path}/changes/publish`, {})
    expect(await titleOf(path)).toBe('After the  rain')
    expect((await anna.done('GET', `${path}/history`)).data[0]).toMatchObject({ action: 'publish', fields: ['title'] })
    // Sent with the publication; equal to the published one, it is no change.
    await anna.done('POST', `${path}/changes/publish`, { title: 'At last' })
    expect(await titleOf(path)).toBe('At last')
    await anna.done('POST', `${path}/changes/save`, { title: 'At last' })
    expect(await draftOf(path)).toMatchObject({ fields: [], draftRevision: 0 })
  }
})

test('a status change publishes the title, too', async () => {
  const path = await newPage('draft')
  await anna.done('POST', `${path}/changes/save`, { title: 'Public now' })
  await anna.done('PATCH', `${path}/status`, { status: 'listed', publishChanges: true })
  expect(await titleOf(path)).toBe('Public now')
})

test('a draft may be without a title, what is published may not', async () => {
  for (const path of [await newPage(), await newPage('draft'), 'site']) {
    const before = await titleOf(path)
    const saved = await anna.done('POST', `${path}/changes/save`, { title: ' ' })
    expect(saved).toMatchObject({ errors: { title: { message: { required: 'Please fill this in.' } } } })
    expect((await draftOf(path)).errors).toHaveProperty('title')
    expect(await anna.call('POST', `${path}/changes/publish`, {})).toMatchObject({ status: 400 })
    if (path !== 'site')
      expect(await anna.call('PATCH', `${path}/status`, { status: 'unlisted', publishChanges: true })).toMatchObject({
        key: 'error.page.changeTitle.empty',
      })
    expect(await titleOf(path)).toBe(before)
    await anna.done('POST', `${path}/changes/discard`)
    expect(await anna.call('POST', `${path}/changes/save`, { title: 'x'.repeat(1001) })).toMatchObject({
      status: 400,
      details: { title: { message: { maxlength: expect.any(String) as string } } },
    })
  }
})

test('a title needs its own permission, in the draft and when another account publishes it', async () => {
  for (const path of [await newPage(), 'site']) {
    const before = await titleOf(path)
    expect(await writer.call('POST', `${path}/changes/save`, { title: 'Mine' })).toMatchObject({
      status: 400,
      details: { title: { message: { reserved: expect.any(String) as string } } },
    })
    expect(await writer.call('POST', `${path}/changes/publish`, { title: 'Mine' })).toMatchObject({ status: 403 })
    if (path !== 'site') await writer.done('POST', `${path}/changes/publish`, { title: before, text: 'Other words' })
    await anna.done('POST', `${path}/changes/save`, { title: 'Of Anna' })
    await writer.done('POST', `${path}/changes/unlock`)
    const denied = await writer.call('POST', `${path}/changes/publish`, {})
    expect(denied).toMatchObject({
      status: 403,
      key: `error.${path === 'site' ? 'site' : 'page'}.changeTitle.permission`,
    })
    expect(await titleOf(path)).toBe(before)
  }
  // An author keeps a title that only others can publish.
  const path = await newPage()
  await author.done('POST', `${path}/changes/save`, { title: 'Of an author' })
  expect(await author.call('POST', `${path}/changes/publish`, {})).toMatchObject({ status: 403 })
  expect(await titleOf(path)).toBe('Before')
})

test.each([[['a', 'b']], [{ a: 1 }], [7], [true]])('a title is a text, not %j', async title => {
  const path = await newPage()
  expect(await anna.call('POST', `${path}/changes/save`, { title })).toMatchObject({ status: 400 })
  expect(await anna.call('POST', `${path}/changes/publish`, { title })).toMatchObject({ status: 400 })
  expect(await anna.call('POST', `${path}/changes/save`, { title: 'a', TITLE: 'b' })).toMatchObject({ status: 400 })
})
