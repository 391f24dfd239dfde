/** Undo and redo in blocks and layouts, with the keyboard. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { changesBar, expectFocused, moveCaret, openPanel, publishChanges } from '../../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { isSlow } from '../../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/blocks.yml':
    'title: Blocks\nfields: { name: { type: text, label: Name }, blocks: { type: blocks, label: Blocks } }',
  'pages/layout.yml': "title: Layout\nfields: { layout: { type: layout, label: Layout, layouts: ['1/2, 1/2'] } }",
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)

const block = (text: string, type = 'text') => ({
  id: `of-${text.replaceAll(' ', '-')}`,
  type,
  isHidden: false,
  content: { text: type === 'text' ? `<p>${text}</p>` : text },
})

async function edit(slug: string, content: Record<string, unknown>, template = 'blocks'): Promise<Page> {
  await addPage(site, '', { slug, title: slug, template, content, draft: true })
  return panel.open({ as: admin, at: `/pages/${slug}` })
}

const texts = (page: Page) => page.locator('[data-block] [role=textbox]').allTextContents()
async function shows(page: Page, ...expected: string[]) {
  await expect.poll(() => texts(page)).toEqual(expected)
}
const textbox = (page: Page, text: string) => page.locator('[data-block] [role=textbox]', { hasText: text }).first()

async function enter(page: Page, text: string) {
  await textbox(page, text).click()
  await expectFocused(textbox(page, text))
  await page.keyboard.press('End')
}

/** How much is one step depends on the speed of typing, so it is undone until the text is there. */
async function undoUntil(page: Page, ...expected: string[]) {
  for (let steps = 0; steps < 20; steps++) {
    await page.keyboard.press('Control+z')
    if (JSON.stringify(await texts(page)) === JSON.stringify(expected)) return
  }
  await shows(page, ...expected)
}

