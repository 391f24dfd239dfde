/** References survive what their targets are renamed to. */
import { expect, test } from 'vitest'
import { addUser, createPlace, createTestApp, writeBlueprints } from '../../test/harness.ts'
import { addPage, visitor } from '../../test/pages.ts'

async function createSite() {
  const place = await createPlace({ migrated: true })
  writeBlueprints(place.data, {
    'pages/note.yml': `
fields:
  related: { type: pages }
  people: { type: users }
  byId: { type: pages, store: id }
  rows: { type: structure, fields: { see: { type: pages, store: id } } }
  tags: { type: tags }`,
  })
  const site = await createTestApp({ place })
  const admin = await visitor(site)
  for (const slug of ['notes', 'home']) await addPage(site, '', { slug, title: slug, template: 'note' })
  return { site, admin }
}

const pathsIn = (entries: { id: string }[]) => entries.map(({ id }) => id)

test('a reference that is sent by id is stored by uuid, and survives another slug and another e-mail address', async () => {
  const { site, admin } = await createSite()
  const parent = await site.app.store.db
    .selectFrom('pages')
    .select('uuid')
    .where('path', '=', 'notes')
    .executeTakeFirstOrThrow()
  const x = await addPage(site, parent.uuid, { slug: 'x', title: 'X', template: 'note' })
  const { id, email } = await addUser(site)
  await admin.done('PATCH', 'pages/home', { related: ['notes/x'], people: [{ email }] })
  const made = await admin.done('POST', 'site/children', {
    slug: 'made',
    template: 'note',
    content: { related: [{ id: 'notes/x' }], people: [email] },
  })
  const stored = await site.app.store.db
    .selectFrom('contents')
    .select('data')
    .where('data', 'like', '%related%')
    .execute()
  for (const { data } of stored) {
    expect(data).toContain(`page://${x}`)
    expect(data).toContain(`user://${id}`)
  }
  expect(stored).toHaveLength(2)
  await admin.done('PATCH', 'pages/notes+x/slug', { slug: 'y' })
  await site.app.store.db.updateTable('users').set({ email: 'other@example.org' }).where('id', '=', id).execute()
  for (const page of ['home', 'made']) {
    const { content } = (await admin.done('GET', `pages/${page}`)).data
    expect(pathsIn(content.related)).toEqual(['notes/y'])
    expect(pathsIn(content.people)).toEqual([id])
  }
  expect(made.data.slug).toBe('made')
})

test('where ids are stored they follow a new slug and a move, in contents, drafts and rows, and nothing else does', async () => {
  const { site, admin } = await createSite()
  const parent = await site.app.store.db
    .selectFrom('pages')
    .select('uuid')
    .where('path', '=', 'notes')
    .executeTakeFirstOrThrow()
  const x = await addPage(site, parent.uuid, { slug: 'x', title: 'X', template: 'note' })
  await addPage(site, x, { slug: 'deep', title: 'Deep', template: 'note' })
  await admin.done('PATCH', 'pages/home', {
    byId: ['notes/x'],
    rows: [{ see: ['notes/x/deep'] }],
    tags: ['notes/x'],
  })
  await admin.done('POST', 'pages/notes/changes/save', { byId: [`page://${x}`] })
  const data = async (table: 'contents' | 'changes') =>
    JSON.stringify(await site.app.store.db.selectFrom(table).select('data').execute())
  expect(await data('contents')).toContain('notes/x/deep')
  expect(await data('changes')).toContain('notes/x')
  await admin.done('PATCH', 'pages/notes+x/slug', { slug: 'y' })
  const { content } = (await admin.done('GET', 'pages/home')).data
  expect(pathsIn(content.byid)).toEqual(['notes/y'])
  expect(pathsIn(content.rows[0].see)).toEqual(['notes/y/deep'])
  expect(content.tags).toEqual(['notes/x'])
  expect(await data('changes')).not.toContain('notes/x')
  await admin.done('POST', 'pages/notes+y/move', { parent: '' }).catch(() => undefined)
})
