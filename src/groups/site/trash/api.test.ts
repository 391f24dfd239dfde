import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { createImage, type Uploader, createUploader, dataOf } from '../../../../test/files.ts'
import { createTestStorage, createTestApp, type TestApp, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, type TokenClient, createTokenClient } from '../../../../test/pages.ts'
import { describeRole, createSignedInUser } from '../../../../test/signed-in-user.ts'
import { findFaults } from '../../../cli/check/faults.ts'
import { createLanguage, deleteLanguage } from '../../../content/languages/languages.ts'
import { sweepBlobs } from '../../../platform/media/blobs.ts'
import { sweepTrash } from '../../../content/trash/trash.ts'
import { operatorContext } from '../../../cli/site.ts'

let site: TestApp
let uploader: Uploader
let [admin, editor, reader]: TokenClient[] = []

beforeAll(async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'pages/note.yml': 'fields: { text: { type: textarea } }',
    'pages/secret.yml': 'options: { access: { editor: false } }',
    'pages/fixed.yml': 'options: { create: { editor: false }, delete: { editor: false } }',
    'files/cover.yml': 'fields: { alt: { type: text } }',
  })
  describeRole(storage, 'editor', 'permissions: { access: { users: false }, users: false }')
  describeRole(
    storage,
    'reader',
    'permissions: { pages: { create: false, delete: false }, files: { create: false, delete: false } }',
  )
  site = await createTestApp({ storage })
  ;[admin, editor, reader] = [
    await createTokenClient(site),
    await createTokenClient(site, { role: 'editor' }),
    await createTokenClient(site, { role: 'reader' }),
  ]
  uploader = await createUploader(await createSignedInUser(site))
})

const { stringify } = JSON
interface EntryJson {
  id: string
  kind: string
  title: string
  path: string
  uuid: string
  pages: number
  files: number
  user: { username: string } | null
  options: { restore: boolean; delete: boolean }
}

const entries = async (who = admin!, query = '') => (await who.done('GET', `site/trash?${query}`)).data as EntryJson[]
const entryOf = async (uuid: string, who = admin!) => (await entries(who, `uuid=page://${uuid}`))[0]!
const faults = async () => (await findFaults(site.app, { thorough: true, progress: () => {} })).faults

/** All rows of a table, sorted. */
const rowsOf = async (table: string) =>
  (await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(site.app.store.db)).rows
    .map(row => stringify(row))
    .toSorted()

const tables = ['pages', 'page_slugs', 'schedules', 'files', 'contents', 'changes', 'links', 'page_counts', 'blobs']

/**
 * The rows of the tables that deleting and restoring this page changes. Without the ids of `history`: restored rows get
 * new ones.
 */
async function rowsOfContent() {
  const history = await sql<
    Record<string, unknown>
  >`select owner, language, revision, action, user_id, time, fields, data
    from history order by owner, id`.execute(site.app.store.db)
  const rest = await Promise.all(tables.map(async table => [table, await rowsOf(table)] as const))
  const rowsByTable = Object.fromEntries(rest)
  return {
    ...rowsByTable,
    page_counts: rowsByTable['page_counts']!.filter(row => !row.includes('"count":0')),
    history: history.rows,
  }
}

