import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { fieldTypes } from '../../src/blueprints/fields/index.ts'
import {
  expectAccessible,
  expectFocused,
  expectNoSidewaysScroll,
  openPanel,
  publishChanges,
} from '../../test/browser.ts'
import { createImage } from '../../test/files.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addFile } from '../../test/media.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

const options = 'options: { a: Apple, b: Banana, c: Cherry }'
const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'site.yml': 'title: Site\nsections: { pages: { type: pages } }',
  'pages/every.yml': `title: Every field
fields:
  headline: { type: headline, label: Everything }
  text: { type: text, label: A text, required: true, maxlength: 40, width: 1/2 }
  slug: { type: slug, label: A slug, wizard: { field: text }, width: 1/2 }
  email: { type: email, label: An e-mail, width: 1/3 }
  tel: { type: tel, label: A telephone, width: 1/3 }
  url: { type: url, label: A web address, width: 1/3 }
  textarea: { type: textarea, label: A textarea }
  writer: { type: writer, label: A writer }
  list: { type: list, label: A list }
  date: { type: date, label: A date, width: 1/2 }
  time: { type: time, label: A time, width: 1/2 }
  number: { type: number, label: A number, width: 1/2 }
  range: { type: range, label: A range, width: 1/2 }
  color: { type: color, label: A colour }
  link: { type: link, label: A link }
  tags: { type: tags, label: Some tags }
  multiselect: { type: multiselect, label: Some of many, ${options} }
  select: { type: select, label: One of many, ${options} }
  radio: { type: radio, label: One of few, ${options} }
  checkboxes: { type: checkboxes, label: Some of few, ${options} }
  toggle: { type: toggle, label: A toggle, text: ['', Certainly] }
  toggles: { type: toggles, label: Some toggles, ${options} }
  only: { type: text, label: Only with apples, when: { toggles: a } }
  line: { type: line }
  structure: { type: structure, label: A structure, fields: { what: { type: text, label: What }, many: { type: number, label: How many } } }
  object: { type: object, label: An object, fields: { street: { type: text, label: Street } } }
  files: { type: files, label: Some files }
  pages: { type: pages, label: Some pages }
  users: { type: users, label: A person, multiple: false }
  blocks: { type: blocks, label: Some blocks }
  layout: { type: layout, label: A layout, layouts: ['1/1', '1/2, 1/2'] }
  table: { type: table, label: A table }
  gap: { type: gap }
  info: { type: info, label: A note, text: Some *words* }
  hidden: { type: hidden }
`,
  'pages/table.yml': `title: Table
fields:
  rows:
    type: structure
    label: Rows
    fields:
      what: { type: text, label: What }
      when: { type: date, label: When }
      tags: { type: tags, label: Tags }
      colour: { type: color, label: Colour }
      is: { type: toggle, label: Is }
      one: { type: select, label: One, ${options} }
      some: { type: multiselect, label: Some, ${options} }
      pages: { type: pages, label: Pages }
      users: { type: users, label: Users }
`,
  'pages/colours.yml': `title: Colours
fields:
  short: { type: color, label: Short }
  hsl: { type: color, label: In HSL, format: hsl }
`,
  'pages/blocks.yml': 'title: Blocks\nfields: { blocks: { type: blocks, label: Blocks } }',
  'pages/links.yml': `title: Links
fields:
  page: { type: link, label: To a page }
  file: { type: link, label: To a file }
  gone: { type: link, label: To nothing }
  writer: { type: writer, label: A writer }
  textarea: { type: textarea, label: A textarea }
  rows: { type: structure, label: Rows, fields: { to: { type: link, label: To } } }
`,
  'pages/slash.yml': `title: Slash
fields:
  blocks:
    type: blocks
    label: Blocks
    max: 5
    fieldsets:
      words: { type: group, label: Words, fieldsets: [text, heading, quote] }
      more: { type: group, label: More, fieldsets: [line, image] }
`,
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)
const content = async (id: string) =>
  (await apiClient.done('GET', `pages/${id}?select=content`)).data.content as Record<string, unknown>
// oxlint-disable-next-line typescript/no-explicit-any -- each test knows the shape
const blocksOf = async (id: string) => (await content(id))['blocks'] as any[]

const group = (page: Page | Locator, name: string) => page.getByRole('group', { name, exact: true })
const radiogroup = (page: Page, name: string) => page.getByRole('radiogroup', { name, exact: true })
const line = (page: Page, name: string) => page.getByLabel(name, { exact: true })

