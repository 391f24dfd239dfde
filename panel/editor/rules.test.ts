import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  changesBar,
  expectAccessible,
  expectFocused,
  expectNoSidewaysScroll,
  openPanel,
  publishChanges,
} from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/ruled.yml': `title: Ruled
tabs:
  main:
    label: Main
    fields:
      name: { type: text, label: Name, required: true, width: 1/2 }
      level: { type: number, label: Level, max: 10, width: 1/2 }
      empty: { type: text, label: Empty, required: true }
      colour: { type: radio, label: Colour, required: true, options: { red: Red, blue: Blue } }
      note: { type: textarea, label: Note, maxlength: 20 }
  more:
    label: More
    fields:
      code: { type: text, label: Code, pattern: '^[a-z]+$' }
`,
  'pages/nested.yml': `title: Nested
fields:
  lines:
    type: structure
    label: Lines
    fields:
      what: { type: text, label: What, required: true }
      price: { type: number, label: Price, max: 10 }
  address: { type: object, label: Address, fields: { city: { type: text, label: City, maxlength: 5 } } }
  body:
    type: blocks
    label: Body
    fieldsets:
      text: text
      note:
        name: Note
        fields: { words: { type: text, label: Words, required: true }, size: { type: number, label: Size, max: 3 } }
  grid:
    type: layout
    label: Grid
    layouts: [['1/2', '1/2']]
    fieldsets: { note: { name: Note, fields: { words: { type: text, label: Words, required: true } } } }
    settings: { fields: { class: { type: text, label: Class, maxlength: 3 } } }
`,
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)

const textbox = (page: Page, name: string) => page.getByRole('textbox', { name })

async function openNew(slug: string, template: string, content: Record<string, unknown>, options: object = {}) {
  await addPage(site, '', { slug, title: slug.toUpperCase(), template, content, status: 'listed' })
  const page = await panel.open({ as: admin, at: `/pages/${slug}`, ...options })
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

const complete = { name: 'Here', level: 3, empty: 'No', colour: 'red' }

test('a broken rule is shown at its field while typing, until it is fixed', async () => {
  const page = await openNew('ruled', 'ruled', complete)
  const level = page.getByLabel('Level')
  await level.fill('30')
  await page.getByText('This must be at most 10.').waitFor()
  await expect.poll(() => level.getAttribute('aria-invalid')).toBe('true')
  expect(await level.evaluate(element => element === document.activeElement), 'the field keeps the focus').toBe(true)
  const description = async () => page.locator(`[id="${await level.getAttribute('aria-describedby')}"]`).textContent()
  await expect.poll(description).toBe('This must be at most 10.')
  await changesBar(page).getByRole('button', { name: '1 error to fix before publishing' }).waitFor()
  await expectAccessible(page)

  await textbox(page, 'Name').fill('')
  await page.getByText('Please fill this in.').waitFor()
  await changesBar(page).getByRole('button', { name: '2 errors to fix' }).click()
  await expectFocused(textbox(page, 'Name'))
  await page.keyboard.type('There')
  await page.getByText('Please fill this in.').waitFor({ state: 'detached' })
  await level.fill('9')
  await page.getByText('This must be at most 10.').waitFor({ state: 'detached' })
  await expect.poll(() => level.getAttribute('aria-invalid')).toBeNull()
  await changesBar(page)
    .getByRole('button', { name: /to fix/ })
    .waitFor({ state: 'detached' })
  await publishChanges(page)
})

test.runIf(isSlow)('untouched fields show no errors before the first attempt to publish', async () => {
  const uuid = await addPage(site, '', {
    slug: 'untouched',
    title: 'Untouched',
    template: 'ruled',
    content: complete,
    status: 'listed',
  })
  // It was published before there were such rules.
  await site.app.store.db
    .updateTable('contents')
    .set({ data: '{"title":"Untouched"}' })
    .where('owner', '=', `page://${uuid}`)
    .execute()
  const page = await panel.open({ as: admin, at: '/pages/untouched' })
  await textbox(page, 'Note').fill('This is a longer note than it may be')
  await page.getByText('This can have at most 20 characters.').waitFor()
  expect(await page.getByText('Please fill this in.').count()).toBe(0)
  await changesBar(page).getByText('1 error to fix').waitFor()
  await page.keyboard.press('Control+s')
  await changesBar(page).getByText('4 errors to fix').waitFor()
  await expect.poll(() => page.getByText('Please fill this in.').count()).toBe(3)
  await expectFocused(textbox(page, 'Name'))
  await expectAccessible(page)
  await textbox(page, 'Name').fill('Here')
  await textbox(page, 'Empty').fill('No')
  await page.getByRole('radio', { name: 'Red' }).click()
  await textbox(page, 'Note').fill('Shorter')
  await changesBar(page).getByText('to fix').waitFor({ state: 'detached' })
  await publishChanges(page)
})