test('a page is restored with its content and descendants', async () => {
  await createLanguage(operatorContext(site.app), { code: 'en' })
  await createLanguage(operatorContext(site.app), { code: 'de' })
  const notes = await addPage(site, '', { slug: 'notes', title: 'Notes', template: 'note', status: 'listed' })
  for (const slug of ['before', 'tree', 'after'])
    await addPage(site, notes, { slug, template: 'note', status: 'listed' })
  await addPage(site, (await admin!.done('GET', 'pages/notes+tree')).data.uuid.slice(7), {
    slug: 'leaf',
    template: 'note',
  })
  dataOf(
    await uploader.send('pages/notes+tree/files', [{ filename: 'one.png', bytes: await createImage() }], {
      template: 'cover',
    }),
  )
  await admin!.done('PATCH', 'pages/notes+tree/files/one.png', { alt: 'A tree' })
  const { uuid } = (await admin!.done('GET', 'pages/notes+tree')).data as { uuid: string }
  await admin!.done('PATCH', 'pages/notes+tree', { text: `See ${uuid} twice` })
  await admin!.done('PATCH', 'pages/notes+before', { text: `See ${uuid}` })
  await admin!.done('PATCH', 'pages/notes+tree?language=de', { text: 'Baum' })
  await admin!.done('PATCH', 'pages/notes+tree/slug?language=de', { slug: 'baum' })
  await admin!.done('POST', 'pages/notes+tree/changes/save', { text: 'Not published' })
  await admin!.done('PATCH', 'pages/notes+tree/schedule', {
    status: 'unlisted',
    at: new Date(Date.now() + 86_400_000).toISOString(),
  })
  const before = await rowsOfContent()

  await admin!.done('DELETE', 'pages/notes+tree', { force: true })
  expect((await admin!.call('GET', 'pages/notes+tree')).status).toBe(404)
  expect((await admin!.call('GET', `pages/@${uuid.slice(7)}`)).status).toBe(404)
  expect((await admin!.done('GET', 'site/search?q=leaf&status=all')).data).toEqual([])
  expect((await admin!.done('GET', 'site/search/files?q=one')).data).toEqual([])
  expect(await faults()).toEqual([])
  const entry = await entryOf(uuid.slice(7))
  expect(entry).toMatchObject({ kind: 'page', title: 'tree', path: 'notes/tree', uuid, pages: 2, files: 1 })
  expect(entry).toMatchObject({ options: { restore: true, delete: true }, template: 'note' })
  const { data } = await admin!.done('POST', `site/trash/${entry.id}/restore`)
  expect(data).toEqual({ kind: 'page', id: 'notes/tree', uuid, link: '/pages/notes+tree' })
  expect(await rowsOfContent()).toEqual(before)
  expect(await faults()).toEqual([])
  expect(await entries()).toEqual([])
  expect((await admin!.call('POST', `site/trash/${entry.id}/restore`)).key).toBe('error.trash.notFound')
  expect((await admin!.done('GET', 'site/search?q=leaf&status=all')).data).toHaveLength(1)
})

test('files in the trash are not delivered, and their blobs stay', async () => {
  await addPage(site, '', { slug: 'gallery', status: 'unlisted' })
  const file = dataOf(
    await uploader.send('pages/gallery/files', [
      { filename: 'kept.png', bytes: await createImage('png', { color: '#0a0' }) },
    ]),
  )
  const { url, uuid } = file as { url: string; uuid: string }
  const fetch = async () => (await site.request({ url: new URL(url).pathname })).statusCode
  expect(await fetch()).toBe(200)
  await admin!.done('DELETE', 'pages/gallery/files/kept.png')
  expect(await fetch()).toBe(404)
  await site.app.store.db.updateTable('blobs').set({ unused_since: 1 }).where('unused_since', 'is not', null).execute()
  await sweepBlobs(site.app)
  const [entry] = await entries(admin, `uuid=${uuid}`)
  expect(entry).toMatchObject({ kind: 'file', title: 'kept.png', path: 'gallery/kept.png', pages: 0, files: 1 })
  dataOf(await uploader.send('pages/gallery/files', [{ filename: 'kept.png', bytes: await createImage() }]))
  expect((await admin!.call('POST', `site/trash/${entry!.id}/restore`)).key).toBe('error.file.duplicate')
  const { data } = await admin!.done('POST', `site/trash/${entry!.id}/restore`, { name: 'other' })
  expect(data).toMatchObject({ id: 'gallery/other.png', uuid, link: '/pages/gallery/files/other.png' })
  expect((await admin!.done('GET', 'pages/gallery/files/other.png')).data.uuid).toBe(uuid)
  await admin!.done('DELETE', 'pages/gallery/files/other.png')
  await admin!.done('DELETE', 'pages/gallery')
  const [again] = await entries(admin, `uuid=${uuid}`)
  expect((await admin!.call('POST', `site/trash/${again!.id}/restore`)).key).toBe('error.trash.parent')
  const moved = await admin!.done('POST', `site/trash/${again!.id}/restore`, { parent: null })
  expect(moved.data).toMatchObject({ id: 'other.png', link: '/site/files/other.png' })
  expect(await faults()).toEqual([])
})