test.runIf(isSlow)(
  'typing, moving, duplicating, pasting and deleting are undone in order, also after leaving the block',
  async () => {
    const page = await edit('order', { blocks: [block('one'), block('two'), block('three')] })
    await enter(page, 'one')
    await page.keyboard.type(' a')
    await page.keyboard.press('Alt+Shift+ArrowDown')
    await shows(page, 'two', 'one a', 'three')
    await enter(page, 'three')
    await page.keyboard.type(' c')
    await page.keyboard.press('Control+Shift+d')
    await shows(page, 'two', 'one a', 'three c', 'three c')
    await enter(page, 'two')
    await page.keyboard.press('Control+Shift+Backspace')
    await shows(page, 'one a', 'three c', 'three c')

    // The focus is in no text.
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('Control+z')
    await shows(page, 'two', 'one a', 'three c', 'three c')
    await expectFocused(textbox(page, 'two'))
    await page.keyboard.press('Control+z')
    await shows(page, 'two', 'one a', 'three c')
    await expectFocused(textbox(page, 'three'))
    await undoUntil(page, 'two', 'one a', 'three')
    await page.keyboard.press('Control+z')
    await shows(page, 'one a', 'two', 'three')
    await undoUntil(page, 'one', 'two', 'three')
    await expectFocused(textbox(page, 'one'))
    for (let steps = 0; steps < 20; steps++) await page.keyboard.press('Control+Shift+z')
    await shows(page, 'one a', 'three c', 'three c')

    // The caret is where it was; what is typed ends the redo.
    await page.keyboard.press('Control+z')
    await expectFocused(textbox(page, 'two'))
    await page.keyboard.type('!')
    await shows(page, 'two!', 'one a', 'three c', 'three c')
    await page.keyboard.press('Control+y')
    await shows(page, 'two!', 'one a', 'three c', 'three c')

    // Other fields have their own undo.
    await page.getByRole('textbox', { name: 'Name' }).fill('Ida')
    await page.getByRole('textbox', { name: 'Name' }).press('Control+z')
    await expect.poll(() => page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('')
    await shows(page, 'two!', 'one a', 'three c', 'three c')
  },
)

test.runIf(isSlow)('the caret returns to where something was typed, and steps are those of the texts', async () => {
  const page = await edit('caret', { blocks: [block('left right'), block('code', 'markdown')] })
  await enter(page, 'left')
  await moveCaret(page, 4)
  await page.keyboard.type('ish')
  await shows(page, 'leftish right')
  await page.getByRole('textbox', { name: 'Markdown' }).press('End')
  await page.keyboard.type('!')
  await page.keyboard.press('Control+z')
  await expect.poll(() => page.getByRole('textbox', { name: 'Markdown' }).inputValue()).toBe('code')
  await undoUntil(page, 'left right')
  await page.keyboard.type('-')
  await shows(page, 'left- right')
})

test.runIf(isSlow)('after publishing, everything can still be undone', async () => {
  const page = await edit('stays', { blocks: [block('one')] })
  await enter(page, 'one')
  await page.keyboard.type('!')
  // The server adds the fields that this block does not have yet.
  await page.getByRole('button', { name: 'Add block', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Quote' }).click()
  await page.keyboard.type('Wind')
  await shows(page, 'one!', 'Wind', 'by …')
  await publishChanges(page)
  await page.getByRole('heading', { level: 1 }).click()
  await undoUntil(page, 'one!')
  await undoUntil(page, 'one')
})

test.runIf(isSlow)('a change by another user is not undone', async () => {
  await addPage(site, '', { slug: 'merged', title: 'merged', template: 'blocks', status: 'listed' })
  await apiClient.done('PATCH', 'pages/merged', { blocks: [block('mine'), block('theirs')] })
  const page = await panel.open({ as: admin, at: '/pages/merged' })
  await enter(page, 'mine')
  await apiClient.done('PATCH', 'pages/merged', { blocks: [block('mine'), { ...block('theirs'), content: { text: '<p>changed</p>' } }] }) // prettier-ignore
  await page.keyboard.type('!')
  await shows(page, 'mine!', 'changed')
  await page.keyboard.press('Control+z')
  await shows(page, 'mine!', 'changed')
  await page.keyboard.type('?')
  await undoUntil(page, 'mine!', 'changed')

  await changesBar(page).getByRole('button', { name: 'Discard' }).click()
  await page
    .getByRole('alertdialog')
    .or(page.getByRole('dialog'))
    .getByRole('button', { name: /Discard/ })
    .click()
  await shows(page, 'mine', 'changed')
  await enter(page, 'mine')
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+Shift+z')
  await shows(page, 'mine', 'changed')
})

test.runIf(isSlow)('in a layout, all columns share the steps, and a move between columns is one', async () => {
  const row = {
    id: 'row',
    attrs: {},
    columns: [
      { id: 'left', width: '1/2', blocks: [block('one'), block('two')] },
      { id: 'right', width: '1/2', blocks: [block('three')] },
    ],
  }
  const page = await edit('layout', { layout: [row] }, 'layout')
  await enter(page, 'three')
  await page.keyboard.type('!')
  await enter(page, 'one')
  await page.keyboard.type('?')
  await shows(page, 'one?', 'two', 'three!')
  const grip = page.getByRole('button', { name: 'Move Text' }).first()
  await grip.dragTo(textbox(page, 'three'), { targetPosition: { x: 20, y: 2 } })
  await shows(page, 'two', 'one?', 'three!')
  await page.keyboard.press('Control+z')
  await shows(page, 'one?', 'two', 'three!')
  await undoUntil(page, 'one', 'two', 'three!')
  await undoUntil(page, 'one', 'two', 'three')
  await expectFocused(textbox(page, 'three'))
  await page.getByRole('button', { name: 'Options of row 1' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await shows(page)
  await page.keyboard.press('Control+z')
  await shows(page, 'one', 'two', 'three')
})
