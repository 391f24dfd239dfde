/** What other programs put into the clipboard, pasted with the keyboard into every kind of text. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectFocused, openPanel, publishChanges } from '../../../test/browser.ts'
import { createImage } from '../../../test/files.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { isSlow } from '../../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/texts.yml': `title: Texts
fields:
  writer: { type: writer, label: Writer }
  inline: { type: writer, label: Inline, inline: true }
  list: { type: list, label: List }
  area: { type: textarea, label: Area }
  plain: { type: textarea, label: Plain, buttons: false }
`,
  'pages/blocks.yml': 'title: Blocks\nfields: { blocks: { type: blocks, label: Blocks } }',
  'pages/linked.yml':
    'title: Linked\nfields: { blocks: { type: blocks, label: Blocks, fieldsets: { text: true, image: { extends: blocks/image, fields: { image: { uploads: false } } } } } }',
  'pages/few.yml': 'title: Few\nfields: { blocks: { type: blocks, label: Blocks, fieldsets: [text, heading] } }',
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')
const html = (name: string) => ({ 'text/html': fixture(`${name}.html`) })
const markdown = { 'text/plain': fixture('markdown.md') }
const bytes = [...(await createImage('png'))]

interface Content {
  [name: string]: unknown
  writer: string
  inline: string
  list: string
  area: string
  plain: string
}
interface BlockContent {
  type: string
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows the shape
  content: any
}

async function edit(slug: string, template: string, content: Record<string, unknown> = {}): Promise<Page> {
  await addPage(site, '', { slug, title: slug, template, content, draft: true })
  const page = await panel.open({ as: admin, at: `/pages/${slug}` })
  await page.getByRole('heading', { level: 1, name: slug }).waitFor()
  return page
}

/** Copies what another program would, and pastes it with the keys. */
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

/** The clipboard of a browser under test holds no files, so the test creates this event. */
async function pasteImage(page: Page, words: string) {
  await page.evaluate(
    ({ words: pasted, png }) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/html', pasted)
      clipboardData.items.add(new File([new Uint8Array(png)], 'image.png', { type: 'image/png' }))
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
      document.activeElement!.dispatchEvent(event)
    },
    { words, png: bytes },
  )
}

async function drop(page: Page, selector: string, name: string, type: string): Promise<boolean> {
  await page.locator(selector).first().waitFor()
  return page.evaluate(
    ({ selector: at, png, name: filename, type: mime }) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([new Uint8Array(png)], filename, { type: mime }))
      const element = document.querySelector(at)!
      const { left, bottom } = element.getBoundingClientRect()
      const init = { dataTransfer, bubbles: true, cancelable: true, clientX: left + 5, clientY: bottom - 2 }
      const events = ['dragover', 'drop'].map(kind => new DragEvent(kind, init))
      // If the event is not prevented, the browser opens the file.
      return events.map(event => element.dispatchEvent(event)).every(goes => !goes)
    },
    { selector, png: bytes, name, type },
  )
}

async function publish(page: Page, slug: string): Promise<Content> {
  await publishChanges(page)
  return (await apiClient.done('GET', `pages/${slug}?select=content`)).data.content as Content
}
const blocksOf = (content: Content) => (content['blocks'] as BlockContent[]).map(({ type, content: of }) => [type, of] as const) // prettier-ignore

const sentence = 'Plain, <strong>bold</strong>, <em>italic</em> and a <a href="https://example.org/boats">link</a>.'
const ropes = '<ul><li><p>Ropes</p><ul><li><p><strong>Hemp</strong></p></li></ul></li><li><p>Sails</p></li></ul>'
const steps = '<ol><li><p>Cast off</p></li><li><p>Set sail</p></li></ol>'
const table = '<p>Ship | Year</p><p>Ida | 1902</p>'

