import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { gpsLatitudeBytes, imageWithGps, createImage } from '../../../test/files.ts'
import { account, fields, filesIn, folderOf, hash, importFrom, write } from '../../../test/folders.ts'
import { createTestStorage, createTestApp, type TestApp, writeBlueprints } from '../../../test/harness.ts'
import { createTokenClient } from '../../../test/pages.ts'
import { revisionIn } from '../../../test/revision.ts'
import { findFaults } from '../../cli/check/faults.ts'
import { copyBlueprints } from './blueprints.ts'
import { CannotImport, type ImportReport } from './report.ts'
import { openSource } from './source.ts'

const single = async () => ({
  'content/site.txt': fields({ Title: 'The marsh', Tagline: 'Fog' }),
  'content/logo.png': await createImage(),
  'content/logo.png.txt': fields({ Alt: 'A lamp', Sort: '3', Template: 'image', Uuid: 'flogo' }),
  'content/1_notes/notes.txt': fields({ Title: 'Notes', 'Custom-note': 'kept', Uuid: 'unotes' }),
  'content/1_notes/20240105_frost/note.txt': fields({ Title: 'Frost', Uuid: 'ufrost' }),
  'content/1_notes/20240105_frost/table.csv': 'a,b\n1,2\n',
  'content/1_notes/_drafts/letter/note.txt': fields({ Title: 'Letter' }),
  'content/1_notes/_drafts/.DS_Store': '',
  'content/about/plain.txt': fields({ Title: 'About', Uuid: 'uabout' }),
  'content/about/empty/table.csv': 'a,b\n1,2\n',
  'site/accounts/adm1ada0/index.php': account(),
  'site/accounts/adm1ada0/.htpasswd': hash,
  'site/accounts/adm1ada0/user.txt': fields({ Bio: 'Winds the clock.' }),
  'site/accounts/adm1ada0/profile.png': await createImage('png', { width: 20 }),
  'site/accounts/adm1ada0/profile.png.txt': fields({ Template: 'avatar', Uuid: 'favatar' }),
  'site/accounts/edt2bo00/index.php': account({ email: 'bo@example.org', role: 'editor', language: 'de' }),
  'site/templates/note.php': '<?php echo "not data";',
})

const total = ({ counts }: ImportReport, what: 'imported' | 'updated' | 'unchanged') =>
  Object.fromEntries(
    Object.entries(counts)
      .filter(([, count]) => count[what] > 0)
      .map(([kind, count]) => [kind, count[what]]),
  )

async function mustBeSound({ app }: TestApp): Promise<void> {
  expect((await findFaults(app, { thorough: true, progress: () => {} })).faults).toEqual([])
}

const unusual = async () => {
  const avif = await createImage('avif')
  avif.write('mif1', 8, 'latin1')
  return {
    'content/logo.png': await createImage('jpeg'),
    'content/photo.jpg': await imageWithGps('jpeg'),
    'content/large.jpg': Buffer.concat([await imageWithGps('jpeg'), Buffer.alloc(600 * 1024)]),
    'content/plain.svg': '<svg viewBox="0 0 9 9"><path d="M0 0"/></svg>',
    'content/drawn.svg': '<?xml version="1.0"?><!-- Program --><!DOCTYPE svg><svg xmlns="http://www.w3.org/2000/svg"/>',
    'content/family.avif': avif,
    'content/wrong.png': 'text',
  }
}

/** Files are looked at several at a time: their notes come in any order. */
const sorted = (report: ImportReport) => ({
  ...report,
  notes: report.notes.toSorted((a, b) => (a.file < b.file ? -1 : 1)),
})