test('a taken slug or a missing parent must be replaced in the request', async () => {
  const shelf = await addPage(site, '', { slug: 'shelf', status: 'listed' })
  const book = await addPage(site, shelf, { slug: 'book', status: 'listed' })
  await addPage(site, book, { slug: 'chapter' })
  await admin!.done('DELETE', 'pages/shelf+book', { force: true })
  const otherPage = await addPage(site, shelf, { slug: 'book', status: 'unlisted' })
  const { id } = await entryOf(book)
  const restore = (body?: object) => admin!.call('POST', `site/trash/${id}/restore`, body)
  expect((await restore()).key).toBe('error.page.duplicate')
  expect((await restore({ slug: '???' })).status).toBe(400)
  expect((await restore({ parent: 'nowhere' })).status).toBe(404)
  await admin!.done('DELETE', 'pages/shelf', { force: true })
  expect(await restore()).toMatchObject({ status: 409, key: 'error.trash.parent' })
  expect((await restore({ parent: null, slug: 'Book two' })).data).toMatchObject({ id: 'book-two' })
  expect((await admin!.done('GET', 'pages/book-two+chapter')).data.id).toBe('book-two/chapter')
  await admin!.done('POST', `site/trash/${(await entryOf(shelf)).id}/restore`)
  expect((await admin!.done('GET', 'pages/shelf+book')).data.uuid).toBe(`page://${otherPage}`)
  expect(await faults()).toEqual([])
})

test('a uuid that was taken meanwhile is not used twice', async () => {
  const first = await addPage(site, '', { slug: 'first' })
  await admin!.done('DELETE', 'pages/first')
  await admin!.done('POST', 'site/children', { slug: 'second', content: { uuid: first } })
  const { id } = await entryOf(first)
  expect(await admin!.call('POST', `site/trash/${id}/restore`)).toMatchObject({ status: 409, key: 'error.trash.uuid' })
  await admin!.done('DELETE', 'pages/second')
  expect((await entries(admin, `uuid=page://${first}`)).map(({ path }) => path)).toEqual(['second', 'first'])
  await admin!.done('POST', `site/trash/${id}/restore`)
})

test('the trash requires the same permissions as elsewhere', async () => {
  const secret = await addPage(site, '', { slug: 'vault', template: 'secret' })
  const mixed = await addPage(site, '', { slug: 'mixed' })
  await addPage(site, mixed, { slug: 'inside', template: 'secret' })
  const fixed = await addPage(site, '', { slug: 'fixed', template: 'fixed' })
  const open = await addPage(site, '', { slug: 'open' })
  for (const slug of ['vault', 'mixed', 'fixed', 'open']) await admin!.done('DELETE', `pages/${slug}`, { force: true })
  for (const uuid of [secret, mixed, fixed]) {
    expect(await entryOf(uuid, editor)).toBeUndefined()
    const { id } = await entryOf(uuid)
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/restore'],
      ['DELETE', ''],
    ] as const)
      expect(await editor!.call(method, `site/trash/${id}${path}`)).toMatchObject({
        status: 404,
        key: 'error.trash.notFound',
      })
  }
  expect(await entryOf(open, editor)).toMatchObject({
    options: { restore: true, delete: true },
    user: { username: '' },
  })
  expect(await entryOf(open, reader)).toBeUndefined()
  const withoutDeleteScope = await createTokenClient(site, {
    role: 'editor',
    scopes: ['pages.create', 'pages.read', 'pages.access', 'pages.list'],
  })
  const entry = await entryOf(open, withoutDeleteScope)
  expect(entry.options).toEqual({ restore: true, delete: false })
  expect(await withoutDeleteScope.call('DELETE', `site/trash/${entry.id}`)).toMatchObject({
    status: 403,
    key: 'error.trash.delete.permission',
  })
  expect((await site.request({ url: '/api/site/trash' })).statusCode).toBe(401)
  // Only entries that the caller may delete are purged.
  expect((await editor!.done('DELETE', 'site/trash')).data.deleted).toBeGreaterThan(0)
  expect(await entryOf(open)).toBeUndefined()
  expect(await entryOf(secret)).toBeDefined()
})

