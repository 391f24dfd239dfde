import { expect, test } from 'vitest'
import { folderOf, importFrom } from '../../../test/folders.ts'
import { createTestApp } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { statementsOf } from '../../../test/sign-in.ts'
import { operatorContext } from '../../cli/site.ts'
import { createLanguage } from '../languages/languages.ts'

test('an import deletes redirects from addresses of pages in small transactions', async () => {
  const site = await createTestApp({ quiet: true })
  const admin = await createTokenClient(site)
  await createLanguage(operatorContext(site.app), { code: 'en', url: '' })
  await createLanguage(operatorContext(site.app), { code: 'de' })
  const notes = await addPage(site, '', { slug: 'notes', status: 'listed' })
  await addPage(site, notes, { slug: 'ink', status: 'unlisted' })
  await addPage(site, notes, { slug: 'plan' })
  await admin.done('PATCH', 'pages/notes/slug?language=de', { slug: 'notizen' })
  const taken = [':notes', ':notes/ink', 'de:notizen', 'de:notizen/ink']
  const free = [':notizen/ink', 'de:notes', 'de:notes/ink', 'de:notizen/plan', ':notes/plan', ':ink', ':notes/ink/pen']
  const fillers = Array.from({ length: 450 }, (_, index) => `:notes/old-${index}`)
  const { db } = site.app.store
  await db.deleteFrom('redirects').execute()
  const rows = [...free, ...fillers, ...taken].map(text => {
    const [language = '', path = ''] = text.split(':')
    return { language, path, page: notes, target: null, is_automatic: 1, created_at: 1, modified_at: 1 }
  })
  await db.insertInto('redirects').values(rows).execute()
  const folder = folderOf({ 'content/site.txt': 'Title: Site' })
  await importFrom(site, folder)
  expect(await remaining()).toEqual([...free, ...fillers].toSorted())

  const statements = await statementsOf(site, () => importFrom(site, folder))
  const sent = statements.join('\n').split('begin\n').slice(1)
  const transactions = sent.map(text => text.split('commit')[0]!)
  expect(transactions.filter(text => text.includes('"redirects"'))).toHaveLength(3)
  expect(statements.filter(text => text.includes('recursive'))).toEqual([])

  async function remaining() {
    const left = await db.selectFrom('redirects').select(['language', 'path']).execute()
    return left.map(({ language, path }) => `${language}:${path}`).toSorted()
  }
})
