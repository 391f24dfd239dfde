/** Tables as a field and as a block: keyboard, clipboard of spreadsheets, rows and columns, undo. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectFocused, expectNoSidewaysScroll, openPanel, publishChanges } from '../../../test/browser.ts' // prettier-ignore
import { addUser, createTestStorage, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { isSlow } from '../../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/tables.yml': `title: Tables
fields:
  tides: { type: table, label: Tides }
  blocks: { type: blocks, label: Blocks }
`,
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)

async function edit(slug: string, content: Record<string, unknown>, look = {}): Promise<Page> {
  await addPage(site, '', { slug, title: slug, template: 'tables', content, draft: true })
  return panel.open({ as: admin, at: `/pages/${slug}`, ...look })
}

const cell = (page: Page, row: number, column: number) =>
  page.getByRole('textbox', { name: `Row ${row}, column ${column}`, exact: true })

async function shows(page: Page, ...rows: string[][]) {
  const read = () =>
    page.locator('tr').evaluateAll(all => all.map(row => [...row.children].map(one => one.textContent)))
  await expect.poll(read).toEqual(rows)
}

async function paste(page: Page, forms: Record<string, string>) {
  await page.evaluate(formats => {
    const copy = (event: ClipboardEvent) => {
      for (const [type, text] of Object.entries(formats)) event.clipboardData!.setData(type, text)
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    addEventListener('copy', copy, { capture: true, once: true })
  }, forms)
  await page.keyboard.press('Control+c')
  await page.keyboard.press('Control+v')
}

async function published(page: Page, slug: string) {
  await publishChanges(page)
  return (await apiClient.done('GET', `pages/${slug}?select=content`)).data.content
}

test('a table is written with the keyboard, and undone cell by cell', async () => {
  const page = await edit('keys', {})
  await page.getByRole('button', { name: 'Add table' }).click()
  await expectFocused(cell(page, 1, 1))
  await expectAccessible(page)
  await page.keyboard.type('Day')
  await page.keyboard.press('Tab')
  await page.keyboard.type('High')
  await page.keyboard.press('Enter')
  await expectFocused(cell(page, 2, 2))
  await page.keyboard.type('6:12')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.type('Mon')
  await page.keyboard.press('ArrowDown')
  await expectFocused(cell(page, 3, 1))
  await page.keyboard.type('Tue')
  await page.keyboard.press('ArrowRight')
  await expectFocused(cell(page, 3, 2))
  await page.keyboard.type('7')
  await shows(page, ['Day', 'High', ''], ['Mon', '6:12', ''], ['Tue', '7', ''])
  await page.keyboard.press('Control+z')
  await expectFocused(cell(page, 3, 2))
  await shows(page, ['Day', 'High', ''], ['Mon', '6:12', ''], ['Tue', '', ''])

  // Tab after the last cell adds a row; Alt Enter opens the menu.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expectFocused(cell(page, 4, 1))
  await page.keyboard.press('Alt+Enter')
  await page.getByRole('menuitem', { name: 'Delete row' }).click()
  await expectFocused(cell(page, 3, 1))
  await cell(page, 1, 3).click()
  await page.keyboard.press('Alt+Enter')
  await expectAccessible(page)
  await page.getByRole('menuitem', { name: 'Delete column' }).click()
  await shows(page, ['Day', 'High'], ['Mon', '6:12'], ['Tue', ''])
  await page.getByRole('button', { name: 'Add column', exact: true }).click()
  await expectFocused(cell(page, 1, 3))
  await page.keyboard.press('Control+z')
  await shows(page, ['Day', 'High'], ['Mon', '6:12'], ['Tue', ''])
  await cell(page, 2, 2).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+b')
  await page.getByRole('toolbar').waitFor()
  expect(await published(page, 'keys')).toMatchObject({
    tides: { header: true, rows: [['Day', 'High'], ['Mon', '<strong>6:12</strong>'], ['Tue', '']] },
  }) // prettier-ignore
})

test('Tab leaves a table that cannot have more rows', async () => {
  const rows = Array.from({ length: 200 }, (_, row) => [String(row)])
  const page = await edit('full', { tides: { header: false, rows } })
  await cell(page, 200, 1).click()
  await expectFocused(cell(page, 200, 1))
  await page.keyboard.press('Tab')
  await expect.poll(() => cell(page, 200, 1).evaluate(element => element.contains(document.activeElement))).toBe(false)
  await expect.poll(() => page.locator('tr').count()).toBe(200)
})

/** As LibreOffice and Google Sheets write them into the clipboard, shortened. */
const libreOffice = '<html><head><style type="text/css">body,td{font-family:"Liberation Sans"}</style></head><body><table cellspacing="0" border="0"><colgroup width="85"></colgroup><tr><td height="17" align="left"><font face="Arial">Ship</font></td><td align="right" sdval="1902" sdnum="1033;"><b>1902</b></td></tr><tr><td height="17" align="left">Ida &amp; Co</td><td align="left"><br></td></tr></table></body></html>' // prettier-ignore
const googleSheets = '<meta charset="utf-8"><google-sheets-html-origin><style type="text/css"></style><table xmlns="http://www.w3.org/1999/xhtml" cellspacing="0" dir="ltr" border="1" data-sheets-root="1"><tbody><tr style="height:21px;"><td style="font-weight:bold" data-sheets-value="{}">A</td><td>B</td><td>C</td></tr></tbody></table>' // prettier-ignore

