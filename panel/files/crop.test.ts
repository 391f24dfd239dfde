import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { dataOf, createUploader } from '../../test/files.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { createSignedInUser } from '../../test/signed-in-user.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, { 'site.yml': 'title: Site\nsections: { pages: { type: pages } }' })
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { role: 'admin' })
const apiClient = await createTokenClient(site)
const sender = await createUploader(await createSignedInUser(site))
for (const slug of ['coast', 'harbour']) await addPage(site, '', { slug, title: slug, status: 'listed' })

/** Left half red, right half blue. */
const halves = await sharp({ create: { width: 400, height: 200, channels: 3, background: '#c00' } })
  .composite([{ input: { create: { width: 200, height: 200, channels: 3, background: '#00c' } }, left: 200, top: 0 }])
  .png()
  .toBuffer()
async function upload(filename: string): Promise<{ file: string; at: string }> {
  const [{ uuid }] = [dataOf<{ uuid: string }>(await sender.send('pages/coast/files', [{ filename, bytes: halves }]))]
  return { file: uuid.slice('file://'.length), at: `/pages/coast/files/${filename}` }
}

const sizeOf = async (filename: string, place = 'pages/coast') => {
  const { data } = await apiClient.done('GET', `${place}/files/${filename}?select=dimensions`)
  const { width, height } = (data as { dimensions: { width: number; height: number } }).dimensions
  return `${width} × ${height}`
}
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Crop and rotate' })
const inMenu = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}
const press = async (page: Page, key: string, times: number) => {
  for (let at = 0; at < times; at++) await page.keyboard.press(key)
}
/** The canvas is drawn when the image has arrived. */
const area = (page: Page) => dialog(page).getByRole('group', { name: 'Frame: arrow keys move it' })
const status = (page: Page) => dialog(page).getByRole('status').textContent()

test('an image is cropped and turned with the keyboard, and the original is restored', async () => {
  const { at } = await upload('keys.png')
  const page = await panel.open({ as: admin, at })
  await inMenu(page, 'Crop and rotate')
  await area(page).waitFor()
  const save = dialog(page).getByRole('button', { name: 'Save as new version' })
  expect(await save.isDisabled(), 'nothing has changed').toBe(true)
  const right = dialog(page).getByRole('button', { name: 'Handle right: arrow keys resize the frame' })
  await right.focus()
  await press(page, 'Control+ArrowLeft', 2) // each as far as the library goes at once
  await expect.poll(() => status(page)).not.toBe('400 × 200')
  const [across] = (await status(page))!.split(' ×')
  await expectAccessible(page)
  await dialog(page).getByRole('button', { name: 'Rotate right' }).click()
  await expect.poll(() => status(page)).toBe(`200 × ${across}`)
  await save.click()
  await page.getByText('New version of keys.png saved').waitFor()
  await dialog(page).waitFor({ state: 'detached' })
  expect(await sizeOf('keys.png')).toBe(`200 × ${across}`)

  await inMenu(page, 'Versions')
  const versions = page.getByRole('dialog', { name: 'Versions' })
  await versions.getByText('Current').waitFor()
  await expectAccessible(page)
  await versions.getByRole('button', { name: 'Restore: Original' }).click()
  await page.getByText('Version restored').waitFor()
  await expect.poll(() => sizeOf('keys.png')).toBe('400 × 200')
})

test.runIf(isSlow)('one file is copied and moved from its menu', async () => {
  const { at } = await upload('wave.png')
  const page = await panel.open({ as: admin, at })
  for (const what of ['Copy', 'Move']) {
    await inMenu(page, what)
    const places = page.getByRole('dialog', { name: `${what} 1 file` })
    await places.getByRole('treeitem', { name: 'harbour' }).click()
    await places.getByRole('button', { name: what, exact: true }).click()
    await page.getByText(what === 'Copy' ? 'wave.png copied' : 'wave.png moved').waitFor()
    // The dialog gives the focus back when it goes, which would close a menu.
    await places.waitFor({ state: 'detached' })
  }
  await page.getByRole('heading', { name: 'wave-2.png' }).waitFor()
  expect(new URL(page.url()).pathname).toMatch(/\/pages\/harbour\/files\/wave-2\.png$/)
  expect(await sizeOf('wave.png', 'pages/harbour')).toBe('400 × 200')
})

test.runIf(isSlow)('a part is drawn with the mouse, in an aspect ratio, and saved as a copy', async () => {
  const { at } = await upload('mouse.png')
  const page = await panel.open({ as: admin, at })
  await inMenu(page, 'Crop and rotate')
  await area(page).waitFor()
  await dialog(page).getByRole('combobox', { name: 'Aspect ratio' }).click()
  await page.getByRole('option', { name: '1 : 1' }).click()
  await expect.poll(() => status(page)).toBe('200 × 200')
  const box = (await area(page).boundingBox())!
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + 2 * box.width, box.y + box.height / 2, { steps: 5 })
  await page.mouse.up()
  await dialog(page).getByRole('button', { name: 'Flip horizontally' }).click()
  await dialog(page).getByRole('button', { name: 'Save as copy' }).click()
  await page.getByRole('heading', { name: 'mouse-2.png' }).waitFor()
  expect(await sizeOf('mouse-2.png')).toBe('200 × 200')
  expect(await sizeOf('mouse.png')).toBe('400 × 200')
  const { data } = await apiClient.done('GET', 'pages/coast/files/mouse-2.png?select=url')
  const { rawPayload } = await site.request({
    url: new URL((data as { url: string }).url).pathname,
    headers: { host: new URL(site.app.config.url).host },
  })
  const { dominant } = await sharp(rawPayload).stats()
  expect(dominant.b, 'the right half was kept').toBeGreaterThan(dominant.r)
})

test.runIf(isSlow)('a change by another user meanwhile is not overwritten', async () => {
  const { file, at } = await upload('both.png')
  const page = await panel.open({ as: admin, at })
  await inMenu(page, 'Crop and rotate')
  await area(page).waitFor()
  await apiClient.done('POST', `site/library/${file}/versions`, { rotate: 180 })
  await dialog(page).getByRole('button', { name: 'Rotate left' }).click()
  await dialog(page).getByRole('button', { name: 'Save as new version' }).click()
  await dialog(page).getByText('Someone has changed this').waitFor()
  expect(await sizeOf('both.png')).toBe('400 × 200')
})

test.runIf(isSlow)('the dialog fits a narrow screen', async () => {
  const { at } = await upload('narrow.png')
  const page = await panel.open({ as: admin, at, width: 390 })
  await inMenu(page, 'Crop and rotate')
  await area(page).waitFor()
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
})