test('images of cameras and programs are imported with a note; refusals have correct reasons', async () => {
  const site = await createTestApp()
  const folder = folderOf(await unusual())
  const dry = await importFrom(site, folder, { dryRun: true })
  const report = await importFrom(site, folder)
  expect(sorted(report)).toEqual(sorted(dry))
  expect(report.skipped).toEqual([{ file: 'content/wrong.png', reason: expect.stringContaining('wrong.png') }])
  expect(sorted(report).notes).toEqual([
    { file: 'content/drawn.svg', reason: 'what browsers do not need was removed from this SVG' },
    { file: 'content/logo.png', reason: 'this is image/jpeg, whatever its name says; it keeps its name' },
    { file: 'content/plain.svg', reason: 'what browsers do not need was removed from this SVG' },
  ])
  const rows = await site.app.store.db.selectFrom('files').select(['filename', 'mime', 'hash', 'width']).execute()
  const byName = new Map(rows.map(row => [row.filename, row]))
  expect(byName.get('logo.png')).toMatchObject({ mime: 'image/jpeg', width: 30 })
  expect(byName.get('family.avif')).toMatchObject({ mime: 'image/avif' })
  for (const name of ['photo.jpg', 'large.jpg']) {
    const bytes = await buffer((await site.app.media.open(byName.get(name)!.hash))!)
    expect([name, bytes.includes(gpsLatitudeBytes), bytes.includes('somebody')]).toEqual([name, false, true])
  }
  await mustBeSound(site)

  const again = await importFrom(site, folder)
  expect(total(again, 'unchanged')).toMatchObject({ files: 6 })
  expect(total(again, 'updated')).toEqual({})
  for (const { hash: one } of rows) await site.app.media.remove(one)
  expect(total(await importFrom(site, folder), 'unchanged')).toMatchObject({ files: 6 })
  await mustBeSound(site) // the bytes are there again
})

// ---- references

