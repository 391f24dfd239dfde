import { expect, test } from 'vitest'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage } from '../../test/pages.ts'
import { describeRole } from '../../test/signed-in-user.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, { 'site.yml': 'sections: { pages: { type: pages } }' })
describeRole(
  storage,
  'reader',
  'permissions: { pages: { create: false, delete: false }, files: { create: false, delete: false }, users: false }',
)
const panel = await openPanel({ storage })

const { site } = panel

test('Undo restores a deleted page', async () => {
  await addPage(site, '', { slug: 'undone', title: 'Undone', status: 'unlisted' })
  const page = await panel.open({ as: { role: 'admin' }, at: '/pages/undone' })
  await page.getByRole('button', { name: 'Page actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByText('You can restore it for 30 days').waitFor()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('“Undone” restored').waitFor()
  await page.getByRole('button', { name: 'Open' }).click()
  await page.waitForURL('**/pages/undone*')
  expect(await site.app.store.db.selectFrom('trash').select('id').execute()).toEqual([])
})

test.runIf(isSlow)('the trash lists and restores entries, resolves conflicts, and deletes permanently', async () => {
  const shelf = await addPage(site, '', { slug: 'shelf', title: 'Shelf', status: 'unlisted' })
  await addPage(site, shelf, { slug: 'book', title: 'Book' })
  await addPage(site, '', { slug: 'plain', title: 'Plain', status: 'unlisted' })
  await addPage(site, '', { slug: 'last', title: 'Last' })
  const page = await panel.open({ as: { role: 'admin' }, at: '/trash', theme: 'dark' })
  await page.getByText('The trash is empty.').waitFor()
  await expectAccessible(page)
  const remove = (id: string) =>
    page.evaluate(async path => {
      const { csrf } = (await (await fetch('/api/auth')).json()) as { csrf: string }
      const headers = { 'content-type': 'application/json', 'x-csrf': csrf }
      await fetch(`/api/pages/${path}`, { method: 'DELETE', headers, body: '{"force":true}' })
    }, id)
  for (const id of ['last', 'plain', 'shelf']) await remove(id)
  await addPage(site, '', { slug: 'shelf', title: 'Another shelf', status: 'unlisted' })
  await page.reload()
  const row = (title: string) => page.getByRole('row', { name: title })
  await row('Shelf').getByText('2 pages').waitFor()
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 700 })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.getByRole('button', { name: 'Restore “Plain”' }).press('Enter')
  await page.getByText('“Plain” restored').waitFor()
  await row('Plain').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Restore “Shelf”' }).click()
  const dialog = page.getByRole('dialog', { name: 'Restore “Shelf”' })
  await dialog.getByText('shelf', { exact: false }).first().waitFor()
  await expectAccessible(page)
  await dialog.getByLabel('Slug').fill('old shelf')
  await dialog.getByRole('button', { name: 'Restore' }).click()
  await page.getByText('“Shelf” restored').waitFor()
  const paths = await site.app.store.db.selectFrom('pages').select('path').orderBy('path').execute()
  expect(paths.map(({ path }) => path)).toContain('old-shelf/book')

  // Its parent page no longer exists: the dialog asks for another one, starting at the top level.
  for (const id of ['old-shelf+book', 'old-shelf']) await remove(id)
  await page.reload()
  await page.getByRole('button', { name: 'Restore “Book”' }).click()
  await page.getByText('Its former parent page no longer exists').waitFor()
  await page.getByRole('dialog').getByText('New URL: /book').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
  await page.getByText('“Book” restored').waitFor()
  await page.getByRole('button', { name: 'Restore “Shelf”' }).click()
  await page.getByText('“Shelf” restored').waitFor()

  await page.getByRole('button', { name: 'Actions for “Last”' }).click()
  await page.getByRole('menuitem', { name: 'Delete permanently' }).click()
  await expectAccessible(page)
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByText('The trash is empty.').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Empty trash' }).isDisabled()).toBe(true)
})

test.runIf(isSlow)('an account that may neither create nor delete anything sees no trash', async () => {
  const admin = await panel.open({ as: { role: 'admin' }, at: '/site' })
  await admin.getByRole('link', { name: 'Trash' }).waitFor()
  const page = await panel.open({ as: { role: 'reader' }, at: '/site' })
  await page.getByRole('link', { name: 'Site' }).first().waitFor()
  expect(await page.getByRole('link', { name: 'Trash' }).count()).toBe(0)
})
