import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { describeRole, createSignedInUser } from '../../../test/signed-in-user.ts'
import { revisionIn } from '../../../test/revision.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'site.yml': `
title: { en: Harbour, de: Hafen }
tabs:
  main:
    label: { en: Main, de: Haupt }
    columns:
      - width: 1/2
        fields:
          tagline: { type: text, maxlength: 20, label: { en: Tagline, de: Motto } }
          fixed: { type: number, translate: false }
      - width: 1/2
  lists:
    sections:
      notes: { type: pages, templates: [note] }
      any: { type: pages }
`,
  'pages/note.yml': 'title: Note\nfields: { text: { type: textarea } }',
  'pages/secret.yml': 'title: Secret\noptions: { access: { admin: true, "*": false } }',
  'pages/hushed.yml': 'title: Hushed\noptions: { list: false }',
})
describeRole(storage, 'writer', "permissions: { '*': true, site: { changeTitle: false } }")
describeRole(storage, 'outsider', 'permissions: { access: { site: false } }')
describeRole(storage, 'observer', 'permissions: { site: false, pages: { create: false } }')
const app = await createTestApp({ storage })
const admin = await createTokenClient(app)
const writer = await createTokenClient(app, { role: 'writer' })
const observer = await createTokenClient(app, { role: 'observer' })
const outsider = await createTokenClient(app, { role: 'outsider' })

test('the site is read, changed and its title changed', async () => {
  const first = await admin.done('GET', 'site')
  expect(first.data).toEqual({
    content: { tagline: '', fixed: '' },
    options: { changeTitle: true, update: true },
    title: 'Harbour',
    url: app.app.config.url,
  })
  const changed = await admin.done('PATCH', 'site', { tagline: 'A lamp', extra: 'kept' })
  expect(changed.data.content).toEqual({ tagline: 'A lamp', fixed: '', extra: 'kept' })
  const named = await admin.done('PATCH', 'site/title', { title: '  Salt  ' })
  expect(named.data).toMatchObject({ title: 'Salt', content: { title: 'Salt', tagline: 'A lamp' } })
  expect(revisionIn(named.headers)).not.toBe(revisionIn(first.headers))
  const { data, headers } = await admin.done('GET', 'site?view=compact')
  expect(data).toEqual({ title: 'Salt', url: app.app.config.url })
  expect(revisionIn(headers)).toBe(revisionIn(named.headers))
  const system = await admin.done('GET', 'system?select=title,site')
  expect(system.data).toEqual({ site: 'Salt', title: 'Salt' })
})

test('invalid changes change nothing', async () => {
  expect(await admin.call('PATCH', 'site', { tagline: 'x'.repeat(21) })).toMatchObject({
    status: 400,
    details: { tagline: { label: 'Tagline', message: { maxlength: expect.any(String) as string } } },
  })
  expect(await admin.call('PATCH', 'site', { tagline: ['a'] })).toMatchObject({ status: 400 })
  expect(await admin.call('PATCH', 'site', { title: ['Sneaky'] })).toMatchObject({
    status: 400,
    details: { title: { message: { reserved: expect.any(String) as string } } },
  })
  expect(await admin.call('PATCH', 'site/title', { title: ' ' })).toMatchObject({
    status: 400,
    key: 'error.site.changeTitle.empty',
  })
  for (const body of [{}, { title: 5 }, { title: 'x', more: 1 }, []])
    expect(await admin.call('PATCH', 'site/title', body)).toMatchObject({ status: 400, key: 'error.validation' })
  expect((await admin.done('GET', 'site')).data.content).toMatchObject({ tagline: 'A lamp', title: 'Salt' })
})

test('the role determines who may read, change and rename the site', async () => {
  expect((await writer.done('GET', 'site?select=options')).data.options).toEqual({ changeTitle: false, update: true })
  expect(await writer.call('PATCH', 'site/title', { title: 'x' })).toMatchObject({
    status: 403,
    key: 'error.site.changeTitle.permission',
  })
  await writer.done('PATCH', 'site', { tagline: 'By writer' })
  expect(await observer.call('PATCH', 'site', { tagline: 'x' })).toMatchObject({
    status: 403,
    key: 'error.site.update.permission',
  })
  for (const path of ['site', 'site/blueprint', 'site/blueprints', 'site/sections/notes', 'site/files'])
    expect(await outsider.call('GET', path)).toMatchObject({ status: 403, key: 'error.site.access.permission' })
  expect(await outsider.call('PATCH', 'site', { tagline: 'x' })).toMatchObject({ status: 403 })
  expect((await admin.done('GET', 'site')).data.content.tagline).toBe('By writer')
})

test('a write with an outdated revision gets the current state', async () => {
  const { headers } = await admin.done('GET', 'site')
  const ifMatch = { 'if-match': String(headers['etag']) }
  await admin.done('PATCH', 'site', { tagline: 'One' }, ifMatch)
  const late = await admin.call('PATCH', 'site', { tagline: 'Two' }, ifMatch)
  expect(late).toMatchObject({ status: 412, details: { current: { content: { tagline: 'One' } } } })
  expect(await admin.call('PATCH', 'site/title', { title: 'Late' }, ifMatch)).toMatchObject({ status: 412 })
  expect(await admin.call('PATCH', 'site', { tagline: 'x' }, { 'if-match': 'nonsense' })).toMatchObject({ status: 400 })
})

test('without the permission to change the title a restored version keeps the current title', async () => {
  await admin.done('PATCH', 'site', { tagline: 'Old' })
  const { data } = await admin.done('GET', 'site/history')
  await admin.done('PATCH', 'site/title', { title: 'Today' })
  await admin.done('PATCH', 'site', { tagline: 'New' })
  const restore = `site/history/${String(data[0].id)}/restore`
  await writer.done('POST', restore)
  await writer.done('POST', 'site/changes/publish')
  expect((await admin.done('GET', 'site')).data).toMatchObject({ title: 'Today', content: { tagline: 'Old' } })
  await admin.done('POST', restore)
  await admin.done('POST', 'site/changes/publish')
  expect((await admin.done('GET', 'site')).data.title).not.toBe('Today')
})

test('every change is a version and can be restored', async () => {
  await admin.done('PATCH', 'site', { tagline: 'Kept' })
  const { data } = await admin.done('GET', 'site/history')
  expect(data[0]).toMatchObject({ action: 'update' })
  await admin.done('PATCH', 'site', { tagline: 'Wrong' })
  await admin.done('POST', `site/history/${String(data[0].id)}/restore`)
  await admin.done('POST', 'site/changes/publish')
  expect((await admin.done('GET', 'site')).data.content.tagline).toBe('Kept')
  expect(await observer.call('POST', `site/history/${String(data[0].id)}/restore`)).toMatchObject({ status: 403 })
})

test('no concurrent change is lost', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `field${index}`)
  await Promise.all(names.map(name => admin.done('PATCH', 'site', { [name]: 'x' })))
  const { content } = (await admin.done('GET', 'site')).data
  for (const name of names) expect(content).toHaveProperty(name, 'x')
})

test('the blueprint is shown in the language of the caller, with links', async () => {
  const { data } = await admin.done('GET', 'site/blueprint')
  expect(data).toMatchObject({
    name: 'site',
    options: { changeTitle: null, update: null },
    title: 'Harbour',
    tabs: [
      {
        name: 'main',
        label: 'Main',
        link: '/site/?tab=main',
        columns: [
          { sections: { 'main-col-0-fields': { fields: { tagline: { label: 'Tagline' } } } } },
          { sections: { 'main-info-1': { text: 'This column is empty.' } } },
        ],
      },
      { name: 'lists' },
    ],
  })
  await app.app.store.db.updateTable('users').set({ language: 'de' }).where('id', '=', writer.id).execute()
  const german = (await writer.done('GET', 'site?view=panel')).data.blueprint
  expect(german).toMatchObject({ title: 'Hafen', tabs: [{ label: 'Haupt' }, {}] })
  expect(JSON.stringify(german)).toContain('"label":"Motto"')
  expect((await writer.done('GET', 'site/blueprint?select=title')).data).toEqual({ title: 'Hafen' })
  await app.app.store.db.updateTable('users').set({ language: 'en' }).where('id', '=', writer.id).execute()
})

const names = async (path: string) => {
  const { headers: _, status: __, details: ___, key: ____, ...list } = await admin.done('GET', path)
  return Object.values(list).map(one => (one as { name: string }).name)
}

test('templates of pages that can be created are listed, for all or one section', async () => {
  expect(await names('site/blueprints')).toEqual(['note', 'default', 'hushed', 'secret'])
  expect(await names('site/blueprints?section=notes')).toEqual(['note'])
  expect(await names('site/blueprints?section=nope')).toEqual([])
})

// ---- pages

await addPage(app, '', { slug: 'harbour', title: 'Harbour wall', template: 'note', status: 'listed' })
await addPage(app, '', { slug: 'vault', template: 'secret', status: 'unlisted' })
const hush = await addPage(app, '', { slug: 'hush', template: 'hushed', status: 'unlisted' })
await addPage(app, '', { slug: 'plan', title: 'Secret plan of the harbour', template: 'note' })
await addPage(app, hush, { slug: 'below', title: 'Below', template: 'note', content: { text: 'harbour' } })

const ids = async (who: typeof admin, path: string, body?: unknown) => {
  const { data } = await who.done(body === undefined ? 'GET' : 'POST', path, body)
  return (data as { id: string }[]).map(({ id }) => id)
}

test('top-level pages are listed as far as the caller may list them', async () => {
  expect(await ids(admin, 'site/children?status=all')).toEqual(['harbour', 'vault', 'plan'])
  expect(await ids(writer, 'site/children')).toEqual(['harbour'])
  expect(await ids(outsider, 'site/children')).toEqual(['harbour'])
  expect(await ids(admin, 'site/children/search', {}), 'pages that may not be listed').not.toContain('hush')
  expect((await admin.done('GET', 'pages/hush?select=id')).data, 'it can be read by its id').toEqual({ id: 'hush' })
  expect(await ids(admin, 'site/children/search?q=wall')).toEqual(['harbour'])
  expect(await ids(admin, 'site/children/search', { filterBy: [{ field: 'status', value: 'listed' }] })).toEqual([
    'harbour',
  ])
  expect(await admin.call('GET', 'site/children?page=9')).toMatchObject({ status: 404, key: 'error.errorPage' })
})

test('a top-level page can be created with the permission', async () => {
  const created = await admin.done('POST', 'site/children', { slug: 'fresh', template: 'note', content: { text: 'x' } })
  expect(created.data).toMatchObject({ id: 'fresh', status: 'draft', parent: null, content: { text: 'x' } })
  expect(await observer.call('POST', 'site/children', { slug: 'nono' })).toMatchObject({
    status: 403,
    key: 'error.page.create.permission',
  })
  expect(await admin.call('POST', 'site/children', { slug: 'fresh' })).toMatchObject({
    status: 400,
    key: 'error.page.draft.duplicate',
  })
  expect(await admin.call('POST', 'site/children', { slug: '###' })).toMatchObject({ status: 400 })
  await admin.done('DELETE', 'pages/fresh')
})

test('the whole site is searched for listable pages, with drafts on request', async () => {
  expect((await ids(admin, 'site/search?status=all&q=harbour')).toSorted()).toEqual(['harbour', 'hush/below', 'plan'])
  expect(await ids(writer, 'site/search?status=all&q=vault')).toEqual([])
  expect(await ids(admin, 'site/search?status=all&q=hush')).not.toContain('hush')
  expect((await ids(admin, 'site/search?status=all', { search: 'harbour' })).toSorted()).toEqual([
    'harbour',
    'hush/below',
    'plan',
  ])
  expect(await ids(writer, 'site/search?status=all', {})).toEqual(['harbour', 'hush/below', 'plan'])
  expect(
    await ids(admin, 'site/search?status=all', {
      sortBy: 'title desc',
      filterBy: [{ field: 'template', value: 'note' }],
    }),
  ).toEqual(['plan', 'harbour', 'hush/below'])
  const second = await admin.done('POST', 'site/search?status=all', { paginate: { limit: 1, page: 2 } })
  expect(second).toMatchObject({ pagination: { page: 2, limit: 1, offset: 1 }, data: [{ id: 'hush/below' }] })
  expect(await ids(admin, 'site/search?status=all&q=x')).toEqual([])
  // A token finds drafts only if it asks for them; a session always does.
  expect(await ids(admin, 'site/search?q=harbour')).toEqual(['harbour'])
  expect(await ids(admin, 'site/search', { search: 'harbour' })).toEqual(['harbour'])
  expect(await ids(admin, 'site/search?q=harbour&status=draft')).not.toContain('harbour')
  expect((await ids(admin, 'site/search', { filterBy: [{ field: 'status', value: 'draft' }] })).toSorted()).toContain(
    'plan',
  )
  const { browser } = await createSignedInUser(app)
  const found = (await browser.send({ url: '/api/site/search?q=harbour' })).json<{ data: { id: string }[] }>()
  expect(found.data.map(({ id }) => id).toSorted()).toEqual(['harbour', 'hush/below', 'plan'])
  expect(await admin.call('POST', 'site/search', { filterBy: [{ field: 'id', operator: 'nope' }] })).toMatchObject({
    status: 400,
  })
})

test('published pages are found by their ids', async () => {
  expect(await ids(admin, 'site/find', ['hush/below', 'harbour', 'plan', 'nowhere'])).toEqual(['harbour'])
  expect(await ids(admin, 'site/find', [`page://${hush}`, 'harbour'])).toEqual(['hush', 'harbour'])
  expect(await writer.call('POST', 'site/find', [])).toMatchObject({ status: 404, key: 'error.notFound' })
  expect(await writer.call('POST', 'site/find', ['vault'])).toMatchObject({ status: 404, key: 'error.page.notFound' })
  for (const body of [{ ids: ['notes'] }, [5], 'harbour', null])
    expect(await admin.call('POST', 'site/find', body)).toMatchObject({ status: 400 })
})

test('lists of related pages leave out unlistable ones', async () => {
  const { data } = await admin.done('GET', 'site?select=children,drafts,files,previewUrl,revision')
  expect(data.children.map(({ id }: { id: string }) => id)).toEqual(['harbour', 'vault'])
  expect(data.drafts.map(({ id }: { id: string }) => id)).toEqual(['plan'])
  expect(data).toMatchObject({ files: [], previewUrl: app.app.config.url, revision: expect.any(Number) as number })
  const answer = await writer.done('GET', 'site?view=selector')
  expect(answer.data.children).toEqual([
    { hasChildren: false, id: 'harbour', panelImage: expect.any(Object) as object, title: 'Harbour wall' },
  ])
})