test('a deleted account loses its credentials at once, and is disabled after a restore', async () => {
  const owner = await createSignedInUser(site, { totp: true, role: 'editor' })
  const theirs = await createUploader(owner)
  dataOf(await theirs.send(`users/${owner.id}/files`, [{ filename: 'me.png', bytes: await createImage() }]))
  await admin!.done('PATCH', `users/${owner.id}/name`, { name: 'Ada' })
  const { email } = (await admin!.done('GET', `users/${owner.id}`)).data as { email: string }
  const remover = await createSignedInUser(site, {})
  const removing = await createUploader(remover)
  expect((await removing.call('DELETE', `users/${owner.id}`)).statusCode).toBe(200)
  expect((await admin!.call('GET', `users/${owner.id}`)).status).toBe(404)
  const stored = await sql<{ data: string }>`select data from trash_rows where kind = 'users'`.execute(
    site.app.store.db,
  )
  expect(
    Object.keys(JSON.parse(stored.rows[0]!.data) as object).filter(name => /password|totp|status|epoch/.test(name)),
  ).toEqual([])
  const [entry] = await entries(admin, 'kind=user')
  expect(entry).toMatchObject({ title: 'Ada', path: email, files: 1, uuid: `user://${owner.id}` })
  expect(await entries(editor, 'kind=user')).toEqual([])
  await admin!.done('POST', 'users', { email, role: 'editor', password: 'a long enough password 1' })
  expect((await admin!.call('POST', `site/trash/${entry!.id}/restore`)).key).toBe('error.user.duplicate')
  const { data } = await admin!.done('POST', `site/trash/${entry!.id}/restore`, { email: 'ada@elsewhere.example' })
  expect(data).toMatchObject({ kind: 'user', id: owner.id, link: `/users/${owner.id}` })
  const { data: back } = await admin!.done('GET', `users/${owner.id}?select=email,name,role`)
  expect(back).toMatchObject({ email: 'ada@elsewhere.example', name: 'Ada' })
  const row = await site.app.store.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', owner.id)
    .executeTakeFirstOrThrow()
  expect(row).toMatchObject({ status: 'disabled', password_hash: null, totp_secret: null })
  expect((await admin!.done('GET', `users/${owner.id}/files`)).data).toHaveLength(1)
  expect(await faults()).toEqual([])
})

test('a schedule that was due in the trash is not carried out after a restore', async () => {
  const page = await addPage(site, '', { slug: 'planned' })
  await admin!.done('PATCH', 'pages/planned/schedule', {
    status: 'unlisted',
    at: new Date(Date.now() + 86_400_000).toISOString(),
  })
  await site.app.store.db.updateTable('schedules').set({ due_at: 5 }).where('page', '=', page).execute()
  await admin!.done('DELETE', 'pages/planned')
  await admin!.done('POST', `site/trash/${(await entryOf(page)).id}/restore`)
  const plan = await site.app.store.db
    .selectFrom('schedules')
    .select(['due_at', 'problem'])
    .where('page', '=', page)
    .execute()
  expect(plan).toEqual([{ due_at: 5, problem: 'page.schedule.trashed' }])
})

test('restoring adapts to languages that were deleted or made default meanwhile', async () => {
  const page = await addPage(site, '', {
    slug: 'spoken',
    title: 'Spoken',
    template: 'note',
    content: { text: 'Words' },
  })
  await createLanguage(operatorContext(site.app), { code: 'fr' })
  await admin!.done('PATCH', 'pages/spoken?language=fr', { text: 'Mots' })
  await admin!.done('DELETE', 'pages/spoken')
  await deleteLanguage(operatorContext(site.app), 'fr')
  await admin!.done('PATCH', 'languages/de', { default: true })
  await admin!.done('POST', `site/trash/${(await entryOf(page)).id}/restore`)
  expect((await admin!.done('GET', 'pages/spoken?language=de')).data.content).toMatchObject({ text: 'Words' })
  expect(await faults()).toEqual([])
  await admin!.done('PATCH', 'languages/en', { default: true })
})

