/** Menus and toolbar while writing in blocks. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectFocused, openPanel, publishChanges } from '../../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/blocks.yml': 'title: Blocks\nfields: { blocks: { type: blocks, label: Blocks } }',
  'pages/own.yml': 'title: Own\nfields: { blocks: { type: blocks, label: Blocks, fieldsets: [quote, heading, text] } }',
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const program = await createTokenClient(site)

async function edit(slug: string, template: string, text: string, look = {}): Promise<Page> {
  const blocks = [{ id: 'one', type: 'text', isHidden: false, content: { text } }]
  await addPage(site, '', { slug, title: slug, template, content: { blocks }, draft: true })
  return panel.open({ as: admin, at: `/pages/${slug}`, ...look })
}

test('a block is turned into others and keeps its text; the menu begins with what is used most', async () => {
  const page = await edit('turn', 'blocks', '<p>Cast off the <strong>ropes</strong></p><p>Set sail</p>')
  const options = page.getByRole('button', { name: /^Options of/ })
  const turn = async (name: string) => {
    await options.first().click()
    await page.getByRole('menuitem', { name: `Turn into ${name}`, exact: true }).click()
    await page.getByRole('menu').waitFor({ state: 'detached' })
  }
  await turn('List')
  await expect.poll(() => page.locator('[data-block] li').allTextContents()).toEqual(['Cast off the ropes', 'Set sail'])
  await turn('Quote')
  await turn('Text')
  await turn('Heading')
  await expectFocused(page.getByRole('textbox', { name: 'Heading' }))
  await page.keyboard.type('!')
  await publishChanges(page)
  const { content } = (await program.done('GET', 'pages/turn?select=content')).data
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
})

test('Alt F10 reaches the toolbar, which is one row on a phone, too', async () => {
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
})
