import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectNoSidewaysScroll, openPanel, publishChanges } from '../../../test/browser.ts'
import { createImage, createUploader } from '../../../test/files.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../../test/harness.ts'
import { addFile } from '../../../test/media.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { createSignedInUser } from '../../../test/signed-in-user.ts'
import { isSlow } from '../../../test/slow.ts'

const songs = `query: "site.index.filterBy('template', 'song')"`
const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'site.yml': 'title: Site\nsections: { pages: { type: pages } }',
  'pages/song.yml': 'title: Song',
  'pages/album.yml': `title: Album
fields:
  songs: { type: pages, label: Songs, ${songs} }
  anything: { type: pages, label: Anything }
  cover: { type: files, label: Cover, query: page.images, layout: cards }
  singer: { type: users, label: Singer, multiple: false, query: "users.role('singer')" }
  rows: { type: structure, label: Rows, fields: { song: { type: pages, label: Song, ${songs} } } }
  text: { type: blocks, label: Text, fieldsets: { card: { name: Card, fields: { song: { type: pages, label: Song, ${songs} } } } } }
  words: { type: textarea, label: Words }
  papers: { type: files, label: Papers }
  gallery: { type: blocks, label: Gallery, fieldsets: [image] }
  books: { type: pages, label: Books, query: "site.find('books').children", info: "{{ page.text }}" }
`,
  'pages/book.yml': 'title: Book\nfields: { text: { type: textarea } }',
  'users/singer.yml': 'title: Singer',
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
await addUser(site, { email: 'bo@example.org', role: 'singer' })
const apiClient = await createTokenClient(site)
const album = await addPage(site, '', { slug: 'album', title: 'Album', template: 'album', status: 'listed' })
for (let at = 1; at <= 60; at++)
  await addPage(site, album, { slug: `song-${at}`, title: `Song number ${at}`, template: 'song', status: 'listed' })
await addPage(site, '', { slug: 'about', title: 'About us', status: 'listed' })
await addPage(site, '', { slug: 'leaflet', title: 'Leaflet', template: 'album', status: 'listed' })
const name = 'a-rather-long-name-of-a-picture-of-the-harbour-in-winter.png'
const bytes = await createImage('png', { width: 300, height: 200 })
const imageProps = { mime: 'image/png', type: 'image', width: 300, height: 200 }
await addFile(site, `page://${album}`, name, bytes, imageProps)
await addFile(site, `page://${album}`, 'notes.pdf', Buffer.from('x'), { mime: 'application/pdf', type: 'document' })
// Uploaded, because the search finds only what is indexed.
const uploader = await createUploader(await createSignedInUser(site))
await uploader.send('pages/about/files', [
  { filename: 'harbour-map.png', bytes, type: 'image/png' },
  { filename: 'harbour-report.pdf', bytes: Buffer.from('%PDF-1.4 report'), type: 'application/pdf' },
])

const content = async () => (await apiClient.done('GET', 'pages/album?select=content')).data.content
const group = (page: Page | Locator, label: string) => page.getByRole('group', { name: label, exact: true })
const dialog = (page: Page) => page.getByRole('dialog').last()

test.runIf(isSlow)("only results of the field's query can be chosen, with paging and search", async () => {
  const page = await panel.open({ as: admin, at: '/pages/album' })
  await group(page, 'Songs').getByRole('button', { name: 'Choose' }).click()
  const choices = dialog(page).getByRole('checkbox')
  await expect.poll(() => choices.count()).toBe(50)
  await dialog(page).getByRole('button', { name: 'Show more' }).click()
  await dialog(page).getByRole('checkbox', { name: 'Song number 60' }).waitFor()
  await expect.poll(() => choices.count()).toBe(60)
  expect(await dialog(page).getByText('About us').count()).toBe(0)
  await dialog(page).getByRole('searchbox').fill('about')
  await dialog(page).getByText('Nothing').waitFor()
  await dialog(page).getByRole('searchbox').fill('number 42')
  await dialog(page)
    .getByRole('checkbox', { name: /Song number 42/ })
    .check()
  await expectAccessible(page)
  await dialog(page).getByRole('button', { name: 'Apply' }).click()
  await group(page, 'Songs').getByText('Song number 42').waitFor()
  await publishChanges(page)
  expect((await content()).songs).toMatchObject([{ id: 'album/song-42', text: 'Song number 42' }])
})

