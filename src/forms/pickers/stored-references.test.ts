/** References stay valid when their targets are renamed. */
import { expect, test } from 'vitest'
import { sql } from 'kysely'
import { addUser, createTestStorage, createTestApp, engine, writeBlueprints } from '../../../test/harness.ts'
import { addFile } from '../../../test/media.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { findFaults } from '../../cli/check/faults.ts'

async function createSite() {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'pages/note.yml': `
fields:
  related: { type: pages }
  people: { type: users }
  byId: { type: pages, store: id }
  rows: { type: structure, fields: { see: { type: pages, store: id } } }
  pictures: { type: files, store: id }
  boxes: { type: structure, fields: { picture: { type: files, store: id }, rest: { type: text } } }
  text: { type: text }
  tags: { type: tags }`,
  })
  const site = await createTestApp({ storage })
  const admin = await createTokenClient(site)
  for (const slug of ['notes', 'home']) await addPage(site, '', { slug, title: slug, template: 'note' })
  return { site, admin }
}

const pathsIn = (entries: { id: string }[]) => entries.map(({ id }) => id)

test('a reference sent by id is stored by uuid, and survives a new slug and a new email address', async () => {
  const { site, admin } = await createSite()
  const parent = await site.app.store.db
    .selectFrom('pages')
    .select('uuid')
    .where('path', '=', 'notes')
    .executeTakeFirstOrThrow()
  const x = await addPage(site, parent.uuid, { slug: 'x', title: 'X', template: 'note' })
  const { id, email } = await addUser(site)
  await admin.done('PATCH', 'pages/home', { related: ['notes/x'], people: [{ email }] })
  const created = await admin.done('POST', 'site/children', {
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
  expect(created.data.slug).toBe('made')
})

test('stored ids follow a new slug and a move, in contents, drafts and rows, and nothing else changes', async () => {
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
  await admin.done('PATCH', 'pages/notes+y/move', { parent: '' })
  expect(pathsIn((await admin.done('GET', 'pages/home')).data.content.byid)).toEqual(['y'])
})

test('stored ids follow a renamed file of the same and of other pages, also in drafts', async () => {
  const { site, admin } = await createSite()
  for (const page of ['notes', 'home']) {
    const { uuid } = (await admin.done('GET', `pages/${page}`)).data
    await addFile(site, uuid, 'a.txt', Buffer.from(page), { mime: 'text/plain' })
  }
  const content = { pictures: ['a.txt', 'notes/a.txt'], boxes: [{ picture: ['notes/a.txt'], rest: 'notes/a.txt' }] }
  await admin.done('PATCH', 'pages/home', content)
  await admin.done('POST', 'pages/notes/changes/save', { pictures: ['a.txt', 'home/a.txt'] })
  await admin.done('PATCH', 'pages/notes/files/a.txt/name', { name: 'b' })
  const read = async () => {
    const { content: home } = (await admin.done('GET', 'pages/home')).data
    return { pictures: pathsIn(home.pictures), boxes: pathsIn(home.boxes[0].picture), rest: home.boxes[0].rest }
  }
  expect(await read()).toEqual({ pictures: ['a.txt', 'notes/b.txt'], boxes: ['notes/b.txt'], rest: 'notes/a.txt' })
  await admin.done('PATCH', 'pages/home/files/a.txt/name', { name: 'c' })
  expect(await read()).toEqual({ pictures: ['c.txt', 'notes/b.txt'], boxes: ['notes/b.txt'], rest: 'notes/a.txt' })
  const { data } = await site.app.store.db.selectFrom('changes').select('data').executeTakeFirstOrThrow()
  expect(JSON.parse(JSON.parse(data).pictures.to)).toEqual(['b.txt', 'home/c.txt'])
  expect((await findFaults(site.app, { thorough: true, progress: () => {} })).faults).toEqual([])
})

test.runIf(engine === 'postgres')('a rename and a save of a referring content wait for each other', async () => {
  const { site, admin } = await createSite()
  const { store } = site.app
  await admin.done('PATCH', 'pages/home', { byId: ['notes'], text: 'before' })
  const { uuid } = (await admin.done('GET', 'pages/home')).data
  const isWaiting = async (count: number) => {
    const waiting = sql<{ count: string }>`select count(*) from pg_locks where not granted and pid in
      (select pid from pg_stat_activity where datname = current_database())`
    await expect.poll(async () => Number((await waiting.execute(store.db)).rows[0]!.count)).toBe(count)
  }
  const requests: Promise<unknown>[] = []
  await store.write(async tx => {
    await tx.selectFrom('contents').select('data').where('owner', '=', uuid).forUpdate().execute()
    requests.push(admin.done('PATCH', 'pages/home', { text: 'after' }))
    await isWaiting(1)
    requests.push(admin.done('PATCH', 'pages/notes/slug', { slug: 'renamed' }))
    await isWaiting(2)
  })
  await Promise.all(requests)
  const { content } = (await admin.done('GET', 'pages/home')).data
  expect([content.text, pathsIn(content.byid)]).toEqual(['after', ['renamed']])
})
