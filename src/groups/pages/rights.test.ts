/** Permissions on pages depend on visibility, and on the state of the page at the time of the change. */
import { expect, test } from 'vitest'
import { withChangeBeforeWrites } from '../../../test/before-write.ts'
import { createImage, createUploader } from '../../../test/files.ts'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { describeRole, createSignedInUser } from '../../../test/signed-in-user.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/default.yml': `
options: { changeTemplate: [hidden, plain] }
sections: { notes: { type: pages } }`,
  'pages/hidden.yml': 'options: { access: { writer: false, admin: true } }',
  'pages/plain.yml': 'title: Plain',
  'pages/fixed.yml': 'options: { create: { writer: false }, update: { writer: false } }',
  'pages/album.yml': `
sections:
  notes: { type: pages, min: 1, status: all, template: plain }
  pictures: { type: files, max: 0 }`,
  'files/held.yml': 'options: { create: { writer: false } }',
})
describeRole(storage, 'writer', 'title: Writer')
const site = await createTestApp({ storage })
const { app } = site
const admin = await createTokenClient(site)
const writer = await createTokenClient(site, { role: 'writer' })
const image = { filename: 'one.png', bytes: await createImage() }
const pagesAt = async (path: string) =>
  (await app.store.db.selectFrom('pages').select('path').where('path', 'like', `${path}%`).execute())
    .map(row => row.path)
    .toSorted()

test('descendants that the caller may not see cannot be deleted', async () => {
  const top = await addPage(site, '', { slug: 'whole' })
  await addPage(site, top, { slug: 'secret', template: 'hidden' })
  expect(await writer.call('DELETE', 'pages/whole', { force: true })).toMatchObject({
    status: 403,
    key: 'error.page.delete.permission',
  })
  expect(await pagesAt('whole')).toEqual(['whole', 'whole/secret'])
  await admin.done('DELETE', 'pages/whole', { force: true })
})

test('a copy leaves out pages that the caller may not see, with their descendants', async () => {
  const top = await addPage(site, '', { slug: 'parts' })
  await addPage(site, top, { slug: 'open' })
  const secret = await addPage(site, top, { slug: 'secret', template: 'hidden' })
  await addPage(site, secret, { slug: 'below' })
  await writer.done('POST', 'pages/parts/duplicate', { slug: 'mine', children: true })
  expect(await pagesAt('mine')).toEqual(['mine', 'mine/open'])
  await admin.done('POST', 'pages/parts/duplicate', { slug: 'all', children: true })
  expect(await pagesAt('all')).toEqual(['all', 'all/open', 'all/secret', 'all/secret/below'])
})

test('copying pages or files requires the permission to create them', async () => {
  const top = await addPage(site, '', { slug: 'kinds' })
  await addPage(site, top, { slug: 'fixed', template: 'fixed' })
  await writer.done('POST', 'pages/kinds/duplicate', { slug: 'kinds-alone' })
  expect(await writer.call('POST', 'pages/kinds/duplicate', { slug: 'kinds-2', children: true })).toMatchObject({
    status: 403,
    key: 'error.page.create.permission',
  })
  const sender = await createUploader(await createSignedInUser(site))
  await sender.send('pages/kinds/files', [image], { template: 'held' })
  expect(await writer.call('POST', 'pages/kinds/duplicate', { slug: 'kinds-2', files: true })).toMatchObject({
    status: 403,
    key: 'error.permission',
  })
  expect(await pagesAt('kinds-2')).toEqual([])
  await admin.done('POST', 'pages/kinds/duplicate', { slug: 'kinds-2', files: true })
  expect((await admin.done('GET', 'pages/kinds-2/files')).pagination.total).toBe(1)
})

test('invisible templates are neither offered nor accepted', async () => {
  await addPage(site, '', { slug: 'offers' })
  const shown = await writer.done('GET', 'pages/offers?select=blueprints')
  expect(shown.data.blueprints.map(({ name }: { name: string }) => name)).toEqual(['default', 'plain'])
  expect((await admin.done('GET', 'pages/offers?select=blueprints')).data.blueprints).toHaveLength(3)
  for (const path of ['pages/offers/blueprints', 'pages/offers/blueprints?section=notes']) {
    expect(await listed(writer, path)).not.toContain('hidden')
    expect(await listed(admin, path)).toContain('hidden')
  }
  expect(await writer.call('PATCH', 'pages/offers/template', { template: 'hidden' })).toMatchObject({
    key: 'error.page.changeTemplate.invalid',
  })
  for (const path of ['pages/offers/children', 'site/children'])
    expect(await writer.call('POST', path, { slug: 'x', template: 'hidden' })).toMatchObject({
      status: 400,
      key: 'error.page.template.invalid',
    })
  await admin.done('PATCH', 'pages/offers/template', { template: 'hidden' })
})

/** A list without an envelope. */
async function listed(who: typeof admin, path: string): Promise<string[]> {
  const answer = (await who.call('GET', path)) as unknown as Record<string, { name?: string }>
  return Object.values(answer).flatMap(one => one?.name ?? [])
}

const attempts = (slug: string) =>
  [
    ['POST', 'pages/slugs/children', { slug }],
    ['PATCH', 'pages/slugs+other/slug', { slug }],
    ['POST', 'pages/slugs+other/duplicate', { slug }],
    ['PATCH', 'pages/secret/move', { parent: 'slugs', slug }],
  ] as const