test.runIf(isSlow)('errors are still shown after a reload, and a tab counts its errors', async () => {
  const page = await openNew('reloaded', 'ruled', complete)
  await page.getByRole('tab', { name: 'More' }).click()
  await textbox(page, 'Code').fill('123')
  await page.getByRole('tab', { name: 'Main' }).click()
  await page.getByRole('tab', { name: /More.*1 error/ }).waitFor()
  expect(await page.getByRole('tab', { selected: true }).textContent(), 'the open tab stays').toContain('Main')
  await page.reload()
  await page.getByRole('tab', { name: 'Main' }).click()
  await changesBar(page).getByRole('button', { name: '1 error to fix' }).click()
  await page.getByText('This does not have the required format.').waitFor()
  await expectFocused(textbox(page, 'Code'))
  await changesBar(page).getByRole('button', { name: 'Discard changes' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard changes' }).click()
  await page.getByText('This does not have the required').waitFor({ state: 'detached' })
})

const note = (id: string, words: string) => ({ id, type: 'note', isHidden: false, content: { words } })

test.runIf(isSlow)('errors in nested fields mark the row, block and column, and are shown at the field', async () => {
  const page = await openNew('nested', 'nested', {
    lines: [{ what: 'One', price: 1 }, { what: 'Two', price: 2 }, { what: 'Three', price: 3 }], // prettier-ignore
    body: [note('a', 'Some words')],
    grid: [{ id: 'r', attrs: {}, columns: [{ id: 'c', width: '1/2', blocks: [] }, { id: 'd', width: '1/2', blocks: [note('b', 'Other words')] }] }], // prettier-ignore
  })
  const lines = page.getByRole('group', { name: 'Lines' })
  const rows = lines.getByRole('listitem')
  const drawer = page.getByRole('dialog')

  // A row that has just been added shows no error while it is being filled in.
  await lines.getByRole('button', { name: 'Add row' }).click()
  await drawer.getByLabel('Price').fill('20')
  await drawer.getByText('This must be at most 10.').waitFor()
  expect(await drawer.getByText('Please fill this in.').count()).toBe(0)
  await expectAccessible(page)
  await drawer.getByLabel('Price').fill('2')
  await drawer.getByText('This must be at most 10.').waitFor({ state: 'detached' })
  await drawer.getByRole('button', { name: 'Done' }).click()
  await lines.getByText('Row 4, What: Please fill this in.').waitFor()
  await rows.nth(3).getByText('Has errors').waitFor()
  await expect.poll(() => lines.getByText('Has errors').count()).toBe(1)
  await changesBar(page).getByRole('button', { name: '1 error to fix' }).click()
  await expect
    .poll(() => page.evaluate('document.activeElement.closest("[role=listitem]")?.textContent'))
    .toContain('2')
  await page.keyboard.press('Enter')
  await drawer.getByText('Please fill this in.').waitFor()
  await textbox(page, 'What').fill('Four')
  await drawer.getByText('Please fill this in.').waitFor({ state: 'detached' })
  await drawer.getByRole('button', { name: 'Done' }).click()
  await lines.getByText('Has errors').waitFor({ state: 'detached' })

  await textbox(page, 'City').fill('Reykjavik')
  await page.getByText('This can have at most 5 characters.', { exact: true }).waitFor()
  await expect.poll(() => textbox(page, 'City').getAttribute('aria-invalid')).toBe('true')
  await textbox(page, 'City').fill('Oslo')
  await page.getByText('This can have at most 5 characters.', { exact: true }).waitFor({ state: 'detached' })

  for (const [name, text] of [
    ['Body', 'Some words'],
    ['Grid', 'Other words'],
  ] as const) {
    const group = page.getByRole('group', { name })
    await group.getByText(text).click()
    await drawer.getByRole('textbox', { name: 'Words' }).fill('')
    await drawer.getByText('Please fill this in.').waitFor()
    await drawer.getByRole('button', { name: 'Done' }).click()
    await group.getByText('Words: Please fill this in.', { exact: true }).waitFor()
  }
  const grid = page.getByRole('group', { name: 'Grid' })
  await grid.getByRole('button', { name: 'Options of row 1' }).click()
  await page.getByRole('menuitem', { name: 'Row settings' }).click()
  await drawer.getByRole('textbox', { name: 'Class' }).fill('long')
  await drawer.getByText('This can have at most 3 characters.').waitFor()
  await drawer.getByRole('button', { name: 'Done' }).click()
  await grid.getByText('Has errors').waitFor()
  await changesBar(page).getByText('2 errors to fix').waitFor()
  await page.evaluate('scrollTo(0, 0)')
  await expectAccessible(page)
  const narrow = await panel.open({ as: admin, at: '/pages/nested', width: 360 })
  await narrow.getByText('Has errors').waitFor()
  await expectNoSidewaysScroll(narrow)
})

test.runIf(isSlow)('a form with errors fits on a phone, in dark mode', async () => {
  const page = await openNew('narrow', 'ruled', complete, { width: 360, theme: 'dark' })
  await page.getByLabel('Level').fill('30')
  await textbox(page, 'Name').fill('')
  await changesBar(page).getByText('2 errors to fix').waitFor()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  expect((await apiClient.done('GET', 'pages/narrow/changes')).data.errors).toHaveProperty('level')
})