test('references by id become uuids, and survive a rename; a second import changes nothing', async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'pages/note.yml': `
fields:
  related: { type: pages }
  single: { type: pages }
  people: { type: users }
  pictures: { type: files }
  byid: { type: pages, store: id }
  one: { type: pages, store: id }
  rows: { type: structure, fields: { see: { type: pages }, text: { type: text } } }`,
    'site.yml': 'fields: { start: { type: pages } }',
  })
  const site = await createTestApp({ storage })
  const folder = folderOf({
    'content/site.txt': fields({ Title: 'The marsh', Start: '- notes/later' }),
    'content/1_first/note.txt': fields({
      Title: 'First',
      Uuid: 'ufirst',
      Related: '- notes/later\n- page://ugone\n- nowhere',
      Single: 'notes/later',
      People: '- ada@example.org',
      Pictures: '- own.png\n- notes/later/there.png\n- logo.png',
      Byid: '- notes/later',
      One: 'notes/later',
      Rows: '- \n  see:\n    - notes/later\n  text: x\n- \n  see: notes/later\n  text: y',
    }),
    'content/1_first/own.png': await createImage(),
    'content/logo.png': await createImage('png', { width: 8 }),
    'content/2_notes/default.txt': fields({ Title: 'Notes' }),
    'content/2_notes/1_later/note.txt': fields({ Title: 'Later', Uuid: 'ulater' }),
    'content/2_notes/1_later/there.png': await createImage('png', { width: 9 }),
    'site/accounts/adm1ada0/index.php': account(),
    'site/accounts/adm1ada0/.htpasswd': hash,
  })
  await importFrom(site, folder)
  const data = async () => JSON.stringify(await site.app.store.db.selectFrom('contents').select('data').execute())
  const stored = async (): Promise<Record<string, string>> => {
    const rows = site.app.store.db.selectFrom('contents').select('data').where('owner', '=', 'page://ufirst')
    return JSON.parse((await rows.executeTakeFirstOrThrow()).data)
  }
  expect(JSON.parse((await stored())['related']!)).toEqual(['page://ulater', 'page://ugone', 'nowhere'])
  expect(JSON.parse((await stored())['single']!)).toEqual(['page://ulater'])
  expect(JSON.parse((await stored())['people']!)).toEqual(['user://adm1ada0'])
  expect(JSON.parse((await stored())['pictures']!)).toEqual(Array(3).fill(expect.stringMatching(/^file:\/\//)))
  expect(JSON.parse((await stored())['byid']!)).toEqual(['notes/later'])
  expect(JSON.parse((await stored())['rows']!)).toEqual([{ see: ['page://ulater'], text: 'x' }, { see: ['page://ulater'], text: 'y' }]) // prettier-ignore
  await mustBeSound(site)
  const before = await data()
  expect(total(await importFrom(site, folder), 'updated')).toEqual({})
  expect(await data()).toBe(before)

  const admin = await createTokenClient(site)
  await admin.done('PATCH', 'pages/notes+later/slug', { slug: 'renamed' })
  await admin.done('PATCH', 'pages/notes+renamed/files/there.png/name', { name: 'elsewhere' })
  const { content } = (await admin.done('GET', 'pages/first')).data
  const ids = (name: string) => content[name].map(({ id }: { id: string }) => id)
  for (const name of ['related', 'single', 'byid', 'one']) expect([name, ids(name)]).toEqual([name, ['notes/renamed']])
  expect(ids('pictures')).toEqual(['own.png', 'notes/renamed/elsewhere.png', 'logo.png'])
  expect(ids('people')).toEqual(['adm1ada0'])
  expect((await admin.done('GET', 'site')).data.content.start).toMatchObject([{ id: 'notes/renamed' }])
  await mustBeSound(site)
})

// ---- a site in one language

test('a folder becomes a site: pages, drafts, numbers, files, accounts with passwords', async () => {
  const site = await createTestApp()
  const folder = folderOf(await single())
  const report = await importFrom(site, folder)
  expect(report.skipped).toEqual([{ file: 'site/templates', reason: 'programs and settings are not imported' }])
  expect(report.notes).toEqual([])
  expect(total(report, 'imported')).toEqual({ users: 2, pages: 5, files: 4 })
  expect(total(report, 'updated')).toEqual({ site: 1 })
  await mustBeSound(site)

  const admin = await createTokenClient(site)
  expect((await admin.done('GET', 'site')).data.content).toMatchObject({ title: 'The marsh', tagline: 'Fog' })
  expect((await admin.done('GET', 'pages/notes+frost')).data).toMatchObject({
    status: 'listed',
    num: 20_240_105,
    template: 'note',
    uuid: 'page://ufrost',
    parent: { id: 'notes', uuid: 'page://unotes' },
  })
  expect((await admin.done('GET', 'pages/notes')).data.content).toEqual({
    title: 'Notes',
    custom_note: 'kept',
    uuid: 'unotes',
  })
  expect((await admin.done('GET', 'pages/notes+letter')).data).toMatchObject({ status: 'draft', title: 'Letter' })
  expect((await admin.done('GET', 'pages/about+empty')).data).toMatchObject({ status: 'unlisted', template: 'default' })
  expect((await admin.done('GET', 'site/files/logo.png')).data).toMatchObject({
    uuid: 'file://flogo',
    template: 'image',
    dimensions: { width: 30, height: 30 },
    content: { alt: 'A lamp', sort: '3', uuid: 'flogo' },
  })
  expect((await admin.done('GET', 'pages/notes+frost/files/table.csv')).data).toMatchObject({
    mime: 'text/csv',
    size: 8,
  })
  expect((await admin.done('GET', 'site/search?q=frost')).data).toMatchObject([{ id: 'notes/frost' }])
  expect((await admin.done('GET', 'users/adm1ada0')).data).toMatchObject({
    email: 'ada@example.org',
    name: 'Ada',
    content: { bio: 'Winds the clock.' },
    avatar: { filename: 'profile-512x-crop.png' },
  })
  expect((await admin.done('GET', 'pages/about/history')).data).toMatchObject([{ action: 'import', user: null }])

  const browser = site.browser()
  await browser.client.auth.login({ email: 'ada@example.org', password: 'lantern oil 88' })
  expect(browser.last.statusCode).toBe(200)
})

test('sending back the content of an imported page changes nothing', async () => {
  const site = await createTestApp()
  await importFrom(site, folderOf(await single()))
  const admin = await createTokenClient(site)
  const { content } = (await admin.call('GET', 'pages/notes')).data as { content: object }
  expect((await admin.call('PATCH', 'pages/notes', content)).status).toBe(200)
  expect((await admin.call('PATCH', 'pages/notes', { uuid: 'another' })).status).toBe(400)
})

test('importing again changes nothing; changes in the folder are imported', async () => {
  const site = await createTestApp()
  const folder = folderOf(await single())
  await importFrom(site, folder)
  const again = await importFrom(site, folder)
  expect(total(again, 'imported')).toEqual({})
  expect(total(again, 'updated')).toEqual({})
  expect(total(again, 'unchanged')).toEqual({ users: 2, site: 1, pages: 5, files: 4 })
  const admin = await createTokenClient(site)
  expect(revisionIn((await admin.done('GET', 'pages/about')).headers)).toBe(1)

  write(folder, {
    'content/about/plain.txt': fields({ Title: 'About us', Uuid: 'uabout' }),
    'content/logo.png': await createImage('png', { color: '#00c' }),
    'content/1_notes/20240105_frost/table.csv.txt': fields({ Caption: 'Cold' }),
    'content/1_notes/2_new/note.txt': fields({ Title: 'New' }),
  })
  const third = await importFrom(site, folder)
  expect(total(third, 'imported')).toEqual({ pages: 1 })
  expect(total(third, 'updated')).toEqual({ pages: 1, files: 2 })
  expect((await admin.done('GET', 'pages/about')).data.title).toBe('About us')
  expect(revisionIn((await admin.done('GET', 'pages/about')).headers)).toBe(2)
  expect((await admin.done('GET', 'site/search?q=us')).data).toMatchObject([{ id: 'about' }])
  await mustBeSound(site)
})

test('a dry run reports the same and writes nothing', async () => {
  const site = await createTestApp()
  const folder = folderOf(await single())
  const dry = await importFrom(site, folder, { dryRun: true })
  const admin = await createTokenClient(site)
  expect((await admin.call('GET', 'pages/notes')).status).toBe(404)
  expect((await admin.call('GET', 'users/adm1ada0')).status).toBe(404)
  expect(await importFrom(site, folder)).toEqual(dry)
})

test('an interrupted import is completed by the next one', async () => {
  const site = await createTestApp()
  const folder = folderOf({
    'content/site.txt': 'Title: Many',
    ...Object.fromEntries(
      Array.from({ length: 600 }, (_, number) => [
        `content/${number}_page-${number}/note.txt`,
        `Title: Page ${number}`,
      ]),
    ),
  })
  const stopped = importFrom(site, folder, {
    progress: () => {
      throw new Error('stopped')
    },
  })
  await expect(stopped).rejects.toThrow('stopped')
  const report = await importFrom(site, folder)
  expect(report.counts.pages).toEqual({ imported: 100, updated: 0, unchanged: 500 })
  const admin = await createTokenClient(site)
  expect((await admin.done('GET', 'site/children?limit=1')).pagination.total).toBe(600)
  await mustBeSound(site)
})

// ---- several languages

const language = (code: string, more: string) => `<?php\n\nreturn [\n  'code' => '${code}',\n  ${more}\n];`

const multi = () => ({
  'site/languages/de.php': language('de', `'name' => 'Deutsch', 'url' => '/deutsch', 'locale' => [LC_ALL => 'de_DE']`),
  'site/languages/en.php': language('en', `'name' => 'English', 'default' => true, 'url' => null`),
  'content/site.en.txt': 'Title: The marsh',
  'content/site.de.txt': 'Title: Die Marsch',
  'content/1_notes/notes.en.txt': fields({ Title: 'Notes', Text: 'English', Uuid: 'unotes' }),
  'content/1_notes/notes.de.txt': fields({ Title: 'Notizen', Slug: 'notizen' }),
  'content/1_notes/table.csv': 'a\n',
  'content/1_notes/table.csv.en.txt': fields({ Caption: 'Figures', Uuid: 'ftable' }),
  'content/1_notes/table.csv.de.txt': fields({ Caption: 'Zahlen' }),
  'content/1_notes/notes.txt': 'Title: of no language',
})

test('contents of several languages, their slugs, and untranslated fields are imported', async () => {
  const site = await createTestApp()
  const folder = folderOf(multi())
  const report = await importFrom(site, folder)
  expect(total(report, 'imported')).toEqual({ languages: 2, pages: 1, files: 1 })
  expect(report.skipped).toEqual([
    { file: 'content/1_notes/notes.txt', reason: 'there is no language of this site in its name' },
  ])
  await mustBeSound(site)
  const admin = await createTokenClient(site)
  const german = { 'x-language': 'de' }
  expect((await admin.done('GET', 'site', undefined, german)).data).toMatchObject({ title: 'Die Marsch' })
  expect((await admin.done('GET', 'pages/notizen', undefined, german)).data).toMatchObject({
    id: 'notes',
    slug: 'notizen',
    url: expect.stringMatching(/\/deutsch\/notizen$/) as string,
    content: { title: 'Notizen', text: 'English', uuid: 'unotes' },
  })
  expect((await admin.done('GET', 'pages/notes')).data).toMatchObject({ title: 'Notes', slug: 'notes' })
  expect((await admin.done('GET', 'pages/notes/files/table.csv', undefined, german)).data.content).toMatchObject({
    caption: 'Zahlen',
  })
  const again = await importFrom(site, folder)
  expect(total(again, 'unchanged')).toEqual({ languages: 2, site: 1, pages: 1, files: 1 })
  expect({ ...total(again, 'imported'), ...total(again, 'updated') }).toEqual({})
})

test('a folder with another default language than the site is refused', async () => {
  const site = await createTestApp()
  await importFrom(site, folderOf(multi()))
  const other = folderOf({ 'site/languages/fr.php': language('fr', `'default' => true`), 'content/site.fr.txt': '' })
  await expect(importFrom(site, other)).rejects.toThrow(CannotImport)
  const code = folderOf({ ...multi(), 'site/languages/en.php': '<?php return getLanguage();' })
  await expect(importFrom(site, code)).rejects.toThrow(CannotImport)
})

// ---- unusual and hostile folders

test('pages with a duplicate uuid or name or an invalid name are reported', async () => {
  const site = await createTestApp()
  const folder = folderOf({
    'content/1_one/note.txt': fields({ Title: 'One', Uuid: 'usame' }),
    'content/2_copy/note.txt': fields({ Title: 'Copy', Uuid: 'usame' }),
    'content/3_one/note.txt': 'Title: The same name',
    'content/4_Größe & Maß/note.txt': 'Title: Letters',
    'content/api/note.txt': 'Title: Reserved',
    'content/api/below/note.txt': 'Title: Below it',
    'content/!!!/note.txt': 'Title: No letter',
    'content/_hidden/note.txt': 'Title: Hidden',
  })
  const report = await importFrom(site, folder)
  expect(total(report, 'imported')).toEqual({ pages: 3 })
  expect(report.notes.map(({ file }) => file)).toEqual(['content/4_Größe & Maß', 'content/2_copy'])
  expect(report.skipped.map(({ file }) => file).toSorted()).toEqual([
    'content/!!!',
    'content/3_one',
    'content/_hidden',
    'content/api',
    'content/api/below',
  ])
  const again = await importFrom(site, folder)
  expect(again.counts.pages).toEqual({ imported: 0, updated: 0, unchanged: 3 })
  await mustBeSound(site)
})

test('a hostile folder: nothing outside is read, nothing is run, everything is reported', async () => {
  const site = await createTestApp()
  const outside = folderOf({
    'secret.txt': 'Title: Secret',
    'note.txt': 'Title: Secret',
    'secret.png': await createImage(),
  })
  const folder = folderOf({
    'content/1_good/note.txt': 'Title: Good',
    'content/2_broken/note.txt': Buffer.from([0x54, 0x3a, 0xff, 0xfe]),
    'content/3_binary/note.txt': 'Title: a\0b',
    'content/4_bomb/note.txt': `Title: Bomb\n\n----\n\nList:\n\na: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
      .split('')
      .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(',')}]`)
      .join('\n')}`,
    'content/5_files/note.txt': 'Title: Files',
    'content/5_files/run.sh': '#!/bin/sh\nrm -rf /',
    'content/5_files/page.png': '<html><script>alert(1)</script></html>',
    'content/5_files/bad.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    'content/5_files/index.html': '<p>',
    'content/5_files/run.php': '<?php',
    'site/accounts/evil0000/index.php': `<?php file_put_contents('/tmp/x', 'x'); return ['email' => 'e@example.org'];`,
    'site/accounts/evil0001/index.php': account({ email: 'no address' }),
    'site/accounts/dear0000/index.php': account({ email: 'dear@example.org', role: 'unheard' }),
    'site/accounts/dear0000/.htpasswd': hash.replace('$04$', '$31$'),
  })
  symlinkSync(join(outside, 'secret.png'), join(folder, 'content/5_files/link.png'))
  symlinkSync(outside, join(folder, 'content/6_link'))
  mkdirSync(join(folder, 'content/7_text'))
  symlinkSync(join(outside, 'note.txt'), join(folder, 'content/7_text/note.txt'))
  write(folder, { 'content/8_large/note.txt': '' })
  truncateSync(join(folder, 'content/8_large/note.txt'), 2 ** 30)
  execFileSync('mkfifo', [join(folder, 'content/5_files/pipe.png')])
  const report = await importFrom(site, folder)
  const skipped = Object.fromEntries(report.skipped.map(({ file, reason }) => [file, reason]))
  expect(Object.keys(skipped).toSorted()).toEqual([
    'content/2_broken/note.txt',
    'content/3_binary/note.txt',
    'content/5_files/bad.svg',
    'content/5_files/index.html',
    'content/5_files/link.png',
    'content/5_files/page.png',
    'content/5_files/pipe.png',
    'content/5_files/run.php',
    'content/5_files/run.sh',
    'content/6_link',
    'content/7_text/note.txt',
    'content/8_large/note.txt',
    'site/accounts/evil0000/index.php',
    'site/accounts/evil0001',
  ])
  expect(skipped['site/accounts/evil0000/index.php']).toMatch(/^PHP is not run here/)
  expect(report.notes.map(({ file }) => file)).toEqual(['site/accounts/dear0000/.htpasswd', 'site/accounts/dear0000'])
  const admin = await createTokenClient(site)
  expect((await admin.done('GET', 'pages/bomb')).status).toBe(200)
  expect((await admin.done('GET', 'site/search?q=secret')).data).toEqual([])
  expect(JSON.stringify((await admin.done('GET', 'users')).data)).not.toMatch(/\bevil/)
  await mustBeSound(site)
})

test('a hostile folder: parent paths, links and huge settings files are refused', async () => {
  const site = await createTestApp()
  const outside = folderOf({
    'index.php': account({ email: 'out@example.org' }),
    '.htpasswd': hash,
    'site.yml': 'x: 1',
  })
  const folder = folderOf({
    'content/site.en.txt': 'Title: Good',
    'content/1_..\\..\\evil/note.en.txt': 'Title: Backwards',
    'content/..evil/note.en.txt': 'Title: Dots',
    'content/..evil.png': await createImage(),
    'content/good/note.en.txt': fields({ Title: 'Good', Uuid: '../../evil' }),
    'content/good/a.csv': 'a\n',
    'content/good/a.csv.en.txt': fields({ Template: '../../evil', Uuid: '../evil' }),
    'site/languages/en.php': language('en', `'default' => true`),
    'site/languages/evil.php': language('../../evil', `'name' => 'Evil'`),
    'site/accounts/..evil/index.php': account(),
    'site/accounts/link0000/user.en.txt': '',
    'site/accounts/hash0000/index.php': account({ email: 'hash@example.org' }),
    'site/accounts/huge0000/index.php': '',
    'site/blueprints/huge.yml': '',
    'site/blueprints/..evil.yml': 'a: 1',
    'site/blueprints/bomb.yml': `a: &a [x,x]\nb: &b [*a,*a]\n`,
  })
  symlinkSync(join(outside, 'index.php'), join(folder, 'site/accounts/link0000/index.php'))
  symlinkSync(join(outside, '.htpasswd'), join(folder, 'site/accounts/hash0000/.htpasswd'))
  symlinkSync(join(outside, 'site.yml'), join(folder, 'site/blueprints/site.yml'))
  for (const name of ['site/accounts/huge0000/index.php', 'site/blueprints/huge.yml'])
    truncateSync(join(folder, name), 2 ** 30)

  const report = await importFrom(site, folder)
  expect(report.skipped.map(({ file }) => file).toSorted()).toEqual([
    'content/..evil',
    'content/..evil.png',
    'site/accounts/..evil',
    'site/accounts/hash0000/.htpasswd',
    'site/accounts/hash0000/.htpasswd',
    'site/accounts/huge0000/index.php',
    'site/accounts/link0000/index.php',
    'site/accounts/link0000/index.php',
  ])
  const copied = folderOf({})
  const source = openSource(folder, report)
  copyBlueprints('site/blueprints', { source, report, site: copied, dryRun: false })
  expect(Object.keys(filesIn(copied))).toEqual(['blueprints/bomb.yml'])
  const admin = await createTokenClient(site)
  const { data } = await admin.done('GET', 'site/children?select=id,uuid')
  expect((data as { id: string }[]).map(({ id }) => id).toSorted()).toEqual(['evil', 'good'])
  expect(JSON.stringify([data, (await admin.done('GET', 'languages')).data])).not.toContain('..')
  await mustBeSound(site)
})

test('control characters in names are not printed', async () => {
  const site = await createTestApp()
  const report = await importFrom(site, folderOf({ 'content/1_\u001b[31m!/\u001b]0;x.exe': 'x' }))
  expect(JSON.stringify(report)).not.toContain('\\u001b')
})

test('existing accounts with the same id or address are not changed', async () => {
  const site = await createTestApp()
  const files = { 'content/site.txt': 'Title: A', 'site/accounts/adm1ada0/index.php': account() }
  await importFrom(site, folderOf(files))
  const folder = folderOf({ 'content/site.txt': 'Title: A' })
  cpSync(folderOf(files), folder, { recursive: true })
  write(folder, {
    'site/accounts/adm1ada0/index.php': account({ email: 'mallory@example.org' }),
    'site/accounts/adm2ada0/index.php': account(),
  })
  const report = await importFrom(site, folder)
  expect(total(report, 'imported')).toEqual({})
  expect(report.skipped.map(({ file }) => file)).toEqual(['site/accounts/adm1ada0', 'site/accounts/adm2ada0'])
})
