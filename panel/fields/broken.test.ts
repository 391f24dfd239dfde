import { expect, test } from 'vitest'
import { expectAccessible, openPanel, publishChanges } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage } from '../../test/pages.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/torn.yml': `title: Torn
fields:
  name: { type: text, label: Name }
  lines: { type: structure, label: Lines, fields: { what: { type: text, label: What } } }
`,
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })

test('an unreadable value is shown as broken, stays when other fields are published, and can be replaced', async () => {
  const uuid = await addPage(site, '', { slug: 'torn', template: 'torn', status: 'listed' })
  const owner = `page://${uuid}`
  const data = JSON.stringify({ title: 'Torn', lines: '- what: [not closed' })
  await site.app.store.write(tx => tx.updateTable('contents').set({ data }).where('owner', '=', owner).execute())
  const stored = async () => {
    const row = site.app.store.db.selectFrom('contents').select('data').where('owner', '=', owner)
    return JSON.parse((await row.executeTakeFirstOrThrow()).data) as Record<string, string>
  }
  const page = await panel.open({ as: admin, at: '/pages/torn' })
  await page.getByText('The stored value cannot be read').waitFor()
  await page.getByText('- what: [not closed').waitFor()
  await expectAccessible(page)
  await page.getByRole('textbox', { name: 'Name' }).fill('Ada')
  await publishChanges(page)
  expect(await stored()).toMatchObject({ name: 'Ada', lines: '- what: [not closed' })

  await page.getByRole('button', { name: 'Replace' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Replace' }).click()
  await page.getByText('The stored value cannot be read').waitFor({ state: 'hidden' })
  await publishChanges(page)
  expect((await stored())['lines']).toBe('')
})
