/** Dialogs and menus that other tests do not check: each is opened and checked by axe. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createLanguage } from '../../src/content/languages/languages.ts'
import { expectAccessible, openPanel } from '../../test/browser.ts'
import { createImage, createUploader, dataOf } from '../../test/files.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { createSignedInUser } from '../../test/signed-in-user.ts'
import { operatorContext } from '../../src/cli/site.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/article.yml': `title: Article
options: { changeTemplate: [album] }
fields:
  intro: { type: text, label: Introduction }
`,
  'pages/album.yml': 'title: Album\n',
  'files/default.yml': 'title: File\nfields: { alt: { type: text, label: Description } }\n',
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)
await createLanguage(operatorContext(site.app), { code: 'en', name: 'English', default: true })
await createLanguage(operatorContext(site.app), { code: 'de', name: 'Deutsch' })
for (const slug of ['one', 'two', 'three'])
  await addPage(site, '', {
    slug,
    title: `Page ${slug}`,
    template: 'article',
    content: { intro: 'First words' },
    status: 'listed',
  })
await apiClient.done('PATCH', 'pages/one', { intro: 'Second words' })
const sender = await createUploader(await createSignedInUser(site))
dataOf(await sender.send('pages/one/files', [{ filename: 'map.png', bytes: await createImage() }]))

/** Also on a phone. */
async function expectAccessibleAtBothWidths(page: Page): Promise<void> {
  await expectAccessible(page)
  const { width } = page.viewportSize()!
  await page.setViewportSize({ width: 360, height: 740 })
  // Menus are positioned a moment after they open.
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  await page.setViewportSize({ width, height: 800 })
}

const menuOf = (page: Page) => page.getByRole('button', { name: 'Page actions' }).click()
const close = (page: Page) => page.keyboard.press('Escape')

test.runIf(isSlow)('the page menu and its dialogs are accessible', async () => {
  const page = await panel.open({ as: admin, at: '/pages/one' })
  await menuOf(page)
  await page.getByRole('menu').waitFor()
  await expectAccessibleAtBothWidths(page)
  await close(page)
  await page.getByRole('menu').waitFor({ state: 'detached' })
  for (const name of ['Change position', 'Duplicate', 'Change template', 'Change slug', 'Delete']) {
    await menuOf(page)
    await page.getByRole('menuitem', { name }).click()
    const dialog = page.getByRole(name === 'Delete' ? 'alertdialog' : 'dialog')
    await dialog.waitFor()
    await expectAccessibleAtBothWidths(page)
    await close(page)
    await dialog.waitFor({ state: 'detached' })
  }
})

test.runIf(isSlow)('the history drawer with changes is accessible', async () => {
  const page = await panel.open({ as: admin, at: '/pages/one', theme: 'dark' })
  await menuOf(page)
  await page.getByRole('menuitem', { name: 'History' }).click()
  const entries = page.getByRole('dialog', { name: 'History' }).getByRole('listitem')
  const versions = entries.filter({ has: page.getByRole('button') })
  await versions.first().getByRole('button').first().click()
  await versions.first().locator('ins', { hasText: 'Second' }).waitFor()
  await expectAccessibleAtBothWidths(page)
  await versions.nth(1).getByRole('button').first().click()
  await versions.nth(1).getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('alertdialog').waitFor()
  await expectAccessibleAtBothWidths(page)
})

test.runIf(isSlow)('the dialogs to discard and take over changes are accessible', async () => {
  const page = await panel.open({ as: admin, at: '/pages/two' })
  await page.getByRole('textbox', { name: 'Introduction' }).fill('Other words')
  await page.getByText('Draft saved').waitFor()
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await page.getByRole('alertdialog').getByText('Introduction').waitFor()
  await expectAccessibleAtBothWidths(page)

  const other = await panel.open({ as: { email: 'bea@example.org' }, at: '/pages/two' })
  await other.getByText('ada@example.org is editing this').waitFor()
  await expectAccessibleAtBothWidths(other)
  await other.getByRole('button', { name: 'Take over' }).click()
  await other.getByRole('alertdialog').waitFor()
  await expectAccessibleAtBothWidths(other)
})

test.runIf(isSlow)('the menus of files, sections, languages and the account are accessible', async () => {
  const page = await panel.open({ as: admin, at: '/pages/one/files/map.png', theme: 'dark' })
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Replace' }).waitFor()
  await expectAccessibleAtBothWidths(page)
  await close(page)
  await page.getByRole('button', { name: /Content language/ }).click()
  await page.getByRole('menuitemradio', { name: 'Deutsch' }).waitFor()
  await expectAccessibleAtBothWidths(page)
  await close(page)
  await page.getByRole('button', { name: 'ada@example.org' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
  await expectAccessible(page)
  await close(page)

  await page.goto(`${panel.url}/pages/one`)
  await page.getByRole('heading', { name: 'Page one' }).waitFor()
  await page.getByRole('button', { name: /Translations/ }).click()
  await page.getByRole('menu').waitFor()
  await expectAccessibleAtBothWidths(page)
  await close(page)
  await page.goto(`${panel.url}/site`)
  await page.getByRole('button', { name: 'Actions for Page two' }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor()
  await expectAccessibleAtBothWidths(page)
})

test.runIf(isSlow)('the palette with and without results is accessible', async () => {
  const page = await panel.open({ as: admin, at: '/site' })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  // A file of a page that is not open, with its image and the title of the page.
  await page.getByRole('combobox', { name: /Search/ }).fill('map')
  const file = page.getByRole('option', { name: 'map.png Page one' })
  const thumb = file.locator('img')
  await expect.poll(() => thumb.evaluate(image => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0)
  await expectAccessibleAtBothWidths(page)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'map.png' }).waitFor()
  await page.keyboard.press('Control+k')
  const words = page.getByRole('combobox', { name: /Search/ })
  await words.fill('page')
  await page.getByRole('option', { name: /Page two/ }).waitFor()
  await expectAccessibleAtBothWidths(page)
  await words.fill('nothing is called like this')
  await expect.poll(() => page.getByRole('option', { name: /Page two/ }).count()).toBe(0)
  await expectAccessibleAtBothWidths(page)
})
