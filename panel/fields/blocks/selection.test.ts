/** Several blocks: selected with keys and mouse, copied, pasted, moved and deleted together. */
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  expectAccessible,
  expectFocused,
  expectNoSidewaysScroll,
  moveCaret,
  openPanel,
  type PageOptions,
  publishChanges,
} from '../../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { isSlow } from '../../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/blocks.yml': 'title: Blocks\nfields: { blocks: { type: blocks, label: Blocks } }',
  'pages/two.yml': `title: Two
fields:
  first: { type: blocks, label: First, fieldsets: { text: true, heading: true, image: true, team: { fields: { people: { type: structure, fields: { name: { type: text }, photo: { type: files } } } } } } }
  few: { type: blocks, label: Few, fieldsets: [text], max: 3 }
`,
  'pages/layout.yml': "title: Layout\nfields: { layout: { type: layout, label: Layout, layouts: ['1/2, 1/2'] } }",
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)

const block = (text: string, type = 'text', content: Record<string, unknown> = {}) => ({
  id: `of-${text.replaceAll(' ', '-')}`,
  type,
  isHidden: false,
  content: { text: type === 'text' ? `<p>${text}</p>` : text, ...content },
})

async function edit(
  slug: string,
  content: Record<string, unknown>,
  template = 'blocks',
  pageOptions: PageOptions = {},
): Promise<Page> {
  await addPage(site, '', { slug, title: slug, template, content, draft: true })
  return panel.open({ as: admin, at: `/pages/${slug}`, ...pageOptions })
}
const letters = ['a', 'b', 'c', 'd', 'e']
const five = () => letters.map(letter => block(letter))

async function expectTexts(page: Page, ...texts: string[]) {
  await expect.poll(() => page.locator('[data-block] [role=textbox]').allTextContents()).toEqual(texts)
}
async function expectSelected(page: Page, ...texts: string[]) {
  await expect.poll(() => page.locator('[data-selected] [role=textbox]').allTextContents()).toEqual(texts)
}
const textbox = (page: Page, text: string) => page.locator('[data-block] [role=textbox]', { hasText: text }).first()

async function focusBlock(page: Page, text: string) {
  await textbox(page, text).click()
  await expectFocused(textbox(page, text))
}

async function readStored(slug: string, field = 'blocks') {
  const { content } = (await apiClient.done('GET', `pages/${slug}?select=content`)).data
  return (content[field] as { type: string; content: { text: string } }[]).map(one => [one.type, one.content.text])
}

test.runIf(isSlow)('blocks are selected with the keyboard and changed together; each change is one step', async () => {
  const page = await edit('keys', { blocks: five() })
  await focusBlock(page, 'b')
  await page.keyboard.press('Escape')
  await expectSelected(page, 'b')
  await page.keyboard.press('Shift+ArrowDown')
  await expectSelected(page, 'b', 'c')
  await page.getByRole('status').getByText('2 blocks selected').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Alt+Shift+ArrowDown')
  await expectTexts(page, 'a', 'd', 'b', 'c', 'e')
  await page.keyboard.press('Control+Shift+d')
  await expectTexts(page, 'a', 'd', 'b', 'c', 'b', 'c', 'e')
  await page.keyboard.press('Delete')
  await expectTexts(page, 'a', 'd', 'b', 'c', 'e')
  await expectSelected(page, 'e')
  for (let steps = 0; steps < 3; steps++) await page.keyboard.press('Control+z')
  await expectTexts(page, ...letters)
  await page.keyboard.press('Escape')
  await expectSelected(page)

  // The first Ctrl+A selects the text, the second all blocks.
  await focusBlock(page, 'c')
  await page.keyboard.press('Control+a')
  await expectSelected(page)
  await page.keyboard.press('Control+a')
  await expectSelected(page, ...letters)
  await page.keyboard.press('ArrowDown')
  await expectSelected(page, 'e')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expectFocused(textbox(page, 'd'))
  await page.keyboard.type('!')
  await expectTexts(page, 'a', 'b', 'c', 'd!', 'e')
  // Shift+ArrowDown at the end of a text extends the selection to the next block.
  await page.keyboard.press('Shift+ArrowDown')
  await expectSelected(page, 'd!', 'e')
})