test.runIf(isSlow)('a list that is too large for one response is read completely', async () => {
  const books = await addPage(site, '', { slug: 'books', title: 'Books', status: 'listed' })
  const text = 'x'.repeat(190_000)
  for (let at = 1; at <= 48; at++)
    await addPage(site, books, {
      slug: `book-${at}`,
      title: `Book ${at}`,
      template: 'book',
      status: 'listed',
      content: { text },
    })
  const page = await panel.open({ as: admin, at: '/pages/album' })
  await group(page, 'Books').getByRole('button', { name: 'Choose' }).click()
  await dialog(page)
    .getByRole('checkbox', { name: /Book 48/ })
    .waitFor()
  await expect.poll(() => dialog(page).getByRole('checkbox').count()).toBe(48)
})

test.runIf(isSlow)('without a query all pages can be browsed', async () => {
  const page = await panel.open({ as: admin, at: '/pages/album' })
  await group(page, 'Anything').getByRole('button', { name: 'Choose' }).click()
  await dialog(page)
    .getByRole('checkbox', { name: /About us/ })
    .waitFor()
  await dialog(page).getByRole('button', { name: /Album/ }).click()
  await dialog(page)
    .getByRole('checkbox', { name: /Song number 1\b/ })
    .first()
    .check()
  await dialog(page).getByRole('button', { name: 'Apply' }).click()
  await group(page, 'Anything').getByText('Song number 1').waitFor()
})

test.runIf(isSlow)('a picker works inside rows and blocks', async () => {
  const page = await panel.open({ as: admin, at: '/pages/album' })
  await group(page, 'Rows').getByRole('button', { name: 'Add row' }).click()
  await dialog(page).getByRole('button', { name: 'Choose' }).click()
  await dialog(page).getByRole('searchbox').fill('number 7')
  await dialog(page)
    .getByRole('checkbox', { name: /Song number 7/ })
    .first()
    .check()
  await dialog(page).getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  await group(page, 'Text').getByRole('button', { name: /Add/ }).first().click()
  await page.getByRole('menuitem', { name: 'Card' }).click()
  await dialog(page).getByRole('button', { name: 'Choose' }).click()
  await dialog(page)
    .getByRole('checkbox', { name: /Song number 3/ })
    .first()
    .check()
  await dialog(page).getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  await publishChanges(page)
  expect(await content()).toMatchObject({
    rows: [{ song: [{ text: 'Song number 7' }] }],
    text: [{ content: { song: [{ text: expect.stringMatching(/^Song number 3/) as string }] } }],
  })
})

test.runIf(isSlow)('an image is shown in a large size with its name', async () => {
  const page = await panel.open({ as: admin, at: '/pages/album' })
  await group(page, 'Cover').getByRole('button', { name: 'Choose' }).click()
  await dialog(page).getByText(name).waitFor()
  expect(await dialog(page).getByText('notes.pdf').count()).toBe(0)
  await dialog(page).getByRole('checkbox').check()
  await dialog(page).getByRole('button', { name: 'Apply' }).click()
  const shown = group(page, 'Cover').getByText(name)
  await shown.waitFor()
  const width = async () => (await group(page, 'Cover').locator('img').boundingBox())!.width
  await expect.poll(width).toBeGreaterThan(150)
  await page.setViewportSize({ width: 1280, height: 1800 }) // the bar at the bottom covers nothing
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 800 })
  await shown.scrollIntoViewIfNeeded()
  await expectNoSidewaysScroll(page)
})

test.runIf(isSlow)('a file is inserted into a text at the caret', async () => {
  const page = await panel.open({ as: admin, at: '/pages/album' })
  const words = page.getByLabel('Words', { exact: true })
  await words.fill('See: .')
  await words.press('End')
  await words.press('ArrowLeft')
  await page.getByRole('button', { name: 'Insert file' }).click()
  await dialog(page)
    .getByRole('button', { name: new RegExp(name) })
    .click()
  await expect.poll(() => words.inputValue()).toMatch(new RegExp(`^See: !\\[${name}\\]\\(/@/file/\\w{16}\\)\\.$`))
})

test.runIf(isSlow)('only accounts of the required role are offered', async () => {
  const page = await panel.open({ as: admin, at: '/pages/album' })
  await group(page, 'Singer').getByRole('button', { name: 'Choose' }).click()
  await dialog(page)
    .getByRole('button', { name: /bo@example.org/ })
    .waitFor()
  expect(await dialog(page).getByText('ada@example.org').count()).toBe(0)
  await dialog(page)
    .getByRole('button', { name: /bo@example.org/ })
    .click()
  await group(page, 'Singer').getByText('bo@example.org').waitFor()
})

