import { expect, test } from 'vitest'
import { filesIn, folderOf, importFrom, write } from '../../../test/folders.ts'
import { createTestApp, createTestStorage, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { findFaults } from '../../cli/check/faults.ts'
import { operatorContext } from '../../cli/site.ts'
import { createLanguage } from '../../content/languages/languages.ts'
import { exportSite } from './export.ts'
import { createReport } from './report.ts'

async function open() {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, { 'users/nobody.yml': 'title: Anonymous clients' })
  return createTestApp({ storage, settings: { site: { url: 'https://www.example.org' } }, quiet: true })
}

test('an export has the redirects, and an import adds them', async () => {
  const [first, second] = [await open(), await open()]
  const [admin, other] = [await createTokenClient(first), await createTokenClient(second)]
  await createLanguage(operatorContext(first.app), { code: 'en', url: '' })
  await createLanguage(operatorContext(first.app), { code: 'de' })
  for (const slug of ['notes', 'shop', 'gone']) await addPage(first, '', { slug, status: 'unlisted' })
  await admin.done('PATCH', 'pages/notes/slug', { slug: 'articles' })
  await admin.done('PATCH', 'pages/articles/slug?language=de', { slug: 'texte' })
  await admin.done('DELETE', 'pages/shop', { successor: 'articles' })
  await admin.done('DELETE', 'pages/gone', {})
  await admin.done('POST', 'site/redirects', { path: '/help', target: 'https://example.com/help' })
  await admin.done('PATCH', 'languages/de', { url: '/deutsch' })
  expect((await findFaults(first.app, { thorough: true, progress: () => {} })).faults).toEqual([])

  const folder = folderOf({})
  const report = createReport()
  await exportSite(first.app, { folder, report, force: true })
  expect(report.counts).toMatchObject({ pages: 1, redirects: 7 })
  expect(filesIn(folder)['site/redirects/redirects-1.jsonl']).not.toMatch(/\bgone\b/)
  write(folder, {
    'site/redirects/hostile.jsonl': [
      'no json',
      '[]',
      '{"language":"xx","path":"a","target":"/b"}',
      '{"language":"","path":"/a","target":"/b"}',
      '{"language":"*","path":"a","target":"javascript:alert(1)"}',
      '{"language":"*","path":"a","target":"//example.com"}',
      '{"language":"*","path":"a","target":"/b","page":"c"}',
      '{"language":"*","path":"a","page":"nothere"}',
      '{"language":"*","path":"/all"}',
      '{"language":"de","path":"/de","target":"/b"}',
      '{"language":"de","path":"https://[broken"}',
      '{"language":"de","path":"a"}',
      '{"language":"de","path":"/deutsch","automatic":true}',
    ].join('\n'),
  })
  // The page that the import adds takes the address of an automatic redirect.
  await addPage(second, '', { slug: 'articles', status: 'listed' })
  await other.done('PATCH', 'pages/articles/slug', { slug: 'papers' })
  const dry = await importFrom(second, folder, { dryRun: true })
  expect(dry.counts.redirects.imported).toBeGreaterThan(0)
  expect(await second.app.store.db.selectFrom('redirects').select('path').execute()).toEqual([{ path: 'articles' }])
  const imported = await importFrom(second, folder)
  expect(imported.counts.redirects).toEqual({ imported: 7, updated: 0, unchanged: 0 })
  expect(imported.notes.filter(({ file }) => file.includes('hostile'))).toHaveLength(13)
  // A dry run does not know which pages there will be, so it counts the redirect to a page that does not exist.
  const again = await importFrom(second, folder, { dryRun: true })
  expect(again.counts.redirects).toEqual({ imported: 1, updated: 0, unchanged: 7 })
  expect((await importFrom(second, folder)).counts.redirects).toEqual({ imported: 0, updated: 0, unchanged: 7 })
  expect((await findFaults(second.app, { thorough: true, progress: () => {} })).faults).toEqual([])

  for (const path of [
    '/notes',
    '/de/notes',
    '/de/articles',
    '/deutsch/articles',
    '/de/texte',
    '/shop',
    '/de/shop',
    '/help',
    '/gone',
  ]) {
    const [one, copy] = [admin, other].map(client => client.call('GET', `site/resolve?path=${path}`))
    const { status, redirect } = (await one) as never as { status: number; redirect?: object }
    expect(await copy).toMatchObject({ status, ...(redirect && { redirect }) })
    expect([path, status]).toEqual([path, path === '/gone' ? 404 : 200])
  }
})