test.runIf(isSlow)('blocks are selected with the mouse and dragged together', async () => {
  const page = await edit('mouse', { blocks: five() })
  await focusBlock(page, 'a')
  await textbox(page, 'c').click({ modifiers: ['Shift'] })
  await expectSelected(page, 'a', 'b', 'c')
  await textbox(page, 'b').click({ modifiers: ['Shift'] })
  await expectSelected(page, 'a', 'b')
  const handle = page.getByRole('button', { name: 'Move Text' })
  await handle.first().dragTo(textbox(page, 'e'), { targetPosition: { x: 20, y: 18 } })
  await expectTexts(page, 'c', 'd', 'e', 'a', 'b')
  await page.getByRole('button', { name: 'Turn into' }).click()
  await page.getByRole('menuitem', { name: 'Heading' }).click()
  await expect.poll(() => page.locator('[data-selected]').getByRole('textbox', { name: 'Heading' }).allTextContents()).toEqual(['a', 'b']) // prettier-ignore
  await page.keyboard.press('Control+z')
  await page.getByRole('textbox', { name: 'Heading' }).first().waitFor({ state: 'detached' })
  await textbox(page, 'd').click()
  await expectSelected(page)

  // Dragging from one text into another selects the blocks between.
  const [from, to] = [(await textbox(page, 'd').boundingBox())!, (await textbox(page, 'a').boundingBox())!]
  await page.mouse.move(from.x + 4, from.y + 6)
  await page.mouse.down()
  await page.mouse.move(to.x + 30, to.y + 4, { steps: 6 })
  await expectSelected(page, 'd', 'e', 'a')
  await page.mouse.up()
  await expectSelected(page, 'd', 'e', 'a')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expectTexts(page, 'c', 'b')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expectTexts(page, 'c', 'd', 'e', 'a', 'b')
})

test.runIf(isSlow)('the page scrolls while blocks beyond the window are selected with the mouse', async () => {
  const lines = Array.from({ length: 60 }, (_, index) => block(`line ${index}`))
  const page = await edit('long', { blocks: lines })
  const { x, y } = (await textbox(page, 'line 1').boundingBox())!
  await page.mouse.move(x + 4, y + 6)
  await page.mouse.down()
  // Near the lower edge of the window, which is 800 px high: the page scrolls.
  await page.mouse.move(x + 30, 790, { steps: 6 })
  const selected = page.locator('[data-selected]')
  await expect.poll(() => selected.count()).toBe(59)
  // Dragging back above the first block shrinks the selection and extends it upwards.
  await page.mouse.move(x + 30, 10, { steps: 6 })
  await expectSelected(page, 'line 0', 'line 1')
  await page.mouse.up()
})

test.runIf(isSlow)('cut blocks are pasted into other fields, pages and tabs; unknown types become text', async () => {
  const page = await edit('from', { blocks: [block('Top', 'heading', { level: 'h3' }), block('a'), block('b')] })
  await focusBlock(page, 'a')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Shift+ArrowUp')
  await page.keyboard.press('Control+x')
  await expectTexts(page, 'b')
  await page.keyboard.press('Control+v')
  await expectTexts(page, 'b', 'Top', 'a')
  for (let steps = 0; steps < 2; steps++) await page.keyboard.press('Control+z')
  await expectTexts(page, 'Top', 'a', 'b')

  await addPage(site, '', { slug: 'to', title: 'to', template: 'two', draft: true, content: { first: [block('leftright')], few: [block('x')] } }) // prettier-ignore
  const tab = await page.context().newPage()
  await tab.goto(`${panel.url}/pages/to`)
  await focusBlock(tab, 'left')
  await moveCaret(tab, 4)
  await tab.keyboard.press('Control+v')
  await expectTexts(tab, 'left', 'Top', 'a', 'right', 'x')
  // A field without headings: they become text. If the blocks would exceed `max`, none is pasted.
  await focusBlock(tab, 'x')
  await tab.keyboard.press('Escape')
  await tab.keyboard.press('Control+v')
  await expectTexts(tab, 'left', 'Top', 'a', 'right', 'x', 'Top', 'a')
  await tab.keyboard.press('Control+v')
  await tab.getByText('There is no room for that many blocks in this field.').waitFor()
  await publishChanges(tab)
  expect(await readStored('to', 'first')).toEqual([['text', '<p>left</p>'], ['heading', 'Top'], ['text', '<p>a</p>'], ['text', '<p>right</p>']]) // prettier-ignore
  await tab.close()
})