test('concurrent restores, and a parent that is deleted meanwhile', async () => {
  const parent = await addPage(site, '', { slug: 'around' })
  const child = await addPage(site, parent, { slug: 'child', template: 'note' })
  for (let round = 0; round < 4; round++) {
    await admin!.done('DELETE', 'pages/around+child')
    const { id } = await entryOf(child)
    const twice = await Promise.all([1, 2].map(() => admin!.call('POST', `site/trash/${id}/restore`)))
    expect(twice.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 404])
    await admin!.done('DELETE', 'pages/around+child')
    const entry = await entryOf(child)
    const [restored, deleted] = await Promise.all([
      admin!.call('POST', `site/trash/${entry.id}/restore`),
      admin!.call('DELETE', 'pages/around', { force: true }),
    ])
    expect(deleted.status).toBe(200)
    expect([200, 409]).toContain(restored.status)
    await admin!.done('POST', `site/trash/${(await entryOf(parent)).id}/restore`)
    if (restored.status === 409) await admin!.done('POST', `site/trash/${entry.id}/restore`)
    expect((await admin!.done('GET', 'pages/around+child')).data.uuid).toBe(`page://${child}`)
  }
  expect(await faults()).toEqual([])
})

test('expired entries are deleted with their blobs', async () => {
  await addPage(site, '', { slug: 'old' })
  const bytes = await createImage('png', { color: '#00a' })
  dataOf(await uploader.send('pages/old/files', [{ filename: 'old.png', bytes }]))
  await admin!.done('DELETE', 'pages/old')
  const all = await rowsOf('trash')
  await sweepTrash(site.app)
  expect(await rowsOf('trash'), 'nothing is old enough').toEqual(all)
  await site.app.store.db.updateTable('trash').set({ deleted_at: 5 }).execute()
  await sweepTrash(site.app)
  for (const table of ['trash', 'trash_rows', 'trash_templates']) expect(await rowsOf(table)).toEqual([])
  expect(await faults()).toEqual([])
  await site.app.store.db.updateTable('blobs').set({ unused_since: 1 }).where('unused_since', 'is not', null).execute()
  await sweepBlobs(site.app)
  const used = await site.app.store.db.selectFrom('files').select('hash').distinct().execute()
  expect((await rowsOf('blobs')).length).toBe(used.length)
})

test('with trash.days = 0 nothing is kept', async () => {
  const otherSite = await createTestApp({ settings: { trash: { days: 0 } } })
  const who = await createTokenClient(otherSite)
  await addPage(otherSite, '', { slug: 'gone' })
  await who.done('DELETE', 'pages/gone')
  expect((await who.done('GET', 'site/trash')).data).toEqual([])
  await sweepTrash(otherSite.app)
  expect(await otherSite.app.store.db.selectFrom('trash_rows').selectAll().execute()).toEqual([])
})

test('every table with a column `owner`, `page` or `parent` is moved to the trash, or is an exception', async () => {
  const { keyColumns } = await import('../../../content/trash/queries.ts')
  const exceptions = new Set([
    // stay after their page, file or account is deleted
    'audit_events',
    'preview_revocations',
    'redirects',
    'release_items',
    'page_successors',
    // are rebuilt from the rows that are restored
    'links',
    'search_rows',
    'page_counts',
    // expires by itself
    'presence',
    // the trash itself
    'trash',
    'trash_rows',
    'trash_templates',
  ])
  const keyColumnsFound = (await allColumns()).filter(({ column }) => ['owner', 'page', 'parent'].includes(column))
  const missing = keyColumnsFound.filter(({ table }) => !(table in keyColumns) && !exceptions.has(table))
  expect(missing).toEqual([])
})

async function allColumns(): Promise<{ table: string; column: string }[]> {
  const { store } = site.app
  const query =
    store.name === 'postgres'
      ? sql<{ table: string; column: string }>`select table_name as "table", column_name as "column"
          from information_schema.columns where table_schema = current_schema()`
      : sql<{ table: string; column: string }>`select tables.name as "table", columns.name as "column"
          from sqlite_master as tables, pragma_table_info(tables.name) as columns where tables.type = 'table'`
  return (await query.execute(store.db)).rows
}
