import { expect, test } from 'vitest'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'users/reader.yml': `title: Reader
permissions:
  "*": false
  access: { panel: true, account: true, languages: true }
`,
})
const panel = await openPanel({ storage })
const admin = await addUser(panel.site, { role: 'admin' })

test('languages are added, changed, made the default and deleted', async () => {
  const page = await panel.open({ as: admin, at: '/languages' })
  await page.getByText('This site has no languages yet.').waitFor()
  await expectAccessible(page)

  const add = async (typed: string) => {
    await page.getByRole('button', { name: 'Add language' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Language' }).fill(typed)
    await page
      .getByRole('option', { name: new RegExp(`^${typed}`) })
      .first()
      .click()
    return dialog
  }
  const first = await add('English')
  await first.getByText('All existing content').waitFor()
  await first.getByRole('button', { name: 'Add', exact: true }).click()
  await page.waitForURL('**/languages/en')
  await page.getByText('Default', { exact: true }).waitFor()

  // Right to left, its own name and its locale are known.
  await page.getByRole('link', { name: 'Languages' }).first().click()
  const second = await add('Arabic')
  await expect.poll(() => second.getByRole('radio', { name: 'Right to left' }).isChecked()).toBe(true)
  await expect.poll(() => second.getByRole('textbox', { name: 'Locale' }).inputValue()).toBe('ar_EG')
  await expectAccessible(page)
  await second.getByRole('button', { name: 'Add', exact: true }).click()
  await page.waitForURL('**/languages/ar')
  await page.getByRole('heading', { name: 'العربية' }).waitFor()
  await page.getByRole('button', { name: 'Content language: English' }).waitFor()

  await page.getByRole('button', { name: 'Add letter' }).click()
  await page.getByRole('textbox', { name: 'Letter 1' }).fill('@')
  await page.getByRole('textbox', { name: 'Replaced by 1' }).fill('at')
  await page.getByRole('textbox', { name: 'URL' }).fill('/not here?')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('does not have the right form').or(page.locator('[aria-invalid=true]')).first().waitFor()
  await page.getByRole('link', { name: 'Users' }).click()
  await page.getByRole('alertdialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('textbox', { name: 'URL' }).fill('/arabic')
  await page.keyboard.press('Control+s')
  await page.getByText('Language saved').waitFor()
  await page.reload()
  await expect.poll(() => page.getByRole('textbox', { name: 'Replaced by 1' }).inputValue()).toBe('at')
  await expect.poll(() => page.getByRole('textbox', { name: 'URL' }).inputValue()).toBe('/arabic')

  await page.getByRole('button', { name: 'Make default' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Make default' }).click()
  await page.getByText('The default language cannot be deleted').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await expectAccessible(page)

  await page.goto(`${panel.url}/languages/en`)
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText('All content in English is deleted').waitFor()
  const message = page.getByText('English deleted').waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await Promise.all([message, page.waitForURL('**/languages')])
  await page.getByRole('list', { name: 'Languages' }).getByText('العربية').waitFor()
})

test.runIf(isSlow)('an account without write permission cannot change languages', async () => {
  const page = await panel.open({ as: { role: 'reader' }, at: '/languages/ar', width: 360 })
  await page.getByText('You can view the languages, but not change them.').waitFor()
  await expect.poll(() => page.getByRole('textbox', { name: 'Name' }).isDisabled()).toBe(true)
  await expect.poll(() => page.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
})

test.runIf(isSlow)('screens are mirrored in right-to-left languages', async () => {
  const reader = await addUser(panel.site, { role: 'admin' })
  await panel.site.app.store.db.updateTable('users').set({ language: 'ar' }).where('id', '=', reader.id).execute()
  const page = await panel.open({ as: reader, at: '/languages', width: 360 })
  for (const at of [
    '/languages',
    '/languages/ar',
    '/users',
    `/users/${admin.id}`,
    '/roles',
    '/system',
    '/site/files',
  ]) {
    await page.goto(panel.url + at)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    await expect.poll(() => page.evaluate('document.documentElement.dir')).toBe('rtl')
    await expectNoSidewaysScroll(page)
  }
  await expectAccessible(page)
})