test.runIf(isSlow)('blocks are selected by touch, and copied with the button of the bar', async () => {
  const page = await edit('touch', { blocks: five() }, 'blocks', { width: 390, height: 800 })
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  const tap = async (target: Locator) => {
    await target.scrollIntoViewIfNeeded()
    const { x, y, width, height } = (await target.boundingBox())!
    const touchPoints = [{ x: x + width / 2, y: y + height / 2 }]
    await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
    await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  }
  await tap(page.getByRole('button', { name: 'Options of Text' }).nth(1))
  const select = page.getByRole('menuitem', { name: 'Select', exact: true })
  await select.waitFor()
  await tap(select)
  await expectSelected(page, 'b')
  await tap(textbox(page, 'd'))
  await expectSelected(page, 'b', 'c', 'd')
  await tap(textbox(page, 'c'))
  await expectSelected(page, 'b', 'c')
  await tap(page.getByRole('button', { name: 'Copy', exact: true }))
  await expectSelected(page, 'b', 'c')
  await tap(page.getByRole('button', { name: 'Clear selection' }))
  await expectSelected(page)
  await tap(textbox(page, 'e'))
  await expectFocused(textbox(page, 'e'))
  await page.keyboard.press('Control+v')
  await expectTexts(page, 'a', 'b', 'c', 'd', 'e', 'b', 'c')
})

test.runIf(isSlow)('pasting from another site drops references; malformed clipboard data is ignored', async () => {
  const page = await edit('foreign', { first: [block('here')] }, 'two')
  const paste = async (forms: Record<string, string>) => {
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
  const type = 'application/x-quoin-blocks+json'
  const image = {
    id: 'x',
    type: 'image',
    isHidden: false,
    content: { image: [{ uuid: 'file://gone' }], alt: 'A boat' },
  }
  await focusBlock(page, 'here')
  await page.keyboard.press('Escape')
  await paste({ 'text/html': `<div data-quoin-blocks="${JSON.stringify({ site: 'https://example.org', blocks: [image, block('there')] }).replaceAll('"', '&quot;')}"><p>there</p></div>` }) // prettier-ignore
  await expectTexts(page, 'here', 'there')
  await page.getByText('1 reference to another site was left out').waitFor()
  const people = [{ name: 'Ida', photo: [{ uuid: 'file://one' }, { uuid: 'file://two' }] }]
  const team = { id: 'y', type: 'team', isHidden: false, content: { people } }
  await paste({ [type]: JSON.stringify({ site: 'https://example.org', blocks: [team] }) })
  await page.getByText('2 references to another site were left out').waitFor()
  await publishChanges(page)
  const { content } = (await apiClient.done('GET', 'pages/foreign?select=content')).data
  expect(content.first.at(-1)).toMatchObject({ type: 'team', content: { people: [{ name: 'Ida', photo: [] }] } })
  await page.keyboard.press('Control+z')
  for (const json of [
    '{',
    '[]',
    '{"blocks":{}}',
    '{"blocks":[{"type":1},null]}',
    '{"blocks":[{"id":"a","type":"__proto__","content":{}}]}',
  ])
    await paste({ [type]: json })
  await expectTexts(page, 'here', 'there')
  await page.keyboard.press('Control+z')
  await expectTexts(page, 'here')
})

test.runIf(isSlow)('selected blocks of a layout move to another column, also in Arabic on a phone', async () => {
  const columns = [
    { id: 'left', width: '1/2', blocks: [block('a'), block('b'), block('c')] },
    { id: 'right', width: '1/2', blocks: [block('d')] },
  ]
  const page = await edit('columns', { layout: [{ id: 'row', attrs: {}, columns }] }, 'layout')
  await focusBlock(page, 'a')
  await textbox(page, 'b').click({ modifiers: ['Shift'] })
  await page.getByRole('button', { name: 'Move Text' }).first().dragTo(textbox(page, 'd'), { targetPosition: { x: 20, y: 2 } }) // prettier-ignore
  await expectTexts(page, 'c', 'a', 'b', 'd')
  // The handle that was dragged is gone; tooltips are shown again.
  await page.getByRole('button', { name: 'Page actions' }).hover()
  await page.locator('[aria-hidden=true].fixed', { hasText: 'Page actions' }).waitFor()
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('Control+z')
  await expectTexts(page, 'a', 'b', 'c', 'd')

  const arabicUser = await addUser(site, { email: 'ida@example.org' })
  await apiClient.done('PATCH', `users/${arabicUser.id}/language`, { language: 'ar' })
  // A page of its own: the first one may still have the edit lock of the other account.
  const narrow = await edit('columns-narrow', { layout: [{ id: 'row', attrs: {}, columns }] }, 'layout', {
    as: arabicUser,
    width: 390,
    height: 800,
    theme: 'dark',
  })
  await focusBlock(narrow, 'b')
  await narrow.keyboard.press('Escape')
  await narrow.keyboard.press('Shift+ArrowDown')
  await expectSelected(narrow, 'b', 'c')
  await expectAccessible(narrow)
  await expectNoSidewaysScroll(narrow)
})