test('a writer accepts pasted marks, links, headings, lists and tables from every program', async () => {
  const page = await edit('writer', 'texts')
  const writer = page.getByRole('textbox', { name: 'Writer' })
  const pasted = async (forms: Record<string, string>) => {
    await writer.click()
    await expectFocused(writer)
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await expect.poll(() => writer.textContent()).toBe('')
    await paste(page, forms)
    await expect.poll(() => writer.textContent()).toContain('Ropes')
    return (await publish(page, 'writer')).writer
  }
  expect(await pasted(html('word'))).toBe(
    `<h1>The harbour</h1><p>${sentence}</p>${ropes}${steps}<blockquote><p>Fair winds.</p></blockquote>${table}`,
  )
  expect(await pasted(markdown)).toMatch(`<h2>The harbour</h2><p>${sentence}</p>${ropes}${steps}<blockquote>`)
  if (!isSlow) return
  expect(await pasted(html('google-docs'))).toBe(`<h2>The harbour</h2><p>${sentence}</p>${ropes}${table}`)
  expect(await pasted(html('notion'))).toMatch(`<h2>The harbour</h2><p>${sentence}</p>${ropes}${steps}<blockquote>`)
  expect(await pasted(html('pages'))).toBe(`<p>${sentence}</p><ul><li><p>Ropes</p></li><li><p>Sails</p></li></ul>`)
})

test.runIf(isSlow)('other text fields keep as much of the pasted format as they support', async () => {
  const page = await edit('others', 'texts')
  const into = async (name: string, forms: Record<string, string>) => {
    await page.getByRole('textbox', { name, exact: true }).click()
    await paste(page, forms)
  }
  await into('Inline', html('google-docs'))
  await into('List', html('word'))
  await into('Area', html('google-docs'))
  await into('Plain', { ...html('google-docs'), 'text/plain': 'As it is' })
  const content = await publish(page, 'others')
  expect(content.inline).toBe(
    `The harbour<br>${sentence}<br>Ropes<br><strong>Hemp</strong><br>Sails<br>Ship | Year<br>Ida | 1902`,
  )
  expect(content.list).toBe(
    `<ul><li><p>The harbour</p></li><li><p>${sentence}</p></li>${ropes.slice(4, -5)}</ul>${steps}` +
      '<ul><li><p>Fair winds.</p></li><li><p>Ship | Year</p></li><li><p>Ida | 1902</p></li></ul>',
  )
  expect(content.area).toBe(
    '## The harbour\n\nPlain, **bold**, *italic* and a [link](https://example.org/boats).\n\n' +
      '- Ropes\n  - **Hemp**\n- Sails\n\n| Ship | Year |\n| --- | --- |\n| Ida | 1902 |',
  )
  expect(content.plain).toBe('As it is')
})

test.runIf(isSlow)('in a blocks field every pasted part becomes a block at the caret', async () => {
  const page = await edit('blocks', 'blocks', {
    blocks: [{ id: 'one', type: 'text', isHidden: false, content: { text: '<p>Before</p><p>After</p>' } }],
  })
  const text = page.getByRole('textbox', { name: 'Text' })
  await text.getByText('Before').click()
  await expectFocused(text)
  await page.keyboard.press('End')
  await paste(page, html('notion'))
  await page.getByRole('textbox', { name: 'Quote', exact: true }).first().waitFor()
  const pasted = blocksOf(await publish(page, 'blocks'))
  expect(pasted.map(([type]) => type)).toEqual(['text', 'heading', 'text', 'list', 'list', 'quote', 'code', 'line', 'image', 'text']) // prettier-ignore
  expect(pasted[0]![1].text).toBe('<p>Before</p>')
  expect(pasted[1]![1]).toMatchObject({ level: 'h2', text: 'The harbour' })
  expect(pasted[2]![1].text).toBe(`<p>${sentence}</p>`)
  expect(pasted[3]![1].text).toBe(ropes)
  expect(pasted[5]![1].text).toBe('Fair winds.')
  expect(pasted[6]![1]).toMatchObject({ language: 'json', code: '{ "ship": "Ida" }' })
  expect(pasted[8]![1]).toMatchObject({ location: 'web', src: 'https://example.org/ida.png', alt: 'Ida' })
  expect(pasted[9]![1].text).toBe('<p>After</p>')
})