test.runIf(isSlow)(
  'cells of spreadsheets are pasted into a table, which grows, and become a block of their own in a text',
  async () => {
    const text = { id: 'one', type: 'text', isHidden: false, content: { text: '<p>Fleet</p>' } }
    const page = await edit('paste', { tides: { header: true, rows: [['a', 'b'], ['c', 'd']] }, blocks: [text] }) // prettier-ignore
    await cell(page, 2, 2).click()
    await expectFocused(cell(page, 2, 2))
    await paste(page, { 'text/html': libreOffice, 'text/plain': 'Ship\t1902\nIda & Co\t\n' })
    await shows(page, ['a', 'b', ''], ['c', 'Ship', '1902'], ['', 'Ida & Co', ''])
    await page.keyboard.press('Control+z')
    await shows(page, ['a', 'b'], ['c', 'd'])
    await expectFocused(cell(page, 2, 2))
    await paste(page, { 'text/plain': 'x\t"two\nlines"\r\n<b>\t""\r\n' })
    await shows(page, ['a', 'b', ''], ['c', 'x', 'twolines'], ['', '<b>', ''])

    await page.locator('[data-block] [role=textbox]').click()
    await expectFocused(page.locator('[data-block] [role=textbox]'))
    await page.keyboard.press('End')
    await paste(page, { 'text/html': googleSheets, 'text/plain': 'A\tB\tC' })
    await page.locator('[data-block] table').waitFor()
    await page.keyboard.press('ArrowUp')
    await expectFocused(page.getByRole('textbox', { name: 'Text', exact: true }))
    await page.keyboard.press('Enter')
    await paste(page, { 'text/plain': 'Ida\t1902\nAda\t1815\n' })
    await expect.poll(() => page.locator('[data-block] table').count()).toBe(2)
    const { blocks, tides } = await published(page, 'paste')
    expect(tides.rows[1]).toEqual(['c', 'x', 'two<br>lines'])
    expect(blocks.map((one: { type: string; content: { table?: unknown } }) => [one.type, one.content.table])).toEqual([
    ['text', undefined],
    ['table', { header: false, rows: [['Ida', '1902'], ['Ada', '1815']] }],
    ['table', { header: false, rows: [['<strong>A</strong>', 'B', 'C']] }],
  ]) // prettier-ignore
  },
)

test.runIf(isSlow)('a table is inserted from the menu of blocks, left with the arrow keys, and undone', async () => {
  const page = await edit('block', { blocks: [{ id: 'one', type: 'text', isHidden: false, content: { text: '<p>Above</p>' } }] }) // prettier-ignore
  await page.getByRole('textbox', { name: 'Text', exact: true }).click()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.keyboard.type('/tab')
  await page.getByRole('option', { name: 'Table' }).waitFor()
  await page.keyboard.press('Enter')
  await expectFocused(cell(page, 1, 1))
  await page.keyboard.type('Ship')
  await page.keyboard.press('ArrowUp')
  await expectFocused(page.getByRole('textbox', { name: 'Text', exact: true }))
  await page.keyboard.press('ArrowDown')
  await expectFocused(cell(page, 1, 1))
  await page.keyboard.press('Escape')
  await page.locator('[data-selected] table').waitFor()
  await page.keyboard.press('Control+c')
  await page.keyboard.press('Control+v')
  await expect.poll(() => page.locator('[data-block] table').count()).toBe(2)
  await page.keyboard.press('Control+z')
  await expect.poll(() => page.locator('[data-block] table').count()).toBe(1)
  const { blocks } = await published(page, 'block')
  expect(blocks.at(-1)).toMatchObject({ type: 'table', content: { table: { header: true, rows: [['Ship', '', ''], ['', '', ''], ['', '', '']] } } }) // prettier-ignore
})

test.runIf(isSlow)(
  'a wide table scrolls on a phone, also in Arabic and dark; readers see it without tools',
  async () => {
    const rows = [1, 2, 3].map(row => Array.from({ length: 12 }, (_, column) => `${row}.${column}`))
    await edit('wide', { tides: { header: true, rows } })
    const arabicUser = await addUser(site, { email: 'ida@example.org' })
    await apiClient.done('PATCH', `users/${arabicUser.id}/language`, { language: 'ar' })
    const page = await panel.open({ as: arabicUser, at: '/pages/wide', width: 390, height: 800, theme: 'dark' })
    await page.locator('td').last().click()
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
  },
)