test('on a page without files, files of other pages and new ones can be chosen', async () => {
  const page = await panel.open({ as: admin, at: '/pages/leaflet' })
  await group(page, 'Papers').getByRole('button', { name: 'Choose' }).click()
  const tab = (label: string) => dialog(page).getByRole('tab', { name: label, exact: true })
  await dialog(page).getByText('No files here yet').waitFor()
  expect(await dialog(page).getByText('Nothing found').count(), 'the message of a search').toBe(0)
  expect(
    await dialog(page)
      .getByRole('searchbox')
      .evaluate(one => one === document.activeElement),
  ).toBe(true)
  await expectAccessible(page)

  await page.keyboard.type('harbour')
  await dialog(page).getByText('Nothing found for “harbour”.').waitFor()
  await dialog(page).getByRole('button', { name: 'Search all files' }).click()
  await dialog(page).getByText('about/harbour-map.png').waitFor()
  await dialog(page).getByRole('checkbox', { name: /harbour-report/ }).check() // prettier-ignore
  await expectAccessible(page)
  await dialog(page).getByRole('searchbox').fill('')
  await dialog(page).getByRole('checkbox', { name: /a-rather-long-name/ }).waitFor() // prettier-ignore

  await tab('All files').focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await dialog(page).getByText('Drop files here').waitFor()
  await expectAccessible(page)
  const chosen = { name: 'new.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4 new') }
  await dialog(page).locator('input[type=file]').setInputFiles(chosen)
  await dialog(page).getByRole('checkbox', { name: /new\.pdf/, checked: true }).waitFor() // prettier-ignore
  await dialog(page).getByText('2 selected').waitFor()
  const search = dialog(page).getByRole('searchbox')
  await expect.poll(() => search.evaluate(one => one === document.activeElement)).toBe(true)
  await dialog(page).getByRole('button', { name: 'Apply' }).click()
  await group(page, 'Papers').getByText('harbour-report.pdf').first().waitFor()
  await publishChanges(page)
  const saved = (await apiClient.done('GET', 'pages/leaflet?select=content')).data.content
  expect(saved.papers).toMatchObject([{ id: 'about/harbour-report.pdf' }, { id: 'new.pdf' }])
})

test.runIf(isSlow)('all files are listed without a search, the newest first, and more on demand', async () => {
  for (let at = 0; at < 60; at++) await addFile(site, 'site://', `scan-${at}.png`, bytes, imageProps)
  const later = { modified_at: Date.now() + 1000 }
  await site.app.store.db.updateTable('files').set(later).where('filename', '=', 'scan-7.png').execute()
  const page = await panel.open({ as: admin, at: '/pages/leaflet' })
  await group(page, 'Papers').getByRole('button', { name: 'Choose' }).click()
  await dialog(page).getByRole('tab', { name: 'All files' }).click()
  const choices = dialog(page).getByRole('checkbox')
  await expect.poll(() => choices.count()).toBe(50)
  await dialog(page).getByRole('checkbox', { name: /scan-7.png/ }).and(choices.first()).waitFor() // prettier-ignore
  await dialog(page).getByRole('button', { name: 'Show more' }).click()
  await dialog(page).getByRole('checkbox', { name: /harbour-map/ }).waitFor() // prettier-ignore
})

test.runIf(isSlow)(
  'a query of the blueprint limits the choice; built-in blocks offer images of all pages',
  async () => {
    const page = await panel.open({ as: admin, at: '/pages/leaflet' })
    await group(page, 'Cover').getByRole('button', { name: 'Choose' }).click()
    await dialog(page).getByRole('tab', { name: 'For this field' }).waitFor()
    expect(await dialog(page).getByRole('tab').allTextContents()).toEqual(['For this field', 'Upload'])
    await page.keyboard.press('Escape')
    await group(page, 'Gallery').getByRole('button', { name: /Add/ }).first().click()
    await page.getByRole('menuitem', { name: 'Image' }).click()
    await dialog(page).getByRole('button', { name: 'Choose' }).click()
    await dialog(page).getByRole('tab', { name: 'All files' }).click()
    await dialog(page).getByRole('searchbox').fill('harbour')
    await dialog(page).getByText('about/harbour-map.png').waitFor()
    expect(await dialog(page).getByText('.pdf').count(), 'files that are not images').toBe(0)
    await dialog(page).getByRole('searchbox').fill('harbour-re')
    await dialog(page).getByText('Nothing found for “harbour-re”.').waitFor()
  },
)
