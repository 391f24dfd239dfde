/** What keys do in fields, and in which form dates and times are typed. */
import { expect, test } from 'vitest'
import { expectAccessible, expectFocused, openPanel, publishChanges } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import type { Page } from 'playwright-core'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/lists.yml': `title: Lists
fields:
  writer: { type: writer, label: Writer }
  list: { type: list, label: List }
  tags: { type: tags, label: Tags, options: [party, art, stone age] }
  blocks: { type: blocks, label: Blocks }
`,
  'pages/dates.yml': `title: Dates
fields:
  usual: { type: date, label: Usual }
  named: { type: date, label: Named, display: 'D. MMMM YYYY', time: { notation: 12 } }
  half: { type: time, label: Half, notation: 12 }
  whole: { type: time, label: Whole }
  bare: { type: date, label: Bare, calendar: false }
`,
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)

async function publish(page: Page, slug: string) {
  await publishChanges(page)
  return (await apiClient.done('GET', `pages/${slug}?select=content`)).data.content
}

test.runIf(isSlow)('Enter in an empty item leaves the list', async () => {
  await addPage(site, '', {
    slug: 'lists',
    title: 'Lists',
    template: 'lists',
    content: { blocks: [{ id: 'one', type: 'list', isHidden: false, content: { text: '<ul><li>a</li><li>b</li></ul>' } }] }, // prettier-ignore
    draft: true,
  })
  const page = await panel.open({ as: admin, at: '/pages/lists' })
  const writer = page.getByRole('textbox', { name: 'Writer' })
  await writer.click()
  await page.getByRole('button', { name: 'List', exact: true }).first().click()
  await writer.getByRole('listitem').waitFor()
  await expectFocused(writer)
  for (const text of ['one', '', 'after']) {
    await page.keyboard.type(text)
    if (text !== 'after') await page.keyboard.press('Enter')
  }
  const list = page.getByRole('textbox', { name: 'List' })
  await list.first().click()
  await expectFocused(list.first())
  for (const text of ['one', '']) {
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }
  await page.keyboard.type('!')
  const blocks = page.locator('[data-block]')
  await blocks.getByText('a', { exact: true }).click()
  await expectFocused(blocks.getByRole('textbox', { name: 'List' }))
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await expectFocused(blocks.getByRole('textbox', { name: 'Text' }))
  await page.keyboard.type('between')
  const content = await publish(page, 'lists')
  expect(content.writer).toBe('<ul><li><p>one</p></li></ul><p>after</p>')
  expect(content.list).toBe('<ul><li><p>one!</p></li></ul>')
  expect(content.blocks.map((block: { type: string; content: { text: string } }) => [block.type, block.content.text])).toEqual([
    ['list', '<ul><li><p>a</p></li></ul>'],
    ['text', '<p>between</p>'],
    ['list', '<ul><li><p>b</p></li></ul>'],
  ]) // prettier-ignore
})

test.runIf(isSlow)('typed and pasted addresses become links', async () => {
  await addPage(site, '', { slug: 'links', title: 'Links', template: 'lists', draft: true })
  const page = await panel.open({ as: admin, at: '/pages/links' })
  const writer = page.getByRole('textbox', { name: 'Writer' })
  await writer.click()
  await expectFocused(writer)
  await page.keyboard.type(
    'See https://example.org/a_(b)?c=d. Or (www.example.org) or ada@example.org, not node.js or a@b ',
  )
  await page.keyboard.press('Enter')
  await page.keyboard.type('http://example.com')
  await page.keyboard.press('Enter')
  await page.keyboard.type('this')
  await page.keyboard.press('Shift+Home')
  await paste(page, 'https://example.net/?q=1')
  await page.keyboard.press('End')
  await page.keyboard.type(' ')
  await paste(page, 'and www.example.net.')
  const { writer: html } = await publish(page, 'links')
  expect(html.split('</p>')).toEqual([
    '<p>See <a href="https://example.org/a_(b)?c=d">https://example.org/a_(b)?c=d</a>. Or (<a href="https://www.example.org">www.example.org</a>) or <a href="mailto:ada@example.org">ada@example.org</a>, not node.js or a@b ',
    '<p><a href="http://example.com">http://example.com</a>',
    '<p><a href="https://example.net/?q=1">this</a> and <a href="https://www.example.net">www.example.net</a>.',
    '',
  ])
})

/** Pastes plain text with the keyboard. */
async function paste(page: Page, text: string) {
  await page.evaluate(words => {
    const copy = (event: ClipboardEvent) => {
      event.clipboardData!.setData('text/plain', words)
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    addEventListener('copy', copy, { capture: true, once: true })
  }, text)
  await page.keyboard.press('Control+c')
  await page.keyboard.press('Control+v')
}

test.runIf(isSlow)('Enter adds the suggested tag; a comma adds the typed text', async () => {
  await addPage(site, '', { slug: 'tags', title: 'Tags', template: 'lists', draft: true })
  const page = await panel.open({ as: admin, at: '/pages/tags' })
  const tags = page.getByRole('combobox', { name: 'Tags' })
  await tags.fill('sto')
  await tags.press('Enter')
  await tags.fill('art')
  await tags.press('Enter')
  await tags.pressSequentially('par,')
  await tags.fill('rty')
  await tags.press('Enter')
  await tags.fill('p')
  await tags.press('ArrowUp')
  await tags.press('Enter')
  expect((await publish(page, 'tags')).tags).toEqual(['stone age', 'art', 'par', 'rty', 'p'])
})

test.runIf(isSlow)(
  'dates and times are typed and shown in the language of the panel and the format of the field',
  async () => {
    await addPage(site, '', { slug: 'dates', title: 'Dates', template: 'dates', draft: true })
    const german = await addUser(site, { email: 'ida@example.org' })
    await apiClient.done('PATCH', `users/${german.id}/language`, { language: 'de' })
    // The browser's language is English; it must not matter.
    const page = await panel.open({ as: german, at: '/pages/dates', language: 'en-US' })
    const field = (name: string) => page.getByLabel(name, { exact: true })
    await field('Usual').fill('5.3.2026')
    await field('Named').fill('7 mär 2026')
    const time = page.getByRole('textbox', { name: /Uhrzeit|Zeit|Time/ })
    await time.fill('6:05 pm')
    await field('Half').fill('18.30')
    await field('Whole').fill('815')
    await field('Bare').fill('31.2.2026')
    await field('Whole').focus()
    await expect.poll(() => field('Usual').inputValue()).toBe('05.03.2026')
    await expect.poll(() => field('Named').inputValue()).toBe('7. März 2026')
    await expect.poll(() => time.inputValue()).toBe('06:05 PM')
    await expect.poll(() => field('Half').inputValue()).toBe('06:30 PM')
    await page.getByRole('alert').getByText('Das ist kein Datum.').waitFor()
    await expect.poll(() => field('Bare').getAttribute('aria-invalid')).toBe('true')
    await expectAccessible(page)
    await field('Bare').fill('')
    await field('Whole').press('ArrowUp')

    await field('Usual').press('Alt+ArrowDown')
    const grid = page.getByRole('grid', { name: 'März 2026' })
    await grid.waitFor()
    await expect.poll(() => grid.getByRole('columnheader').first().textContent()).toBe('Mo')
    await expectAccessible(page)
    await page.keyboard.press('PageDown')
    await page.getByRole('grid', { name: 'April 2026' }).waitFor()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await grid.waitFor({ state: 'detached' })
    await expect.poll(() => field('Usual').inputValue()).toBe('06.04.2026')
    await page.keyboard.press('Control+s')
    await expect
      .poll(async () => (await apiClient.done('GET', 'pages/dates?select=content')).data.content)
      .toMatchObject({
        usual: '2026-04-06 00:00:00',
        named: '2026-03-07 18:05:00',
        half: '18:30:00',
        whole: '08:20:00',
        bare: '',
      })
  },
)
