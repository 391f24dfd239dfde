/** Several blocks: selected with keys and mouse, copied, pasted, moved and deleted together. */
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  expectAccessible,
  expectFocused,
  expectNoSidewaysScroll,
  moveCaret,
  openPanel,
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
const program = await createTokenClient(site)

const block = (text: string, type = 'text', content: Record<string, unknown> = {}) => ({
  id: `of-${text.replaceAll(' ', '-')}`,
  type,
  isHidden: false,
  content: { text: type === 'text' ? `<p>${text}</p>` : text, ...content },
})

async function edit(slug: string, content: Record<string, unknown>, template = 'blocks', look = {}): Promise<Page> {
  await addPage(site, '', { slug, title: slug, template, content, draft: true })
  return panel.open({ as: admin, at: `/pages/${slug}`, ...look })
}
const letters = ['a', 'b', 'c', 'd', 'e']
const five = () => letters.map(letter => block(letter))

async function shows(page: Page, ...texts: string[]) {
  await expect.poll(() => page.locator('[data-block] [role=textbox]').allTextContents()).toEqual(texts)
}
async function selects(page: Page, ...texts: string[]) {
  await expect.poll(() => page.locator('[data-selected] [role=textbox]').allTextContents()).toEqual(texts)
}
const textbox = (page: Page, text: string) => page.locator('[data-block] [role=textbox]', { hasText: text }).first()

async function enter(page: Page, text: string) {
  await textbox(page, text).click()
  await expectFocused(textbox(page, text))
}

async function stored(slug: string, field = 'blocks') {
  const { content } = (await program.done('GET', `pages/${slug}?select=content`)).data
  return (content[field] as { type: string; content: { text: string } }[]).map(one => [one.type, one.content.text])
}

test.runIf(isSlow)('blocks are selected with the keyboard and changed together; each change is one step', async () => {
  const page = await edit('keys', { blocks: five() })
  await enter(page, 'b')
  await page.keyboard.press('Escape')
  await selects(page, 'b')
  await page.keyboard.press('Shift+ArrowDown')
  await selects(page, 'b', 'c')
  await page.getByRole('status').getByText('2 blocks selected').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Alt+Shift+ArrowDown')
  await shows(page, 'a', 'd', 'b', 'c', 'e')
  await page.keyboard.press('Control+Shift+d')
  await shows(page, 'a', 'd', 'b', 'c', 'b', 'c', 'e')
  await page.keyboard.press('Delete')
  await shows(page, 'a', 'd', 'b', 'c', 'e')
  await selects(page, 'e')
  for (let steps = 0; steps < 3; steps++) await page.keyboard.press('Control+z')
  await shows(page, ...letters)
  await page.keyboard.press('Escape')
  await selects(page)

  // The second Ctrl A selects all blocks.
  await enter(page, 'c')
  await page.keyboard.press('Control+a')
  await selects(page)
  await page.keyboard.press('Control+a')
  await selects(page, ...letters)
  await page.keyboard.press('ArrowDown')
  await selects(page, 'e')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expectFocused(textbox(page, 'd'))
  await page.keyboard.type('!')
  await shows(page, 'a', 'b', 'c', 'd!', 'e')
  // From the end of a text into the next block.
  await page.keyboard.press('Shift+ArrowDown')
  await selects(page, 'd!', 'e')
})

test.runIf(isSlow)('blocks are selected with the mouse and dragged together', async () => {
  const page = await edit('mouse', { blocks: five() })
  await enter(page, 'a')
  await textbox(page, 'c').click({ modifiers: ['Shift'] })
  await selects(page, 'a', 'b', 'c')
  await textbox(page, 'b').click({ modifiers: ['Shift'] })
  await selects(page, 'a', 'b')
  const grip = page.getByRole('button', { name: 'Move Text' })
  await grip.first().dragTo(textbox(page, 'e'), { targetPosition: { x: 20, y: 18 } })
  await shows(page, 'c', 'd', 'e', 'a', 'b')
  await page.getByRole('button', { name: 'Turn into' }).click()
  await page.getByRole('menuitem', { name: 'Heading' }).click()
  await expect.poll(() => page.locator('[data-selected]').getByRole('textbox', { name: 'Heading' }).allTextContents()).toEqual(['a', 'b']) // prettier-ignore
  await page.keyboard.press('Control+z')
  await page.getByRole('textbox', { name: 'Heading' }).first().waitFor({ state: 'detached' })
  await textbox(page, 'd').click()
  await selects(page)

  // Pressed in one text and released in another.
  const [from, to] = [(await textbox(page, 'd').boundingBox())!, (await textbox(page, 'a').boundingBox())!]
  await page.mouse.move(from.x + 4, from.y + 6)
  await page.mouse.down()
  await page.mouse.move(to.x + 30, to.y + 4, { steps: 6 })
  await selects(page, 'd', 'e', 'a')
  await page.mouse.up()
  await selects(page, 'd', 'e', 'a')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await shows(page, 'c', 'b')
  await page.getByRole('button', { name: 'Undo' }).click()
  await shows(page, 'c', 'd', 'e', 'a', 'b')
})