test('the colour picker opens with the colour of the field, whose swatch shows no invalid colour', async () => {
  await addPage(site, '', { slug: 'colours', title: 'Colours', template: 'colours', draft: true })
  const page = await panel.open({ as: admin, at: '/pages/colours' })
  const picker = (name: string) => line(page, name).locator('..').locator('input[type=color]')
  await line(page, 'Short').fill('#abc')
  await expect.poll(() => picker('Short').inputValue()).toBe('#aabbcc')
  await picker('In HSL').fill('#3366cc')
  await expect.poll(() => line(page, 'In HSL').inputValue()).toBe('hsl(220, 60%, 50%)')
  expect(await picker('In HSL').inputValue()).toBe('#3366cc')
  await line(page, 'In HSL').fill('rgb(255 136 0 / 0.5)')
  await expect.poll(() => picker('In HSL').inputValue()).toBe('#ff8800')
  const swatch = () =>
    picker('Short').evaluate(input => getComputedStyle(input.previousElementSibling!).backgroundColor)
  expect(await swatch()).toBe('rgb(170, 187, 204)')
  await line(page, 'Short').fill('#ab')
  await expect.poll(swatch).toBe('rgba(0, 0, 0, 0)')
})

test('every field type has an editor that saves what the server stores', async () => {
  await addPage(site, '', { slug: 'notes', title: 'Notes', template: 'default', status: 'listed' })
  await addPage(site, '', { slug: 'every', title: 'Every', template: 'every', draft: true })
  const page = await panel.open({ as: admin, at: '/pages/every' })
  const isClosed = () => page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('textbox', { name: 'A text (required)' }).fill('Boats at night')
  await page.getByText('14 / 40').waitFor()
  await page.getByRole('button', { name: 'Create from title' }).click()
  await line(page, 'An e-mail').fill('ida@example.org')
  await line(page, 'A telephone').fill('+49 30 1234')
  await line(page, 'A web address').fill('https://example.org')
  await line(page, 'A textarea').fill('Some words')
  await line(page, 'A textarea').selectText()
  await group(page, 'A textarea').or(page.getByRole('toolbar')).getByRole('button', { name: 'Bold' }).first().click()
  const writer = page.getByRole('textbox', { name: 'A writer' })
  await writer.click()
  await expectFocused(writer)
  await page.keyboard.type('Some words')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+b')
  const list = page.getByRole('textbox', { name: 'A list' })
  await list.click()
  await expectFocused(list)
  await page.keyboard.type('one')
  await page.keyboard.press('Enter')
  await page.keyboard.type('two')
  await line(page, 'A date').fill('2026-11-15')
  await line(page, 'A time').fill('08:15')
  await line(page, 'A number').fill('7.5')
  await line(page, 'A range').fill('40')
  await line(page, 'A colour').fill('#0e5f63')
  await page.getByPlaceholder('https://example.com').last().fill('https://example.com/a')
  await line(page, 'Some tags').fill('stone')
  await line(page, 'Some tags').press('Enter')
  await line(page, 'Some of many').fill('Ban')
  await page.getByRole('option', { name: 'Banana' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('listbox').waitFor({ state: 'detached' })
  // Rarely, on a busy machine, the list closes and nothing is chosen: people see that, and choose again.
  const select = line(page, 'One of many')
  await expect
    .poll(async () => {
      if ((await select.innerText()) !== 'Cherry') {
        await select.click()
        await page.getByRole('option', { name: 'Cherry' }).click()
      }
      return select.innerText()
    })
    .toBe('Cherry')
  await radiogroup(page, 'One of few').getByRole('radio', { name: 'Banana' }).check()
  await group(page, 'Some of few').getByRole('checkbox', { name: 'Cherry' }).check()
  await group(page, 'Some of few').getByRole('checkbox', { name: 'Apple' }).check()
  await page
    .locator('label', { has: page.getByRole('switch') })
    .getByText('Off', { exact: true })
    .waitFor()
  await page.getByRole('switch').check()
  await page.getByText('Certainly').waitFor()
  expect(await page.getByLabel('Only with apples').count()).toBe(0)
  await radiogroup(page, 'Some toggles').getByText('Apple').click()
  await line(page, 'Only with apples').fill('Seen')

  await group(page, 'A structure').getByRole('button', { name: 'Add row' }).click()
  await page.getByRole('dialog').getByLabel('What').fill('Rope')
  await page.getByRole('dialog').getByLabel('How many').fill('3')
  await page.getByRole('button', { name: 'Done' }).click()
  await isClosed()
  await line(page, 'Street').fill('Quay 1')
  await group(page, 'Some files')
    .locator('input[type=file]')
    .setInputFiles({ name: 'boat.png', mimeType: 'image/png', buffer: await createImage() })
  await group(page, 'Some files').getByText('boat.png').first().waitFor()
  await group(page, 'Some pages').getByRole('button', { name: 'Choose' }).click()
  await page.getByRole('checkbox', { name: /Notes/ }).check()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Apply' }).click()
  await isClosed()
  await group(page, 'A person').getByRole('button', { name: 'Choose' }).click()
  await page
    .getByRole('textbox', { name: 'Search' })
    .or(page.getByRole('searchbox', { name: 'Search' }))
    .fill('ada')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /ada@example.org/ })
    .click()
  await isClosed()
  await group(page, 'Some blocks').getByRole('button', { name: 'Add block', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Heading' }).click()
  await expectFocused(group(page, 'Some blocks').getByRole('textbox', { name: 'Heading' }))
  await page.keyboard.type('Harbour')
  await page.keyboard.press('Enter')
  await expectFocused(group(page, 'Some blocks').getByRole('textbox', { name: 'Text' }))
  await page.keyboard.type('Words below it')
  await group(page, 'A layout').getByRole('button', { name: 'Add row' }).click()
  await page.getByRole('button', { name: '2 columns' }).click()
  await group(page, 'A layout').getByRole('button', { name: 'Add block', exact: true }).last().click()
  await page.getByRole('menuitem', { name: 'Text' }).click()
  await expectFocused(group(page, 'A layout').getByRole('textbox', { name: 'Text' }))
  await page.keyboard.type('On the right')
  await group(page, 'A table').getByRole('button', { name: 'Add table' }).click()
  await expectFocused(group(page, 'A table').getByRole('textbox', { name: 'Row 1, column 1', exact: true }))
  await page.keyboard.type('Ship')
  await expectAccessible(page)
  await publishChanges(page)

  const stored = await content('every')
  expect(stored).toMatchObject({
    text: 'Boats at night',
    slug: 'boats-at-night',
    email: 'ida@example.org',
    tel: '+49 30 1234',
    url: 'https://example.org',
    textarea: '**Some words**',
    writer: '<p><strong>Some words</strong></p>',
    list: '<ul><li><p>one</p></li><li><p>two</p></li></ul>',
    date: '2026-11-15 00:00:00',
    time: '08:15:00',
    number: 7.5,
    range: 40,
    color: '#0e5f63',
    link: 'https://example.com/a',
    tags: ['stone'],
    multiselect: ['b'],
    select: 'c',
    radio: 'b',
    checkboxes: ['a', 'c'],
    toggle: true,
    toggles: 'a',
    only: 'Seen',
    structure: [{ what: 'Rope', many: 3 }],
    object: { street: 'Quay 1' },
    files: [{ filename: 'boat.png' }],
    pages: [{ id: 'notes', text: 'Notes' }],
    users: [{ email: 'ada@example.org' }],
    blocks: [
      { type: 'heading', content: { level: 'h2', text: 'Harbour' } },
      { type: 'text', content: { text: '<p>Words below it</p>' } },
    ],
    layout: [{ columns: [{ width: '1/2', blocks: [] }, { blocks: [{ content: { text: '<p>On the right</p>' } }] }] }],
    table: {
      rows: [
        ['Ship', '', ''],
        ['', '', ''],
        ['', '', ''],
      ],
    },
  })
  // Every field type of the server is in this test.
  expect(Object.keys(fieldTypes).filter(type => !(type in stored))).toEqual(['gap', 'headline', 'info', 'line'])
  expect(await page.getByText('cannot be edited here').count()).toBe(0)
})

const text = (id: string) => ({ type: 'text', id, isHidden: false, content: { text: `<p>${id}</p>` } })

test.runIf(isSlow)(
  'blocks are sorted, duplicated, hidden and deleted with the keyboard, and a deletion can be undone',
  async () => {
    const uuid = await addPage(site, '', { slug: 'blocks', template: 'blocks', draft: true, content: {} })
    // Of a block type that the field no longer offers.
    const blocks = [text('one'), text('two'), text('three'), { type: 'lost', id: 'x', content: { a: 1 } }]
    const data = JSON.stringify({ blocks: JSON.stringify(blocks) })
    await site.app.store.write(tx =>
      tx.updateTable('contents').set({ data }).where('owner', '=', `page://${uuid}`).execute(),
    )
    const page = await panel.open({ as: admin, at: '/pages/blocks' })
    const textboxes = page.getByRole('textbox', { name: 'Text' })
    const textbox = (at: number) => textboxes.nth(at)
    const shows = async (...texts: string[]) => {
      await expect.poll(() => textboxes.allTextContents()).toEqual(texts)
    }
    /** The editor replaces the text that gets the focus. */
    const edit = async (at: number) => {
      await textbox(at).focus()
      await expectFocused(textbox(at))
    }
    await edit(0)
    await page.keyboard.press('Alt+Shift+ArrowDown')
    await shows('two', 'one', 'three')
    await expectFocused(textbox(1))
    await page.keyboard.type('!')
    await page.keyboard.press('ArrowUp')
    await expectFocused(textbox(0))
    await page.keyboard.type('?')
    await page.keyboard.press('Control+Shift+d')
    await shows('two?', 'two?', 'one!', 'three')
    await page.getByRole('button', { name: 'Move Text' }).nth(3).press('ArrowUp')
    await shows('two?', 'two?', 'three', 'one!')
    await page.getByRole('button', { name: 'Options of Text' }).last().press('Enter')
    await page.getByRole('menuitem', { name: 'Hide' }).press('Enter')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await expectAccessible(page)
    await publishChanges(page)
    expect((await blocksOf('blocks')).map(({ content: { text: html, a }, isHidden }) => [html ?? a, isHidden])).toEqual(
      [
        ['<p>two?</p>', false],
        ['<p>two?</p>', false],
        ['<p>three</p>', false],
        ['<p>one!</p>', true],
        [1, false],
      ],
    )

    await edit(2)
    await page.keyboard.press('Control+Shift+Backspace')
    await shows('two?', 'two?', 'one!')
    await page.getByRole('button', { name: 'Undo' }).click()
    await shows('two?', 'two?', 'three', 'one!')
    await edit(1)
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Backspace')
    await expect.poll(() => textbox(1).locator('br').count(), { message: 'an empty line' }).toBe(1)
    await page.keyboard.press('Backspace')
    await shows('two?', 'three', 'one!')
    await expectFocused(textbox(0))
    await page.keyboard.type('.')
    await publishChanges(page)
    expect((await blocksOf('blocks')).map(({ content: { text: html } }) => html)).toEqual([
      '<p>two?.</p>',
      '<p>three</p>',
      '<p>one!</p>',
      undefined,
    ])
  },
)

test('scripts in a text are not run', async () => {
  const bad = '<p>Hello <a href="https://example.org">there</a></p>'
  await addPage(site, '', { slug: 'hostile', template: 'blocks', draft: true, content: { blocks: [] } })
  await apiClient.done('PATCH', 'pages/hostile', {
    blocks: [
      { type: 'text', content: { text: `${bad}<img src=x onerror="window.hit=1"><script>window.hit=1</script>` } },
    ],
  })
  const page = await panel.open({ as: admin, at: '/pages/hostile' })
  const shown = page.getByRole('textbox', { name: 'Text' })
  await expect.poll(() => shown.innerText()).toContain('Hello there')
  await shown.click()
  await expectFocused(shown)
  await page.keyboard.type('!')
  await expect.poll(() => shown.innerText()).toContain('!')
  expect(await page.evaluate('window.hit')).toBe(undefined)
})

test.runIf(isSlow)('of 200 blocks only the edited one has an editor', async () => {
  const words =
    'Some words as long as a paragraph usually is, with <strong>marks</strong> and a <a href="/a">link</a>. '
  const blocks = Array.from({ length: 200 }, (_, at) => ({
    type: 'text',
    id: `b${at}`,
    isHidden: false,
    content: { text: `<p>${words.repeat(3)}</p>` },
  }))
  await addPage(site, '', { slug: 'long', template: 'blocks', draft: true, content: { blocks } })
  const page = await panel.open({ as: admin, at: '/pages/long' })
  await page.getByRole('textbox', { name: 'Text' }).nth(100).click()
  await expect.poll(() => page.locator('.ProseMirror').count()).toBe(1)
})

test.runIf(isSlow)('forms fit a narrow window, in both directions and both themes', async () => {
  const page = await panel.open({ as: admin, at: '/pages/every', width: 360, theme: 'dark' })
  await page.getByRole('textbox', { name: 'A text (required)' }).waitFor()
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.evaluate("document.documentElement.dir = 'rtl'")
  await expectNoSidewaysScroll(page)
})

/** The accessible name must contain the visible label, for speech input. */
async function expectCalledAsShown(page: Page) {
  await expectAccessible(page)
  const { violations } = await page.evaluate<{ violations: { nodes: { html: string }[] }[] }>(
    `axe.run(document, { runOnly: ['label-content-name-mismatch'] })`,
  )
  expect(violations.flatMap(({ nodes }) => nodes.map(({ html }) => html))).toEqual([])
}

test.runIf(isSlow)('rows of a structure are named by their contents, whatever the number of columns', async () => {
  const row = { when: '2026-05-31', tags: ['a', 'b'], colour: '#336699', is: true, one: 'b', some: ['a', 'c'] }
  const rows = ['Boats', 'Nets', 'Oars'].map(what => ({ what, ...row, pages: [{ id: 'notes' }], users: [{ id: admin.id }] })) // prettier-ignore
  await addPage(site, '', { slug: 'table', title: 'Table', template: 'table', content: { rows } })
  for (const width of [1280, 360]) {
    const page = await panel.open({ as: admin, at: '/pages/table', width })
    await page.getByRole('listitem').getByText('Oars').waitFor()
    await expectCalledAsShown(page)
    await page.getByRole('button', { name: /^Edit row 2 Nets/ }).click()
    await page.getByRole('dialog', { name: 'Nets' }).getByLabel('What').waitFor()
    await expectCalledAsShown(page)
  }
})

const dialog = (page: Page) => page.getByRole('dialog').last()
const pick = (page: Page, name: string) => dialog(page).getByRole('button', { name }).first().click()

async function apply(page: Page) {
  await dialog(page).getByRole('button', { name: 'Apply' }).click()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
}

test.runIf(isSlow)('links point to pages and files of the site, which are shown by their titles', async () => {
  const notes = await addPage(site, '', {
    slug: 'harbour',
    title: 'The harbour',
    template: 'default',
    status: 'listed',
  })
  const links = await addPage(site, '', { slug: 'links', title: 'Links', template: 'links', draft: true })
  const drawn = { mime: 'image/png', type: 'image', width: 300, height: 200 }
  const { uuid: boat } = await addFile(
    site,
    `page://${links}`,
    'boat.png',
    await createImage('png', { width: 300, height: 200 }),
    drawn,
  )
  await apiClient.done('PATCH', 'pages/links', {
    page: `page://${notes}`,
    file: `file://${boat}`,
    gone: 'page://thisIsGoneSince1',
    writer: `<p>See <a href="/@/page/${notes}" target="_blank">there</a></p>`,
    textarea: 'See there',
    rows: [{ to: `page://${notes}` }],
  })
  const page = await panel.open({ as: admin, at: '/pages/links' })
  await page
    .getByRole('button', { name: /The harbour/ })
    .first()
    .waitFor()
  await page
    .getByRole('button', { name: /boat.png/ })
    .locator('img')
    .waitFor()
  await page.getByRole('button', { name: /This page was deleted, or you do not have access to it/ }).waitFor()
  await page.getByRole('button', { name: /^Edit row 1 The harbour/ }).waitFor()
  expect(await page.getByText(/(?:page|file):\/\//).count()).toBe(0)
  // An existing link in a text shows its target below it. It gets another target, in the same window.
  const writer = page.getByRole('textbox', { name: 'A writer' })
  await writer.getByText('there').click()
  await page.getByRole('button', { name: 'Remove link' }).waitFor()
  await expectCalledAsShown(page)
  await page.keyboard.press('Control+k')
  await dialog(page)
    .getByRole('button', { name: /The harbour/ })
    .waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('Control+k')
  await dialog(page).getByRole('combobox', { name: 'Link type' }).click()
  await page.getByRole('option', { name: 'File' }).click()
  await pick(page, 'boat.png')
  await dialog(page).getByRole('checkbox', { name: 'Open in new tab' }).uncheck()
  await apply(page)
  await expect
    .poll(() => writer.evaluate(element => element.contains(document.activeElement)), { message: 'who writes on' })
    .toBe(true)
  // Where nothing is chosen, the title is the text; the search and the arrow keys find it.
  await page.keyboard.press('End')
  await page.keyboard.type(' and ')
  await page.keyboard.press('Control+k')
  await dialog(page).getByRole('combobox', { name: 'Link type' }).click()
  await page.getByRole('option', { name: 'Page', exact: true }).click()
  await dialog(page).getByRole('searchbox').fill('harbour')
  await dialog(page)
    .getByRole('button', { name: /The harbour/ })
    .waitFor()
  await expect.poll(() => dialog(page).getByRole('button', { name: /Notes/ }).count(), { message: 'others' }).toBe(0)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await apply(page)
  await page.setViewportSize({ width: 360, height: 740 })

  const area = page.getByLabel('A textarea', { exact: true })
  await area.evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(4, 9))
  await area.press('Control+k')
  await dialog(page).getByPlaceholder('https://example.com').fill('example.org/a')
  await expectNoSidewaysScroll(page)
  await page.keyboard.press('Enter')
  await expect.poll(() => area.inputValue()).toBe('See [there](https://example.org/a)')
  await area.press('Control+k')
  await dialog(page).getByPlaceholder('https://example.com').fill(`/@/page/${notes}`)
  await dialog(page)
    .getByRole('button', { name: /The harbour/ })
    .waitFor()
  await apply(page)
  await publishChanges(page)
  expect(await content('links')).toMatchObject({
    writer: `<p>See <a href="/@/file/${boat}">there</a> and <a href="/@/page/${notes}">The harbour</a></p>`,
    textarea: `See [there](/@/page/${notes})`,
  })
  await writer.getByText('there').click()
  await page.keyboard.press('Control+k')
  await dialog(page).getByRole('button', { name: 'Remove link' }).click()
  await publishChanges(page)
  expect((await content('links'))['writer']).toBe(`<p>See there and <a href="/@/page/${notes}">The harbour</a></p>`)
})

test.runIf(isSlow)('a slash in an empty line opens the block menu', async () => {
  const lines = { type: 'text', id: 'a', isHidden: false, content: { text: '<p>one</p><p></p><p>two</p>' } }
  await addPage(site, '', { slug: 'slash', template: 'slash', draft: true, content: { blocks: [lines] } })
  const page = await panel.open({ as: admin, at: '/pages/slash' })
  const choices = page.getByRole('option')
  await page.getByText('one').click()
  await page.keyboard.press('End')
  await page.keyboard.type('/')
  expect(await choices.count()).toBe(0)
  await page.keyboard.press('Backspace')
  await page.locator('.ProseMirror p').nth(1).click()
  await page.keyboard.type('/')
  await page.getByRole('listbox').getByRole('group', { name: 'Words' }).waitFor()
  await expect.poll(() => choices.allInnerTexts()).toEqual(['Text', 'Heading', 'Quote', 'Divider', 'Image'])
  await expectAccessible(page)
  await page.keyboard.type('q')
  await expect.poll(() => choices.allInnerTexts()).toEqual(['Quote'])
  await page.keyboard.type('x')
  await page.getByText('No block found').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('listbox').count()).toBe(0)
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Backspace')
  await expect.poll(() => page.getByRole('textbox', { name: 'Text' }).innerText()).toContain('/')
  expect(await choices.count()).toBe(0)
  await page.keyboard.press('Backspace')

  // The text around the line stays around the block.
  await page.keyboard.type('/head')
  await page.getByRole('option', { name: 'Heading', selected: true }).waitFor()
  await page.getByRole('combobox', { name: 'Text', expanded: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('Between')
  await page.keyboard.press('Enter')
  await page.setViewportSize({ width: 360, height: 740 })
  await page.evaluate("document.documentElement.dir = 'rtl'")
  await page.keyboard.type('/')
  await choices.last().waitFor()
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.keyboard.press('ArrowUp')
  await page.getByRole('option', { name: 'Image', selected: true }).waitFor()
  await page.getByRole('option', { name: 'Divider' }).click()
  await publishChanges(page)
  expect((await blocksOf('slash')).map(({ type, content: { text: html } }) => [type, html])).toEqual([
    ['text', '<p>one</p>'],
    ['heading', 'Between'],
    ['line', undefined],
    ['text', '<p>two</p>'],
  ])

  // After one more, the maximum is reached.
  await page.getByRole('textbox', { name: 'Text' }).last().click()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('button', { name: 'Add block', exact: true }).waitFor({ state: 'detached' })
  await page.keyboard.type('/')
  await page.getByRole('textbox', { name: 'Text' }).last().getByText('/').waitFor()
  expect(await page.getByRole('listbox').count()).toBe(0)
})
