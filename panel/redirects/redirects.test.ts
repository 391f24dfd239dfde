import { expect, test } from 'vitest'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { addUser } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

const panel = await openPanel({ settings: { site: { url: 'https://www.example.org' } } })
const admin = await addUser(panel.site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(panel.site)
const notes = await addPage(panel.site, '', { slug: 'notes', title: 'Notes', status: 'listed' })
await addPage(panel.site, notes, { slug: 'ink', title: 'Ink', status: 'listed' })
await addPage(panel.site, '', { slug: 'shop', title: 'Shop', status: 'listed' })

test('a redirect is added, found, changed and deleted', async () => {
  const page = await panel.open({ as: admin, at: '/site' })
  await page.getByRole('button', { name: 'Site actions' }).click()
  await page.getByRole('menuitem', { name: 'Redirects' }).click()
  await page.getByText('No redirects yet.').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add redirect' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Old URL').fill('/notes/ink')
  await dialog.getByRole('combobox', { name: 'Link type' }).click()
  await page.getByRole('option', { name: 'URL' }).click()
  await dialog.getByRole('textbox', { name: 'Leads to' }).fill('https://example.com/ink')
  await dialog.getByRole('button', { name: 'Add redirect' }).click()
  await dialog.getByRole('alert').getByText('A page has the path').waitFor()
  await dialog.getByLabel('Old URL').fill('/old/ink')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Add redirect' }).click()
  const list = page.getByRole('list', { name: 'Redirects' })
  await list.getByText('/old/ink').waitFor()

  await apiClient.done('PATCH', 'pages/notes/slug', { slug: 'articles' })
  await page.getByRole('searchbox', { name: 'Search redirects' }).fill('notes/ink')
  await list.getByText('/articles/ink').waitFor()
  await list.getByText('Automatic').waitFor()
  await expect.poll(() => list.getByText('/old/ink').count()).toBe(0)
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 700 })
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.getByRole('button', { name: 'Edit the redirect from /notes/ink' }).click()
  await dialog.getByText('Ink', { exact: true }).waitFor()
  await dialog.getByLabel('Old URL').fill('/notes/colour')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('searchbox', { name: 'Search redirects' }).fill('colour')
  await list.getByText('/notes/colour').waitFor()
  await page.getByRole('button', { name: 'Delete the redirect from /notes/colour' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No redirects found.').waitFor()

  await apiClient.done('POST', 'languages', { code: 'en', name: 'English', url: '' })
  await apiClient.done('POST', 'languages', { code: 'de', name: 'Deutsch' })
  await apiClient.done('PATCH', 'languages/de', { url: '/deutsch' })
  await page.getByRole('searchbox', { name: 'Search redirects' }).fill('/de')
  await list.getByText('/deutsch/…').waitFor()
  await page.getByRole('button', { name: 'Delete the redirect from /de/…' }).waitFor()
  expect(await page.getByRole('button', { name: 'Edit the redirect from /de/…' }).count()).toBe(0)
  for (const code of ['de', 'en']) await apiClient.done('DELETE', `languages/${code}`)
})

test.runIf(isSlow)('a page takes the place of a deleted one', async () => {
  const page = await panel.open({ as: admin, at: '/pages/shop' })
  await page.getByRole('button', { name: 'Page actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByRole('button', { name: /Redirect visitors to/ }).click()
  await page.getByRole('dialog').getByText('Notes').first().click()
  await dialog.getByText('Notes').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  // Until it is deleted, the page itself is found.
  await expect
    .poll(() => apiClient.call('GET', 'site/resolve?path=/shop'))
    .toMatchObject({ redirect: { path: '/articles' } })
})
