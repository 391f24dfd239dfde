import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { dataOf, createImage, createUploader } from '../../test/files.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { createSignedInUser, describeRole } from '../../test/signed-in-user.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/note.yml': 'title: Note\nfields: { text: { type: textarea }, cover: { type: files } }',
  'files/default.yml': 'title: File\nfields: { alt: { type: text, label: Description } }',
  'files/fixed.yml': 'title: Fixed\noptions: { delete: false }',
})
describeRole(storage, 'reader', 'permissions: { files: { create: false, delete: false } }')
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site)
const apiClient = await createTokenClient(site)
const coast = await addPage(site, '', { slug: 'coast', title: 'The coast', template: 'note', status: 'listed' })
await addPage(site, coast, { slug: 'cliffs', title: 'Cliffs', template: 'note', status: 'listed' })
await addPage(site, '', { slug: 'harbour', title: 'The harbour', template: 'note', status: 'listed' })
const sender = await createUploader(await createSignedInUser(site))
const colours = ['#c33', '#3c3', '#33c', '#cc3', '#3cc']
async function upload(place: string, filename: string, template = 'default'): Promise<string> {
  const bytes = filename.endsWith('png')
    ? await createImage('png', { width: 60, height: 40, color: colours.pop()! })
    : filename
  return dataOf<{ uuid: string }>(await sender.send(`${place}/files`, [{ filename, bytes }], { template })).uuid
}
const wave = await upload('pages/coast', 'wave.png')
await upload('pages/coast+cliffs', 'rock.png')
await upload('pages/harbour', 'boat.png')
await upload('pages/harbour', `a-very-long-name-of-a-file-${'that-goes-on-'.repeat(8)}end.csv`)
await upload('site', 'fixed.csv', 'fixed')
await apiClient.done('PATCH', 'pages/coast', { text: '(image: wave.png)' })

const idsAt = async (path: string) =>
  ((await apiClient.done('GET', `${path}/files?select=filename`)).data as { filename: string }[]).map(
    one => one.filename,
  )
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const says = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor()
const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })
const choose = async (page: Page, filter: string, option: string) => {
  await page.getByRole('combobox', { name: filter }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
const inTree = (page: Page, title: string) => page.getByRole('treeitem', { name: title }).click()

test('all files are shown, and filtered by kind, page, use, description and words; the address keeps it', async () => {
  const page = await panel.open({ as: admin, at: '/files' })
  await says(page, '5 files')
  await expectAccessible(page)
  await choose(page, 'Type', 'Images')
  await says(page, '3 files')
  await choose(page, 'Usage', 'Not used')
  await says(page, '2 files')
  await button(page, 'All pages').click()
  await inTree(page, 'The coast')
  await expectAccessible(page)
  await button(page, 'Show files').click()
  await says(page, '1 file')
  const rock = page.getByRole('link', { name: 'rock.png' })
  await rock.click()
  await page.getByRole('heading', { name: 'rock.png' }).waitFor()
  await page.goBack()
  await says(page, '1 file')
  await choose(page, 'Alternative text', 'With alt text')
  await page.getByText('No files match these filters.').waitFor()
  await expectAccessible(page)
  await button(page, 'Clear filters').click()
  await says(page, '5 files')
  await page.getByRole('searchbox', { name: 'Search files' }).fill('boat')
  await says(page, '1 file')
  expect(page.url()).toContain('q=boat')
})

test.runIf(isSlow)('selected files are moved; what names them follows; it is undone', async () => {
  const page = await panel.open({ as: admin, at: '/files?sort=name+asc' })
  await button(page, 'Select').click()
  await page.getByRole('main').getByText('boat.png').click()
  await page
    .getByRole('main')
    .getByText('wave.png')
    .click({ modifiers: ['Shift'] })
  await says(page, '4 selected')
  await box(page, 'fixed.csv').press('Space')
  await says(page, '3 selected')
  await page.keyboard.press('Control+a')
  await says(page, '5 selected')
  await expectAccessible(page)
  await button(page, 'Move').click()
  await page.getByRole('treeitem', { name: 'The coast' }).press('ArrowRight')
  await inTree(page, 'Cliffs')
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
  await page.getByRole('dialog', { name: '1 file was not changed' }).waitFor()
  await page.getByRole('list', { name: 'Files that were not changed' }).getByText('fixed.csv').waitFor()
  await expectAccessible(page)
  await page
    .getByRole('dialog', { name: '1 file was not changed' })
    .getByRole('button', { name: 'Close' })
    .last()
    .click()
  await says(page, '1 selected')
  expect(await idsAt('pages/coast+cliffs')).toContain('wave.png')
  const { data } = await apiClient.done('GET', 'pages/coast?select=content')
  expect(data).toMatchObject({ content: { text: `(image: ${wave})` } })
  await button(page, 'Undo').click()
  await page.getByText('Moved back').waitFor()
  expect(await idsAt('pages/coast')).toEqual(['wave.png'])
  expect(await idsAt('pages/coast+cliffs')).toEqual(['rock.png'])
})

test.runIf(isSlow)('files are copied, downloaded and deleted, and deletion is undone', async () => {
  const page = await panel.open({ as: admin, at: '/files?q=boat' })
  await says(page, '1 file')
  await page.getByRole('radio', { name: 'List' }).check({ force: true })
  await button(page, 'Select').click()
  await box(page, 'boat.png').click()
  const downloaded = page.waitForEvent('download')
  await button(page, 'Download').click()
  expect((await downloaded).suggestedFilename()).toBe('boat.png')
  await button(page, 'Copy').click()
  await inTree(page, 'The coast')
  await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click()
  await page.getByText('boat.png copied').waitFor()
  await says(page, '2 files')
  expect(await idsAt('pages/coast')).toContain('boat.png')
  await button(page, 'Select').click()
  await page.keyboard.press('Control+a')
  await says(page, '2 selected')
  await button(page, 'Delete').click()
  await expectAccessible(page)
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('2 files deleted').waitFor()
  await page.getByText('No files match these filters.').waitFor()
  await page.getByRole('dialog').filter({ hasText: '2 files deleted' }).getByRole('button', { name: 'Undo' }).click()
  await says(page, '2 files')
  expect(await idsAt('pages/harbour')).toContain('boat.png')
  await apiClient.done('DELETE', 'pages/coast/files/boat.png')
})

test.runIf(isSlow)(
  'who may only read is offered only that; on a phone and from right to left nothing sticks out',
  async () => {
    const reader = await addUser(site, { role: 'reader' })
    const page = await panel.open({ as: reader, at: '/files' })
    await says(page, '5 files')
    expect(await button(page, 'Upload files').count()).toBe(0)
    await button(page, 'Select').click()
    await button(page, 'Download').waitFor()
    for (const name of ['Copy', 'Move', 'Delete']) expect(await button(page, name).count()).toBe(0)
    await page.setViewportSize({ width: 390, height: 800 })
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  },
)
