/** Menus and toolbar while writing in blocks. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectFocused, openPanel, publishChanges } from '../../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { isSlow } from '../../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/blocks.yml': 'title: Blocks\nfields: { blocks: { type: blocks, label: Blocks } }',
  'pages/own.yml': 'title: Own\nfields: { blocks: { type: blocks, label: Blocks, fieldsets: [quote, heading, text] } }',
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)

const block = (id: string, type: string, content: Record<string, unknown>) => ({ id, type, isHidden: false, content })

async function edit(slug: string, template: string, text: string, look = {}): Promise<Page> {
  return editBlocks(slug, template, [block('one', 'text', { text })], look)
}

async function editBlocks(slug: string, template: string, blocks: unknown[], look = {}): Promise<Page> {
  await addPage(site, '', { slug, title: slug, template, content: { blocks }, draft: true })
  return panel.open({ as: admin, at: `/pages/${slug}`, ...look })
}

test.runIf(isSlow)(
  'a block is turned into others and keeps its text; the menu begins with what is used most',
  async () => {
    const page = await edit('turn', 'blocks', '<p>Cast off the <strong>ropes</strong></p><p>Set sail</p>')
    const options = page.getByRole('button', { name: /^Options of/ })
    const turn = async (name: string) => {
      await options.first().click()
      await page.getByRole('menuitem', { name: `Turn into ${name}`, exact: true }).click()
      await page.getByRole('menu').waitFor({ state: 'detached' })
    }
    await turn('List')
    await expect
      .poll(() => page.locator('[data-block] li').allTextContents())
      .toEqual(['Cast off the ropes', 'Set sail'])
    await turn('Quote')
    await turn('Text')
    await turn('Heading')
    await expectFocused(page.getByRole('textbox', { name: 'Heading' }))
    await page.keyboard.type('!')
    await publishChanges(page)
    const { content } = (await apiClient.done('GET', 'pages/turn?select=content')).data
    expect(content.blocks).toMatchObject([
      { id: 'one', type: 'heading', content: { text: 'Cast off the <strong>ropes</strong><br>Set sail!' } },
    ])
    await turn('Code')
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Code' }).inputValue())
      .toBe('Cast off the ropes\nSet sail!')
    await page.keyboard.press('Control+z')
    await page.getByRole('textbox', { name: 'Heading' }).waitFor()

    await page.getByRole('button', { name: 'Add block', exact: true }).click()
    await expect.poll(async () => (await page.getByRole('menuitem').allInnerTexts()).slice(0, 5)).toEqual(['Text', 'Heading', 'List', 'Image', 'Quote']) // prettier-ignore
    await addPage(site, '', { slug: 'own', title: 'own', template: 'own', draft: true })
    await page.goto(`${panel.url}/pages/own`)
    await page.getByRole('button', { name: 'Add block', exact: true }).click()
    await expect.poll(() => page.getByRole('menuitem').allInnerTexts()).toEqual(['Text', 'Quote', 'Heading'])
  },
)

const textbox = (page: Page, text: string) => page.locator('[data-block] [role=textbox]', { hasText: text }).first()

/** The editor puts the caret into a text in an animation frame, and learns of a moved one in a later task. */
const settled = (page: Page) =>
  page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')

/** How much text is before the caret. */
const caretPlace = `(() => {
  const { anchorNode, anchorOffset } = getSelection()
  const before = document.createRange()
  before.setStart(document.activeElement, 0)
  before.setEnd(anchorNode, anchorOffset)
  return before.toString().length
})()`

async function enter(page: Page, text: string, offset: number) {
  await textbox(page, text).click()
  await expectFocused(textbox(page, text))
  const step = async () => {
    await settled(page)
    const place = await page.evaluate<number>(caretPlace)
    if (place !== offset) await page.keyboard.press(place < offset ? 'ArrowRight' : 'ArrowLeft')
    return place
  }
  await expect.poll(step).toBe(offset)
}

/** Type and text of each block, as published. */
async function published(page: Page, slug: string) {
  await publishChanges(page)
  const { content } = (await apiClient.done('GET', `pages/${slug}?select=content`)).data
  return (content.blocks as { type: string; content: { text?: string } }[]).map(one => [one.type, one.content.text])
}

