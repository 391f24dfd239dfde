import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectFocused, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/list.yml':
    'title: List\nsections: { fruits: { type: pages, label: Fruits, templates: [note, story], search: true } }\n',
  'pages/note.yml':
    'title: Note\nstatus: { draft: Sketch, unlisted: true, listed: true }\nfields: { intro: { type: text, label: Introduction, required: true } }',
  'pages/story.yml': 'title: Story\nfields: { intro: { type: text } }',
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site)
const apiClient = await createTokenClient(site)
const parent = await addPage(site, '', { slug: 'list', title: 'List', template: 'list', status: 'listed' })
for (const [slug, title] of Object.entries({ a: 'Apple', b: 'Banana', c: 'Cherry' }))
  await addPage(site, parent, { slug, title, template: 'note', content: { intro: 'Fruit' }, draft: true })
await addPage(site, parent, { slug: 'd', title: 'Damson', template: 'story', status: 'listed' })
await addPage(site, parent, { slug: 'e', title: 'Elder', template: 'story', draft: true })
await apiClient.done('POST', 'pages/list+d/changes/save', { intro: 'Changed' })

const fruits = ['Apple', 'Banana', 'Cherry', 'Damson', 'Elder']
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const expectPages = async (page: Page, ...names: string[]) => {
  await expect
    .poll(async () => {
      const links = await page.getByRole('main').getByRole('link').allTextContents()
      return fruits.filter(name => links.includes(name))
    })
    .toEqual(names)
}
const choose = async (page: Page, filter: string, value: string) => {
  await page.getByRole('combobox', { name: filter, exact: true }).click()
  await page.getByRole('option', { name: value, exact: true }).click()
}

test('a list is filtered by status, template and state; the URL has the filter, and Back shows it again', async () => {
  const page = await panel.open({ as: admin, at: '/pages/list' })
  await button(page, 'Filter').click()
  await choose(page, 'Status', 'Draft')
  await expectPages(page, 'Apple', 'Banana', 'Cherry', 'Elder')
  await choose(page, 'Template', 'Story')
  await expectPages(page, 'Elder')
  await expectAccessible(page)
  expect(new URL(page.url()).search).toBe('?list=fruits&status=draft&template=story')

  await page.getByRole('link', { name: 'Elder' }).click()
  await page.getByRole('heading', { name: 'Elder' }).waitFor()
  expect(new URL(page.url()).search).toBe('')
  await page.goBack()
  await expectPages(page, 'Elder')

  await choose(page, 'State', 'Draft saved')
  await page.getByText('No pages match the filter').waitFor()
  await expectAccessible(page)
  await page.getByRole('main').getByRole('button', { name: 'Clear filter' }).last().click()
  await expectPages(page, ...fruits)
  expect(new URL(page.url()).search).toBe('')

  await choose(page, 'State', 'Draft saved')
  await expectPages(page, 'Damson')
  // A link from another user, with a search term and a state that does not exist.
  await page.goto(`${panel.url}/pages/list?list=fruits&status=draft&words=ban&state=nonsense`)
  await expectPages(page, 'Banana')
  await page.setViewportSize({ width: 390, height: 800 })
  await expectNoSidewaysScroll(page)
})

test.runIf(isSlow)(
  'views are saved, chosen, renamed and deleted by keyboard, deletion can be undone, and other windows have them',
  async () => {
    const page = await panel.open({ as: admin, at: '/pages/list' })
    await button(page, 'Filter').press('Enter')
    const status = page.getByRole('combobox', { name: 'Status', exact: true })
    await status.press('Enter')
    await page.getByRole('option', { name: 'Draft' }).waitFor()
    await page.keyboard.type('Draft')
    await page.keyboard.press('Enter')
    await expectPages(page, 'Apple', 'Banana', 'Cherry', 'Elder')
    await expectFocused(status)

    await button(page, 'Views').press('Enter')
    await page.getByRole('menuitem', { name: 'Save view' }).press('Enter')
    const name = page.getByRole('textbox', { name: 'Name of the view' })
    await expectFocused(name)
    await expectAccessible(page)
    await page.keyboard.type('To do')
    await page.keyboard.press('Enter')
    await button(page, 'To do').waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Clear filter' }).click()
    await expectPages(page, ...fruits)

    // A second window of the same user.
    const otherWindow = await panel.open({ as: admin, at: '/pages/list' })
    await button(otherWindow, 'Filter').click()
    await button(otherWindow, 'Views').press('Enter')
    await otherWindow.getByRole('menuitemradio', { name: 'To do' }).press('Enter')
    await expectPages(otherWindow, 'Apple', 'Banana', 'Cherry', 'Elder')
    await button(otherWindow, 'To do').press('Enter')
    await otherWindow.getByRole('menuitem', { name: 'Rename view' }).press('Enter')
    await otherWindow.getByRole('textbox', { name: 'Name of the view' }).fill('Sketches')
    await otherWindow.keyboard.press('Enter')
    await button(otherWindow, 'Sketches').press('Enter')
    await expectAccessible(otherWindow)
    await otherWindow.getByRole('menuitem', { name: 'Delete view' }).press('Enter')
    await otherWindow.getByText('View “Sketches” deleted').waitFor()
    await button(otherWindow, 'Undo').click()
    await button(otherWindow, 'Sketches').waitFor()
  },
)