test('a taken slug does not reveal invisible drafts', async () => {
  const top = await addPage(site, '', { slug: 'slugs' })
  await addPage(site, top, { slug: 'secret', template: 'hidden' })
  await addPage(site, top, { slug: 'draft' })
  await addPage(site, top, { slug: 'other' })
  await addPage(site, '', { slug: 'secret' })
  for (const [method, path, body] of attempts('secret')) {
    expect([path, (await writer.call(method, path, body)).key]).toEqual([path, 'error.page.duplicate'])
    expect([path, (await admin.call(method, path, body)).key]).toEqual([path, 'error.page.draft.duplicate'])
  }
  for (const [method, path, body] of attempts('draft'))
    expect([path, (await writer.call(method, path, body)).key]).toEqual([path, 'error.page.draft.duplicate'])
})

test('permissions are checked on the current page when it is changed', async () => {
  const before = await addPage(site, '', { slug: 'racing' })
  for (const [method, path, body] of [
    ['PATCH', '', { text: 'y' }],
    ['PATCH', '/title', { title: 'y' }],
    ['PATCH', '/slug', { slug: 'y' }],
    ['PATCH', '/template', { template: 'plain' }],
    ['PATCH', '/move', { parent: 'slugs' }],
    ['POST', '/duplicate', {}],
    ['POST', '/changes/save', { text: 'y' }],
    ['POST', '/changes/publish', { text: 'y' }],
  ] as const) {
    // After the permission check and before the transaction, the page gets a template that the writer may not see.
    const change = (template: string) =>
      app.store.db.updateTable('pages').set({ template }).where('uuid', '=', before).execute()
    const answer = await withChangeBeforeWrites(
      app,
      () => change('hidden'),
      () => writer.call(method, `pages/racing${path}`, body),
    )
    await change('default')
    expect([path, answer.status]).toEqual([path, 404])
  }
})

test('a page whose sections are incomplete cannot be published on creation', async () => {
  const refused = { status: 403, key: 'error.page.changeStatus.incomplete' }
  for (const path of ['site/children', 'pages/slugs/children'])
    expect(await admin.call('POST', path, { slug: 'album', template: 'album', draft: false })).toMatchObject({
      ...refused,
      details: { notes: { label: 'Notes', message: { min: expect.any(String) as string } } },
    })
  const { data } = await admin.done('POST', 'site/children', { slug: 'album', template: 'album' })
  await addPage(site, data.uuid.slice(7), { slug: 'other' })
  expect(await admin.call('PATCH', 'pages/album/status', { status: 'listed' })).toMatchObject(refused)
  await addPage(site, data.uuid.slice(7), { slug: 'one', template: 'plain' })
  await admin.done('PATCH', 'pages/album/status', { status: 'listed' })
})

test('a token for files can access the files of all parents that its owner may see, and nothing else', async () => {
  const sender = await createUploader(await createSignedInUser(site))
  const { id } = await createSignedInUser(site)
  await addPage(site, '', { slug: 'shelf' })
  await addPage(site, '', { slug: 'vault', template: 'hidden' })
  for (const parent of ['pages/shelf', 'pages/vault', 'site', `users/${id}`])
    await sender.send(`${parent}/files`, [image])
  const token = await createTokenClient(site, { role: 'writer', scopes: ['files.*'] })
  for (const parent of ['pages/shelf', 'site', `users/${id}`]) {
    expect((await token.done('GET', `${parent}/files`)).pagination.total).toBe(1)
    await token.done('GET', `${parent}/files/one.png`)
  }
  for (const parent of ['pages/shelf', 'site'])
    await token.done('PATCH', `${parent}/files/one.png/name`, { name: 'two' })
  expect(await token.call('GET', 'pages/vault/files')).toMatchObject({ status: 404 })
  expect(await token.call('GET', 'pages/shelf')).toMatchObject({ status: 404 })
  const otherClient = await createTokenClient(site, { role: 'writer', scopes: ['users.*'] })
  expect(await otherClient.call('GET', 'pages/shelf/files')).toMatchObject({ status: 404 })
})

test('the title of a copy is in the language of the request, and unchanged in others', async () => {
  for (const code of ['en', 'de', 'fr']) await admin.done('POST', 'languages', { code })
  await addPage(site, '', { slug: 'words', title: 'Words' })
  await admin.done('PATCH', 'pages/words/title?language=de', { title: 'Wörter' })
  const titles = async (slug: string) =>
    Promise.all(
      ['en', 'de', 'fr'].map(async code => (await admin.done('GET', `pages/${slug}?language=${code}`)).data.title),
    )
  await admin.done('POST', 'pages/words/duplicate', { slug: 'a', title: 'New' })
  expect(await titles('a')).toEqual(['New', 'Wörter', 'New'])
  await admin.done('POST', 'pages/words/duplicate?language=de', { slug: 'b', title: 'Neu' })
  expect(await titles('b')).toEqual(['Words', 'Neu', 'Words'])
  await admin.done('POST', 'pages/words/duplicate?language=fr', { slug: 'c', title: 'Neuf' })
  expect(await titles('c')).toEqual(['Words', 'Wörter', 'Neuf'])
  expect(await admin.call('POST', 'pages/words/duplicate?language=xx', { title: 'No' })).toMatchObject({
    key: 'error.language.unknown',
  })
})
