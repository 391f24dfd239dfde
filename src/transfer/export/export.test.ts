import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createImage } from '../../../test/files.ts'
import { account, fields, filesIn, folderOf, hash, importFrom } from '../../../test/folders.ts'
import { addUser, createTestStorage, createTestApp, type TestApp, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { findFaults } from '../../cli/check/faults.ts'
import { exportSite, type ExportOptions } from './export.ts'
import { CannotExport, createReport, type ExportReport } from './report.ts'

async function exportTo({ app }: TestApp, folder: string, more: Partial<ExportOptions> = {}): Promise<ExportReport> {
  const report = createReport()
  await exportSite(app, { folder, report, ...more })
  return report
}

/** As an export leaves it. */
const contentOf = (folder: string) => {
  const { '.quoin-export.json': _, ...files } = filesIn(folder)
  return files
}

const editor = `title: Editor\n`

const single = async () => ({
  'content/site.txt': fields({ Title: 'The marsh', Tagline: 'Fog', Empty: '' }),
  'content/logo.png': await createImage(),
  'content/logo.png.txt': fields({ Alt: 'A lamp', Sort: '3', Template: 'image', Uuid: 'flogo' }),
  'content/1_notes/notes.txt': fields({ Title: 'Notes', 'Custom-note': 'kept', Uuid: 'unotes' }),
  'content/1_notes/20240105_frost/note.txt':
    'Title: Frost\n\n----\n\nText:\n\nOne\n\n\\----\n\nTwo\n\n----\n\nUuid: ufrost',
  'content/1_notes/20240105_frost/table.csv': 'a,b\n1,2\n',
  'content/1_notes/20240105_frost/table.csv.txt': fields({ Uuid: 'ftable' }),
  'content/1_notes/_drafts/letter/note.txt': fields({ Title: 'Letter', Uuid: 'uletter' }),
  'content/1_notes/_drafts/letter/photo.png': await createImage('png', { width: 21 }),
  'content/1_notes/_drafts/letter/photo.png.txt': fields({ Uuid: 'fphoto' }),
  'content/1_notes/_drafts/letter/0_below/note.txt': fields({ Title: 'Below', Uuid: 'ubelow' }),
  'content/1_notes-and-more/notes.txt': fields({ Title: 'Sorted between', Uuid: 'umore' }),
  'content/about/plain.txt': fields({ Title: 'About', Uuid: 'uabout' }),
  'content/_drafts/plan/plain.txt': fields({ Uuid: 'uplan' }),
  'site/blueprints/users/editor.yml': editor,
  'site/accounts/adm1ada0/index.php': account(),
  'site/accounts/adm1ada0/.htpasswd': `${hash}\n{"totp":"JBSWY3DPEHPK3PXP"}`,
  'site/accounts/adm1ada0/user.txt': fields({ Bio: 'Winds the clock.' }),
  'site/accounts/adm1ada0/profile.png': await createImage('png', { width: 20 }),
  'site/accounts/adm1ada0/profile.png.txt': fields({ Template: 'avatar', Uuid: 'favatar' }),
  'site/accounts/edt2bo00/index.php': account({ email: 'bo@example.org', name: `Bo O'Hara`, role: 'editor' }).replace(
    `O'H`,
    String.raw`O\'H`,
  ),
  'site/accounts/edt2bo00/user.txt': '',
})

const multi = () => ({
  'site/languages/de.php': `<?php\n\nreturn [\n    'code' => 'de',\n    'default' => false,\n    'direction' => 'ltr',\n    'locale' => ['LC_ALL' => 'de_DE'],\n    'name' => 'Deutsch',\n    'slugs' => ['&' => 'und'],\n    'translations' => ['greeting' => 'Guten Morgen'],\n    'url' => '/deutsch',\n];`,
  'site/languages/en.php': `<?php\n\nreturn [\n    'code' => 'en',\n    'default' => true,\n    'direction' => 'ltr',\n    'locale' => ['LC_ALL' => 'en'],\n    'name' => 'English',\n    'url' => null,\n];`,
  'content/site.en.txt': 'Title: The marsh',
  'content/site.de.txt': 'Title: Die Marsch',
  'content/1_notes/notes.en.txt': fields({ Title: 'Notes', Text: 'English', Uuid: 'unotes' }),
  'content/1_notes/notes.de.txt': fields({ Title: 'Notizen', Slug: 'notizen' }),
  'content/1_notes/table.csv': 'a\n',
  'content/1_notes/table.csv.en.txt': fields({ Caption: 'Figures', Uuid: 'ftable' }),
  'content/1_notes/table.csv.de.txt': fields({ Caption: 'Zahlen' }),
  'content/about/plain.en.txt': fields({ Title: 'About', Uuid: 'uabout' }),
  'site/blueprints/users/editor.yml': editor,
  'site/accounts/adm1ada0/index.php': account(),
  'site/accounts/adm1ada0/user.de.txt': fields({ Bio: 'Zieht die Uhr auf.' }),
  'site/accounts/adm1ada0/user.en.txt': '',
})

async function emptySite(): Promise<TestApp> {
  const site = await createTestApp()
  writeBlueprints(site.app.config.folder, { 'users/editor.yml': editor })
  return site
}

/** All that a folder can say of a site, as it is stored. */
async function stateOf({ app }: TestApp) {
  const { db } = app.store
  const contents = await db.selectFrom('contents').select(['owner', 'language', 'data']).execute()
  return {
    pages: await db
      .selectFrom('pages')
      .select(['uuid', 'parent', 'path', 'slug', 'status', 'num', 'template', 'modified_at'])
      .orderBy('uuid')
      .execute(),
    slugs: await db.selectFrom('page_slugs').selectAll().orderBy('page').execute(),
    files: await db
      .selectFrom('files')
      .select(['uuid', 'parent', 'filename', 'type', 'mime', 'template', 'sort', 'size', 'hash', 'width', 'height'])
      .select('modified_at')
      .orderBy('uuid')
      .execute(),
    languages: await db.selectFrom('languages').selectAll().orderBy('code').execute(),
    users: await db
      .selectFrom('users')
      .select(['id', 'email', 'name', 'role', 'language', 'status', 'password_hash', 'bcrypt_cost'])
      .orderBy('id')
      .execute(),
    contents: Object.fromEntries(
      contents
        .filter(({ data }) => data !== '{}')
        .map(({ owner, language, data }) => [`${owner} ${language}`, JSON.parse(data) as object]),
    ),
  }
}

test.each([
  ['one language', single],
  ['several languages', async () => multi()],
])('an import is exported byte by byte: %s', async (_, files) => {
  const site = await emptySite()
  const folder = folderOf(await files())
  expect((await importFrom(site, folder)).skipped).toEqual([])
  const out = join(folderOf({}), 'new', 'out')
  const report = await exportTo(site, out)
  expect({ skipped: report.skipped, notes: report.notes }).toEqual({ skipped: [], notes: [] })
  expect(contentOf(out)).toEqual(filesIn(folder))
  for (const name of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
    const isSecret = /^site\/accounts|_drafts/.test(name)
    const stat = statSync(join(out, name))
    const mode = (stat.isDirectory() ? 0o777 : 0o666) & (isSecret ? 0o700 : ~process.umask())
    expect([name, (stat.mode & 0o777).toString(8)]).toEqual([name, mode.toString(8)])
  }

  const other = await emptySite()
  expect((await importFrom(other, out)).skipped).toEqual([])
  expect(await stateOf(other)).toEqual(await stateOf(site))
  expect((await findFaults(other.app, { thorough: true, progress: () => {} })).faults).toEqual([])
})

test('a site is exported and imported unchanged, with passwords if the secrets are the same', async () => {
  const site = await createTestApp()
  const admin = await createTokenClient(site)
  await addUser(site, { email: 'cy@example.org', role: 'editor', totp: true })
  await admin.done('POST', 'languages', { code: 'en', name: 'English' })
  await admin.done('POST', 'languages', { code: 'de', name: 'Deutsch' })
  await addPage(site, '', { slug: 'one', template: 'default', content: { title: 'One' }, status: 'listed' })
  await addPage(site, '', { slug: 'two', template: 'default', content: { title: 'Two' }, status: 'unlisted' })
  const odd = { text: 'a\n----\nb\n\\----', rest: [{ a: 1 }], größe_2: 'x', long: '-'.repeat(9) }
  await admin.done('PATCH', 'pages/one', odd)
  await admin.done('PATCH', 'pages/one', { text: 'Deutsch' }, { 'x-language': 'de' })
  await admin.done('PATCH', 'pages/one/slug', { slug: 'eins' }, { 'x-language': 'de' })
  await admin.done('POST', 'pages/one/children', { slug: 'below', template: 'default', content: { title: 'Below' } })
  await admin.done('PATCH', 'site', { tagline: 'Fog' })
  const out = folderOf({})
  await exportTo(site, out)

  const storage = await createTestStorage()
  await cp(join(site.storage.data, 'secrets.json'), join(storage.data, 'secrets.json'))
  const otherSite = await createTestApp({ storage })
  const report = await importFrom(otherSite, out)
  expect({ skipped: report.skipped, notes: report.notes }).toEqual({ skipped: [], notes: [] })
  const [before, after] = [await stateOf(site), await stateOf(otherSite)]
  // An account without a password is invited by the site that imports the folder.
  expect(after).toEqual({
    ...before,
    users: before.users.map(user => (user.password_hash === null ? { ...user, status: 'invited' } : user)),
  })
  expect(readFileSync(join(out, 'content/1_one/_drafts/below/default.en.txt'), 'utf8')).toMatch(/^Title: Below\n/)

  const anonymous = await createTestApp()
  const { notes } = await importFrom(anonymous, out)
  expect(notes.map(({ reason }) => reason)).toEqual([expect.stringContaining('cannot be used here')])
})

test('the export is a consistent snapshot despite concurrent writes', async () => {
  const site = await createTestApp()
  const uuid = await addPage(site, '', { slug: 'one', template: 'default', content: { title: 'Before' } })
  const out = folderOf({})
  let written: Promise<unknown> | undefined
  await exportTo(site, out, {
    begin: () => {
      const data = JSON.stringify({ title: 'After' })
      const change = site.app.store.write(tx =>
        tx.updateTable('contents').set({ data }).where('owner', '=', `page://${uuid}`).execute(),
      )
      written = change.then(() => addPage(site, '', { slug: 'two', template: 'default', content: {} }))
    },
  })
  await written
  expect(Object.keys(contentOf(out))).toEqual([
    'content/_drafts/one/default.txt',
    'content/site.txt',
    'site/blueprints/users/editor.yml',
  ])
  expect(contentOf(out)['content/_drafts/one/default.txt']).toContain('Before')
})

test('an export replaces an earlier one, and nothing else', async () => {
  const site = await createTestApp()
  await addPage(site, '', { slug: 'one', template: 'default', content: { title: 'One' } })
  const out = folderOf({ '.gitignore': 'x' })
  await exportTo(site, out)
  const first = contentOf(out)
  // an export that was stopped while it renamed the folder
  mkdirSync(join(out, '.quoin-export/old/site'), { recursive: true })
  mkdirSync(join(out, 'mine'))
  await addPage(site, '', { slug: 'two', template: 'default', content: { title: 'Two' } })
  await exportTo(site, out)
  expect(Object.keys(contentOf(out))).toEqual([...Object.keys(first), 'content/_drafts/two/default.txt'].toSorted())
  expect(existsSync(join(out, '.quoin-export'))).toBe(false)
  expect(existsSync(join(out, 'mine'))).toBe(true)

  const foreign = folderOf({ 'content/site.txt': 'Title: Mine', 'site/templates/a.php': '<?php' })
  const untouched = filesIn(foreign)
  await expect(exportTo(site, foreign)).rejects.toThrow(CannotExport)
  expect(filesIn(foreign)).toEqual(untouched)
  await exportTo(site, foreign, { force: true })
  expect(contentOf(foreign)).toMatchObject({ 'content/site.txt': '', 'site/templates/a.php': '<?php' })
})

function progress(): never {
  throw new Error('stopped')
}

test('a failed export leaves the folder unchanged', async () => {
  const site = await createTestApp()
  await addPage(site, '', { slug: 'one', template: 'default', content: { title: 'One' } })
  const out = folderOf({})
  await exportTo(site, out)
  const before = filesIn(out)
  await expect(exportTo(site, out, { progress })).rejects.toThrow('stopped')
  expect(filesIn(out)).toEqual(before)
})

test('nothing is written outside the folder, whatever is stored', async () => {
  const site = await createTestApp()
  const { app } = site
  const uuid = await addPage(site, '', { slug: 'one', template: 'default', content: { title: 'One' } })
  const below = await addPage(site, uuid, { slug: 'two', template: 'default', content: { title: 'Two' } })
  const page = (id: string, change: object) => app.store.db.updateTable('pages').set(change).where('uuid', '=', id)
  await page(uuid, { slug: '..', status: 'unlisted' }).execute()
  await page(below, { template: '../../../evil' }).execute()
  const around = folderOf({})
  const report = await exportTo(site, join(around, 'out'))
  expect(report.skipped.map(({ reason }) => reason)).toEqual(Array(2).fill('no file can have this name'))
  expect(Object.keys(filesIn(around))).toEqual([
    'out/.quoin-export.json',
    'out/content/site.txt',
    'out/site/blueprints/users/editor.yml',
  ])

  const linked = folderOf({})
  symlinkSync(around, join(linked, 'site'))
  await expect(exportTo(site, linked, { force: true })).rejects.toThrow(CannotExport)
  expect(Object.keys(filesIn(around))).toHaveLength(3)
})

test('data that such a folder cannot contain is reported', async () => {
  const site = await createTestApp()
  const { id } = await addUser(site, { status: 'disabled' })
  const uuid = await addPage(site, '', { slug: 'one', template: 'default', content: { title: 'One' } })
  const change = { owner: `page://${uuid}`, language: '', data: '{}', user_id: null, modified_at: 1 }
  await site.app.store.db.insertInto('changes').values(change).execute()
  const out = folderOf({})
  const { notes } = await exportTo(site, out)
  expect(notes.map(({ file }) => file)).toEqual([`site/accounts/${id}`, 'content'])
  expect(existsSync(join(out, `site/accounts/${id}/.htpasswd`))).toBe(false)
})