test('Enter splits a block at the caret, Backspace joins it again, and both are undone', async () => {
  const page = await editBlocks('split', 'blocks', [
    block('one', 'text', { text: '<p>Cast <strong>off</strong> now</p>' }),
    block('two', 'heading', { level: 'h3', text: 'North South' }),
    block('three', 'quote', { text: 'Wind', citation: '' }),
  ])
  const texts = page.locator('[data-block] [role=textbox]')
  const shows = async (...expected: string[]) => {
    await expect.poll(async () => (await texts.allInnerTexts()).map(text => text.trim())).toEqual(expected)
  }
  await enter(page, 'Cast off', 6)
  await page.keyboard.press('Enter')
  await page.keyboard.type('+')
  await shows('Cast o', '+ff now', 'North South', 'Wind', 'by …')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Backspace')
  await shows('Cast off now', 'North South', 'Wind', 'by …')
  await page.keyboard.type('|')
  await shows('Cast o|ff now', 'North South', 'Wind', 'by …')
  for (let steps = 0; steps < 12 && (await texts.first().innerText()).trim() !== 'Cast off now'; steps++) await page.keyboard.press('Control+z') // prettier-ignore
  await shows('Cast off now', 'North South', 'Wind', 'by …')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('-')

  // What follows a heading is a text.
  await enter(page, 'North', 5)
  await page.keyboard.press('Enter')
  await expectFocused(page.getByRole('textbox', { name: 'Text', exact: true }).nth(1))
  await shows('Cast o\n-ff now', 'North', 'South', 'Wind', 'by …')
  // At the start, the block moves down.
  await enter(page, 'North', 0)
  await page.keyboard.press('Enter')
  await page.keyboard.type('>')
  await shows('Cast o\n-ff now', 'Text', '>North', 'South', 'Wind', 'by …')
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+z')
  await shows('Cast o\n-ff now', 'North', 'South', 'Wind', 'by …')
  // A quotation becomes a text first, and is joined then.
  await enter(page, 'Wind', 0)
  await page.keyboard.press('Backspace')
  await expectFocused(page.getByRole('textbox', { name: 'Text', exact: true }).nth(2))
  await page.keyboard.press('Backspace')
  await expectFocused(page.getByRole('textbox', { name: 'Text', exact: true }).nth(1))
  await page.keyboard.type('&')
  expect(await published(page, 'split')).toEqual([
    ['text', '<p>Cast <strong>o</strong><br><strong>-ff</strong> now</p>'],
    ['heading', 'North'],
    ['text', '<p>South&amp;Wind</p>'],
  ])
})

test('splitting keeps empty paragraphs of the author; joining with a text without paragraphs makes one of both', async () => {
  const page = await editBlocks('paragraphs', 'blocks', [
    block('one', 'text', { text: '<p>One</p><p></p><p>Two</p>' }),
    block('two', 'text', { text: 'Loose words' }),
    block('three', 'text', { text: '<p>Wind</p>' }),
  ])
  // A click in the margin below a paragraph puts the caret into it.
  const paragraph = (await page.locator('[data-block=one] p', { hasText: 'One' }).boundingBox())!
  await page.mouse.click(paragraph.x + 9, paragraph.y + paragraph.height + 4)
  await expectFocused(textbox(page, 'Two'))
  expect(await page.evaluate('getSelection().anchorNode.textContent')).toBe('One')
  await enter(page, 'Two', 4)
  await page.keyboard.press('ArrowLeft')
  await settled(page)
  await page.keyboard.press('Enter')
  await enter(page, 'Wind', 0)
  await page.keyboard.press('Backspace')
  await textbox(page, 'Loose wordsWind').waitFor()
  expect(await published(page, 'paragraphs')).toEqual([
    ['text', '<p>One</p><p></p>'],
    ['text', '<p>Two</p>'],
    ['text', '<p>Loose wordsWind</p>'],
  ])
})