test.runIf(isSlow)('the page scrolls while blocks beyond the window are selected with the mouse', async () => {
  const lines = Array.from({ length: 60 }, (_, index) => block(`line ${index}`))
  const page = await edit('long', { blocks: lines })
  const { x, y } = (await textbox(page, 'line 1').boundingBox())!
  await page.mouse.move(x + 4, y + 6)
  await page.mouse.down()
  await page.mouse.move(x + 30, 790, { steps: 6 })
  const selected = page.locator('[data-selected]')
  await expect.poll(() => selected.count()).toBe(59)
  // Back to the start, without the other direction of the mouse being lost.
  await page.mouse.move(x + 30, 10, { steps: 6 })
  await selects(page, 'line 0', 'line 1')
  await page.mouse.up()
})

test.runIf(isSlow)('copied blocks are pasted into other fields, pages and tabs, and are text elsewhere', async () => {
  const page = await edit('from', { blocks: [block('Top', 'heading', { level: 'h3' }), block('a'), block('b')] })
  await enter(page, 'a')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Shift+ArrowUp')
  await page.keyboard.press('Control+x')
  await shows(page, 'b')
  await page.keyboard.press('Control+v')
  await shows(page, 'b', 'Top', 'a')
  for (let steps = 0; steps < 2; steps++) await page.keyboard.press('Control+z')
  await shows(page, 'Top', 'a', 'b')

  await addPage(site, '', { slug: 'to', title: 'to', template: 'two', draft: true, content: { first: [block('leftright')], few: [block('x')] } }) // prettier-ignore
  const tab = await page.context().newPage()
  await tab.goto(`${panel.url}/pages/to`)
  await enter(tab, 'left')
  await moveCaret(tab, 4)
  await tab.keyboard.press('Control+v')
  await shows(tab, 'left', 'Top', 'a', 'right', 'x')
  // A field without headings: they become text. All or nothing, if there is no room.
  await enter(tab, 'x')
  await tab.keyboard.press('Escape')
  await tab.keyboard.press('Control+v')
  await shows(tab, 'left', 'Top', 'a', 'right', 'x', 'Top', 'a')
  await tab.keyboard.press('Control+v')
  await tab.getByText('There is no room for that many blocks in this field.').waitFor()
  await publishChanges(tab)
  expect(await stored('to', 'first')).toEqual([['text', '<p>left</p>'], ['heading', 'Top'], ['text', '<p>a</p>'], ['text', '<p>right</p>']]) // prettier-ignore
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
  await selects(page, 'b')
  await tap(textbox(page, 'd'))
  await selects(page, 'b', 'c', 'd')
  await tap(textbox(page, 'c'))
  await selects(page, 'b', 'c')
  await tap(page.getByRole('button', { name: 'Copy', exact: true }))
  await selects(page, 'b', 'c')
  await tap(page.getByRole('button', { name: 'Clear selection' }))
  await selects(page)
  await tap(textbox(page, 'e'))
  await expectFocused(textbox(page, 'e'))
  await page.keyboard.press('Control+v')
  await shows(page, 'a', 'b', 'c', 'd', 'e', 'b', 'c')
})

test.runIf(isSlow)('from another site, references are left out; hostile clipboards change nothing', async () => {
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
  await enter(page, 'here')
  await page.keyboard.press('Escape')
  await paste({ 'text/html': `<div data-quoin-blocks="${JSON.stringify({ site: 'https://example.org', blocks: [image, block('there')] }).replaceAll('"', '&quot;')}"><p>there</p></div>` }) // prettier-ignore
  await shows(page, 'here', 'there')
  await page.getByText('1 reference to another site was left out').waitFor()
  const people = [{ name: 'Ida', photo: [{ uuid: 'file://one' }, { uuid: 'file://two' }] }]
  const team = { id: 'y', type: 'team', isHidden: false, content: { people } }
  await paste({ [type]: JSON.stringify({ site: 'https://example.org', blocks: [team] }) })
  await page.getByText('2 references to another site were left out').waitFor()
  await publishChanges(page)
  const { content } = (await program.done('GET', 'pages/foreign?select=content')).data
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
  await shows(page, 'here', 'there')
  await page.keyboard.press('Control+z')
  await shows(page, 'here')
})

test.runIf(isSlow)('selected blocks of a layout move to another column, also in Arabic on a phone', async () => {
  const columns = [
    { id: 'left', width: '1/2', blocks: [block('a'), block('b'), block('c')] },
    { id: 'right', width: '1/2', blocks: [block('d')] },
  ]
  const page = await edit('columns', { layout: [{ id: 'row', attrs: {}, columns }] }, 'layout')
  await enter(page, 'a')
  await textbox(page, 'b').click({ modifiers: ['Shift'] })
  await page.getByRole('button', { name: 'Move Text' }).first().dragTo(textbox(page, 'd'), { targetPosition: { x: 20, y: 2 } }) // prettier-ignore
  await shows(page, 'c', 'a', 'b', 'd')
  // The handle that was dragged is gone; tooltips are shown again.
  await page.getByRole('button', { name: 'Page actions' }).hover()
  await page.locator('[aria-hidden=true].fixed', { hasText: 'Page actions' }).waitFor()
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('Control+z')
  await shows(page, 'a', 'b', 'c', 'd')

  const arab = await addUser(site, { email: 'ida@example.org' })
  await program.done('PATCH', `users/${arab.id}/language`, { language: 'ar' })
  const narrow = await panel.open({ as: arab, at: '/pages/columns', width: 390, height: 800, theme: 'dark' })
  await enter(narrow, 'b')
  await narrow.keyboard.press('Escape')
  await narrow.keyboard.press('Shift+ArrowDown')
  await selects(narrow, 'b', 'c')
  await expectAccessible(narrow)
  await expectNoSidewaysScroll(narrow)
})