test.runIf(isSlow)('the special formats of each program are supported', async () => {
  const page = await edit('peculiar', 'blocks')
  const pasted = async (forms: Record<string, string>) => {
    await page.getByRole('button', { name: 'Add block' }).focus()
    await paste(page, forms)
    const found = blocksOf(await publish(page, 'peculiar'))
    await apiClient.done('PATCH', 'pages/peculiar', { blocks: [] })
    await page.reload()
    await page.getByRole('button', { name: 'Add block' }).waitFor()
    return found.map(([type, content]) => [type, content.text ?? content.src])
  }

  // Line breaks in spans of their own, check boxes that are images, ordered lists beside their item, marks that the field does not offer.
  expect(await pasted(html('as-written/google-docs'))).toEqual([
    ['heading', 'Knots'],
    ['text', '<p>First line<br>second line, <s>old</s> E=mc2 end</p>'],
    ['image', 'https://lh7.example.org/docsz/knot'],
    ['line', undefined],
    ['list', '<ul><li><p>Splice</p></li></ul>'],
    ['list', '<ol><li><p>Make a loop</p><ol><li><p><strong>Pull</strong></p></li></ol></li></ol>'],
  ])
  // Markers between conditional comments of two kinds, numbers without a point, items of several paragraphs, tracked changes, comments.
  expect(await pasted(html('as-written/word'))).toEqual([
    ['heading', 'Knots'],
    ['heading', 'Of rope'],
    ['text', '<p>Bends and <strong>hitches</strong> hold.</p>'],
    ['list', '<ol><li><p>Make a loop<br>Not too small.</p></li><li><p>Pull</p></li></ol>'],
    ['list', '<ul><li><p>Done</p></li></ul>'],
  ])
  // Line breaks as they are.
  expect(await pasted(html('as-written/notion'))).toEqual([
    ['heading', 'Knots'],
    ['text', '<p>First line<br>second line</p><p>💡 Keep it dry.</p>'],
    ['list', '<ul><li><p>Splice<br>Three strands</p></li></ul>'],
    ['list', '<ol><li><p>Pull</p><ol><li><p><code>hard</code></p></li></ol></li></ol>'],
    ['table', undefined],
  ])
  // Marks of whole paragraphs in the style sheet.
  expect(await pasted(html('as-written/pages'))).toEqual([
    ['text', '<p><strong>Knots</strong></p><p><strong>Bends</strong> and <em>hitches</em> hold.</p>'],
    ['list', '<ul><li><p>Splice</p><ol><li><p>Pull</p></li></ol></li></ul>'],
    ['table', undefined],
  ])
  // Markdown out of an editor of source code, which also copies the colours of its syntax.
  const colours = '<div style="white-space: pre"><span style="font-weight: bold">## Knots</span></div>'
  const source = { 'text/plain': '## Knots\r\n\r\n- [ ] Splice\r\n- [x] Pull', 'text/html': colours }
  expect(await pasted({ ...source, 'vscode-editor-data': '{"mode":"markdown"}' })).toEqual([
    ['heading', 'Knots'],
    ['list', '<ul><li><p>Splice</p></li><li><p>Pull</p></li></ul>'],
  ])
})

test.runIf(isSlow)('pasting replaces an empty text; unreadable images are named', async () => {
  const page = await edit('empty', 'blocks')
  await page.getByRole('button', { name: 'Add block' }).click()
  await page.getByRole('menuitem', { name: 'Text', exact: true }).click()
  await page.locator('.ProseMirror').waitFor()
  await paste(page, html('word'))
  await page.getByText('1 image could not be pasted').waitFor()
  const pasted = blocksOf(await publish(page, 'empty'))
  expect(pasted.map(([type]) => type)).toEqual(['heading', 'text', 'list', 'list', 'quote', 'table'])
  expect(pasted[5]![1]).toMatchObject({ table: { rows: [['Ship', 'Year'], ['Ida', '1902']] } }) // prettier-ignore
})

test.runIf(isSlow)('pasted blocks that the field does not allow become text', async () => {
  const page = await edit('few', 'few')
  await page.getByRole('button', { name: 'Add block' }).focus()
  await paste(page, markdown)
  await page.getByText('Fair winds').waitFor()
  const pasted = blocksOf(await publish(page, 'few'))
  expect(pasted.map(([type]) => type)).toEqual(['heading', 'text'])
  expect(pasted[1]![1].text).toBe(
    `<p>${sentence}</p>${ropes}${steps}<blockquote><p>Fair winds.</p></blockquote><p><code>{ "ship": "Ida" }</code></p>`,
  )
})

