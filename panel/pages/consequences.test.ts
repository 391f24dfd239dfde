/** Where pages can be moved, and what dialogs say about addresses and links: compared with what happens then. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { operatorContext } from '../../src/cli/site.ts'
import { createLanguage } from '../../src/content/languages/languages.ts'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'users/nobody.yml': 'title: Visitors',
  'site.yml': 'sections: { pages: { type: pages } }',
  'pages/shelf.yml': 'title: Shelf\nsections: { books: { type: pages, template: book } }',
  'pages/leaf.yml': 'title: Leaf\nfields: { text: { type: text } }',
  'pages/book.yml': 'title: Book\nsections: { pages: { type: pages } }',
  'pages/note.yml':
    'title: Note\nsections: { pages: { type: pages }, fields: { type: fields, fields: { text: { type: text } } } }',
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)
const add = (slug: string, template: string, more: object = {}, parent = '') =>
  addPage(site, parent, { slug, title: `The ${slug}`, template, status: 'listed', ...more })
await add('shelf', 'shelf')
await add('leaf', 'leaf')

const act = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'Page actions' }).click()
  await page.getByRole('menuitem', { name }).click()
}
/** What a visitor gets at a path. */
async function visit(path: string) {
  const headers = { host: new URL(site.app.config.url).host }
  const answer = await site.request({ method: 'GET', url: `/api/site/resolve?path=${path}`, headers })
  return answer.json<{ redirect?: { path: string } }>().redirect?.path ?? answer.statusCode
}

test('parents that do not take a page say why; a move names old and new addresses, which redirect', async () => {
  const note = await add('note', 'note')
  await add('below', 'note', {}, note)
  const { uuid } = (await apiClient.done('GET', 'pages/note?select=uuid')).data
  await add('linking', 'note', { content: { text: uuid } })
  const page = await panel.open({ as: admin, at: '/pages/note' })
  await act(page, 'Move')
  const row = (name: string) => page.getByRole('treeitem', { name })
  const reasons = { shelf: 'The shelf does not allow subpages with the template Note.', leaf: 'The leaf cannot have subpages.', note: 'A page cannot be moved into itself.' } // prettier-ignore
  for (const [slug, reason] of Object.entries(reasons))
    await expect.poll(() => row(`The ${slug}`).getAttribute('aria-description')).toBe(reason)
  await row('The shelf').hover()
  // Not in the app, which is below dialogs.
  await page.locator('body > [aria-hidden=true]').filter({ hasText: reasons.shelf }).waitFor()
  await row('The leaf').click({ force: true })
  await page.getByRole('dialog').getByText(reasons.leaf).waitFor()
  await expectAccessible(page)

  await row('The linking').click()
  const status = page.getByRole('dialog').getByRole('status')
  await status.getByText('/linking/note').waitFor()
  await expect.poll(() => status.textContent()).toMatch(/^What changes for visitors\/note\/linking\/note1 subpage and everything below it get new URLs, too.1 place links here.*keeps working.The old URLs redirect to the new ones.$/) // prettier-ignore
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Move here' }).click()
  await page.waitForURL('**/pages/linking+note')
  expect([await visit('/note'), await visit('/note/below')]).toEqual(['/linking/note', '/linking/note/below'])
})

test.runIf(isSlow)('a new slug and unpublishing say what visitors get', async () => {
  const page = await (async () => {
    await add('inside', 'note', {}, await add('cafe', 'note'))
    return panel.open({ as: admin, at: '/pages/cafe' })
  })()
  await act(page, 'Change slug')
  await page.getByRole('textbox', { name: 'Slug' }).fill('Tea house')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('What changes for visitors').waitFor()
  expect(await dialog.locator('li bdi').allTextContents()).toEqual(['/cafe', '/tea-house'])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL('**/pages/tea-house')
  expect(await visit('/cafe/inside')).toBe('/tea-house/inside')

  await page.getByRole('button', { name: 'Status: Public. Change' }).click()
  await page.getByRole('radio', { name: 'Draft' }).click()
  await page.getByText('Visitors then get “Not found” at:').waitFor()
  expect(await dialog.locator('li bdi').allTextContents()).toEqual(['/tea-house'])
  await dialog.getByText('the same for 1 subpage and everything below it').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await expect.poll(() => visit('/tea-house')).toBe(404)
  expect([await visit('/tea-house/inside'), await visit('/cafe')]).toEqual([404, 404])
})

test.runIf(isSlow)('a refused drop in the tree says why', async () => {
  await add('dragged', 'note')
  const page = await panel.open({ as: admin, at: '/pages/dragged' })
  await page.getByRole('button', { name: 'All pages' }).click()
  const row = (name: string) => page.getByRole('tree').getByRole('treeitem', { name })
  await row('The dragged').hover()
  await page.mouse.down()
  const box = (await row('The shelf').boundingBox())!
  await page.mouse.move(box.x + 60, box.y + 10, { steps: 5 })
  await page.mouse.move(box.x + 60, box.y + box.height / 2, { steps: 5 })
  await page.mouse.up()
  await page.getByText('The shelf does not allow subpages with the template Note.').waitFor()
  await row('The shelf').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Alt+ArrowRight')
  await page.getByText('does not allow subpages with the template Leaf.').waitFor()
})

test.runIf(isSlow)(
  'the first language and deletion name addresses; in two languages, dark, on a phone, in Arabic',
  async () => {
    await add('old', 'note')
    await add('successor', 'note')
    const first = await panel.open({ as: admin, at: '/languages' })
    await first.getByRole('button', { name: 'Add language' }).first().click()
    await first.getByText('“/about” becomes “/en/about”').waitFor()
    await expectAccessible(first)
    for (const code of ['en', 'de'])
      await createLanguage(operatorContext(site.app), { code, name: code === 'en' ? 'English' : 'Deutsch' })
    expect(await visit('/old')).toBe('/en/old')
    await apiClient.done('PATCH', 'pages/old/slug?language=de', { slug: 'alt' })
    const arabicUser = await addUser(site, { email: 'ida@example.org' })
    await apiClient.done('PATCH', `users/${arabicUser.id}/language`, { language: 'ar' })
    for (const look of [{ as: admin }, { as: arabicUser, theme: 'dark', width: 390, height: 844 }] as const) {
      const page = await panel.open({ ...look, at: '/pages/old' })
      await page.getByRole('button', { name: /Page actions|المزيد عن هذه الصفحة/ }).click()
      await page.getByRole('menuitem').last().click()
      const dialog = page.getByRole('alertdialog')
      await dialog.getByText('/de/alt').waitFor()
      expect(await dialog.locator('li bdi').allTextContents()).toEqual(['/de/alt', '/en/old'])
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
    }
  },
)