test.runIf(isSlow)(
  'signs at the start of a line make blocks, and a text has no headings and lists of its own',
  async () => {
    const page = await edit('signs', 'blocks', '<p>First</p>')
    const text = page.getByRole('textbox', { name: 'Text', exact: true })
    await text.click()
    await expectFocused(text)
    await page.keyboard.press('Control+a')
    const toolbar = page.getByRole('toolbar')
    await toolbar.getByRole('button', { name: 'Bold' }).waitFor()
    expect(await toolbar.getByRole('button', { name: /Heading|List|list|Quote|Divider/ }).count()).toBe(0)
    await page.keyboard.press('End')
    await settled(page)
    for (const line of ['# Top', '- one', 'two', '', '> Said', '1. first', '', '---']) {
      await page.keyboard.press('Enter')
      await page.keyboard.type(line)
    }
    await page.keyboard.type('Last')
    await expectFocused(textbox(page, 'Last'))
    // Undo returns the sign.
    await page.keyboard.press('Enter')
    await page.keyboard.type('## ')
    await expectFocused(page.getByRole('textbox', { name: 'Heading' }).last())
    await page.keyboard.press('Control+z')
    await expectFocused(textbox(page, '##'))
    await page.keyboard.press('Control+Shift+Backspace')
    expect(await published(page, 'signs')).toEqual([
      ['text', '<p>First</p>'],
      ['heading', 'Top'],
      ['list', '<ul><li><p>one</p></li><li><p>two</p></li></ul>'],
      ['quote', 'Said'],
      ['list', '<ol><li><p>first</p></li></ol>'],
      ['line', undefined],
      ['text', '<p>Last</p>'],
    ])
  },
)

test.runIf(isSlow)('Alt F10 reaches the toolbar, which is one row on a phone, too', async () => {
  const page = await edit('tools', 'blocks', '<p>Fair winds</p>', { width: 390 })
  const text = page.getByRole('textbox', { name: 'Text', exact: true })
  await text.click()
  await expectFocused(text)
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Alt+F10')
  const toolbar = page.getByRole('toolbar')
  const buttons = toolbar.getByRole('button')
  await expectFocused(buttons.first())
  expect(new Set(await buttons.evaluateAll(all => all.map(one => one.getBoundingClientRect().top))).size).toBe(1)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expectFocused(text)
  await page.keyboard.press('Alt+F10')
  await expectFocused(buttons.first())
  const names = await buttons.evaluateAll(all => all.map(one => one.getAttribute('aria-label')))
  for (let steps = 0; steps < names.indexOf('Italic'); steps++) await page.keyboard.press('ArrowRight')
  await expectFocused(toolbar.getByRole('button', { name: 'Italic' }))
  await page.keyboard.press('Enter')
  await text.locator('em', { hasText: 'Fair winds' }).waitFor()
  await expectFocused(text)

  // In Arabic, the text and its toolbar are at the right.
  const arabicUser = await addUser(site, { email: 'ida@example.org' })
  await apiClient.done('PATCH', `users/${arabicUser.id}/language`, { language: 'ar' })
  const blocks = [block('one', 'text', { text: '<p>رياح طيبة</p>' })]
  await addPage(site, '', { slug: 'winds', title: 'winds', template: 'blocks', content: { blocks }, draft: true })
  const mirrored = await panel.open({ as: arabicUser, at: '/pages/winds' })
  await textbox(mirrored, 'رياح').click()
  await expectFocused(textbox(mirrored, 'رياح'))
  await mirrored.keyboard.press('Control+a')
  const left = async () => (await mirrored.getByRole('toolbar').boundingBox())?.x
  await expect.poll(left).toBeGreaterThan(600)
})

test.runIf(isSlow)('Delete at the end of a block joins the next one', async () => {
  const page = await editBlocks('delete', 'blocks', [
    block('one', 'text', { text: '<p>Cast</p>' }),
    block('two', 'text', { text: '<p> <strong>off</strong></p>' }),
    block('three', 'heading', { level: 'h3', text: 'North' }),
    block('four', 'text', { text: '' }),
    block('five', 'heading', { level: 'h3', text: 'South' }),
    block('six', 'line', {}),
  ])
  await enter(page, 'Cast', 4)
  await page.keyboard.press('Delete')
  await textbox(page, 'Cast off').waitFor()
  await page.keyboard.type('+')
  await enter(page, 'Cast+', 9)
  await page.keyboard.press('Delete')
  await textbox(page, 'Cast+ offNorth').waitFor()
  await page.keyboard.type('-')
  // An empty text goes, and what follows stays as it is.
  await page.getByRole('textbox', { name: 'Text', exact: true }).nth(1).click()
  await page.keyboard.press('Delete')
  await expectFocused(textbox(page, 'South'))
  await page.keyboard.press('End')
  await settled(page)
  await page.keyboard.press('Delete')
  await page.locator('[data-block=six][data-selected]').waitFor()
  expect(await published(page, 'delete')).toEqual([
    ['text', '<p>Cast+ <strong>off-</strong>North</p>'],
    ['heading', 'South'],
    ['line', undefined],
  ])
})