test.runIf(isSlow)('images are uploaded where they are pasted or dropped', async () => {
  const page = await edit('pictures', 'blocks', {
    blocks: [{ id: 'one', type: 'text', isHidden: false, content: { text: '<p>Before</p><p>After</p>' } }],
  })
  const text = page.getByRole('textbox', { name: 'Text' })
  await text.getByText('Before').click()
  await expectFocused(text)
  await page.keyboard.press('End')
  // An image copied from a web page has its address as HTML.
  await pasteImage(page, '<img src="https://example.org/a.png">')
  await expect.poll(() => page.locator('[data-block] img').count()).toBe(1)
  expect(await drop(page, '[data-block]:has(img)', 'coast.png', 'image/png')).toBe(true)
  await expect.poll(() => page.locator('[data-block] img[alt="coast.png"]').count()).toBe(1)
  const pasted = blocksOf(await publish(page, 'pictures'))
  expect(pasted.map(([type]) => type)).toEqual(['text', 'image', 'image', 'text'])
  expect(pasted[2]![1].image).toMatchObject([{ filename: 'coast.png' }])
  expect(pasted[1]![1].image[0].filename).toMatch(/^image-[\da-f]{8}\.png$/)
})

test.runIf(isSlow)('embedded images are uploaded with the extension of their type', async () => {
  const page = await edit('embedded', 'blocks')
  await page.getByRole('button', { name: 'Add block' }).focus()
  const svg = btoa('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>')
  const png = Buffer.from(bytes).toString('base64')
  const types = [`data:image/svg+xml;charset=utf-8;base64,${svg}`, `data:image/png;base64,${png}`]
  await paste(page, { 'text/html': `<p>Coast</p>${types.map(src => `<img src="${src}">`).join('')}` })
  await expect.poll(() => page.locator('[data-block] img').count()).toBe(2)
  const pasted = blocksOf(await publish(page, 'embedded'))
  expect(pasted.map(([, { image }]) => image?.[0].filename as string | undefined)).toEqual([
    undefined,
    expect.stringMatching(/^image-.*\.svg$/),
    expect.stringMatching(/^image-.*\.png$/),
  ])
})

test.runIf(isSlow)('embedded images are left out where uploads are off', async () => {
  const page = await edit('linked', 'linked')
  const embedded = `<img src="data:image/png;base64,${Buffer.from(bytes).toString('base64')}">`
  await page.getByRole('button', { name: 'Add block' }).focus()
  await paste(page, { 'text/html': embedded })
  await page.getByText('1 image could not be pasted').waitFor()
  expect(await page.locator('[data-block]').count()).toBe(0)
  await paste(page, { 'text/html': `<p>Coast</p><img src="https://example.org/a.png">${embedded}${embedded}` })
  await page.getByText('2 images could not be pasted').waitFor()
  expect(blocksOf(await publish(page, 'linked')).map(([type, { src }]) => [type, src as unknown])).toEqual([
    ['text', undefined],
    ['image', 'https://example.org/a.png'],
  ])
})

test.runIf(isSlow)('a textarea inserts the name of the image; a drop elsewhere does not leave the panel', async () => {
  const page = await edit('area', 'texts')
  expect(await drop(page, 'textarea', 'cliff.png', 'image/png')).toBe(true)
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Area', exact: true }).inputValue())
    .toBe('(image: cliff.png)')
  expect(await drop(page, 'textarea', 'notes.pdf', 'application/pdf')).toBe(true)
  await page.getByText('Only images can be dropped here').waitFor()
  expect(await drop(page, '.ProseMirror', 'cliff.png', 'image/png')).toBe(true)
  await page.getByText('This text cannot contain images').waitFor()
  expect(await drop(page, 'h1', 'cliff.png', 'image/png')).toBe(true)
  expect((await publish(page, 'area')).area).toBe('(image: cliff.png)')
})
