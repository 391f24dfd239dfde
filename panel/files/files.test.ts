import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'users/reader.yml': `title: Reader
permissions:
  "*": false
  access: { panel: true, account: true, site: true }
  pages: { access: true, list: true, read: true }
  files: { access: true, list: true, read: true }
`,
  'files/default.yml': 'title: File\nfields:\n  alt:\n    type: text\n    label: Description\n',
})
const panel = await openPanel({ storage, settings: { files: { maxSize: 1024 * 1024 } } })
const admin = await addUser(panel.site, { role: 'admin' })
const reader = await addUser(panel.site, { role: 'reader' })

const createImage = (background: string, width = 120, height = 80) =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer()
const png = async (name: string, colour = 'teal') => ({
  name,
  mimeType: 'image/png',
  buffer: await createImage(colour),
})

const chooseFiles = (page: Page, files: { name: string; mimeType: string; buffer: Buffer }[]) =>
  page.locator('input[type=file]').first().setInputFiles(files)
const uploads = (page: Page) => page.getByRole('region', { name: 'Uploads' })
const link = (page: Page, name: string) => page.getByRole('link', { name })

// ---- uploading files

test.runIf(isSlow)('of several uploaded files, refused ones show the reason and the others succeed', async () => {
  const page = await panel.open({ as: admin, at: '/site/files' })
  await page.getByText('No files yet').waitFor()
  await expectAccessible(page)
  const script = { name: 'attack.php', mimeType: 'text/plain', buffer: Buffer.from('<?php') }
  const large = { name: 'large.csv', mimeType: 'text/csv', buffer: Buffer.alloc(2 * 1024 * 1024, 'x') }
  const posts: string[] = []
  page.on('request', request => request.method() === 'POST' && posts.push(request.url()))
  await chooseFiles(page, [await png('Gears of 1900.png'), script, await png('harbour.png', 'navy'), large])
  await uploads(page).getByText('Uploaded: 2. Failed: 2.').waitFor()
  await uploads(page).getByText('The file is 2 MB. The limit is 1 MB.').waitFor()
  expect(
    posts.filter(url => url.includes('/site/files')),
    'the large file is not sent',
  ).toHaveLength(3)
  await uploads(page).getByText('Files with the extension “php” are not allowed.').waitFor()
  await link(page, 'gears-of-1900.png').waitFor()
  await link(page, 'harbour.png').waitFor()
  await expectAccessible(page)
  for (const name of ['attack.php', 'large.csv']) {
    await page.getByRole('button', { name: `Dismiss ${name}` }).click()
    await page.getByText(name).waitFor({ state: 'detached' })
  }

  await page.getByRole('radio', { name: 'List' }).check({ force: true })
  await page.getByRole('searchbox', { name: 'Search files' }).fill('harbour')
  await link(page, 'gears-of-1900.png').waitFor({ state: 'detached' })
  await page.getByText('1 file', { exact: true }).waitFor()
})

test.runIf(isSlow)(
  'an upload shows its progress, can be cancelled, and can be retried after a connection error',
  async () => {
    const page = await panel.open({ as: admin, at: '/site/files' })
    const network = await page.context().newCDPSession(page)
    const limitUpload = (bytesPerSecond: number) =>
      network.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: bytesPerSecond,
      })
    const noise = await sharp(Buffer.from(Array.from({ length: 3e5 }, () => Math.random() * 255)), {
      raw: { width: 500, height: 200, channels: 3 },
    })
      .png({ compressionLevel: 0 })
      .toBuffer()
    await limitUpload(50_000)
    await chooseFiles(page, [{ name: 'large.png', mimeType: 'image/png', buffer: noise }])
    const bar = page.getByRole('progressbar', { name: 'large.png' })
    await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(10)
    await page.getByRole('button', { name: 'Stop uploading large.png' }).click()
    await bar.waitFor({ state: 'detached' })
    await limitUpload(-1)

    await page.route(/\/api\/site\/files\?/, route =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    await chooseFiles(page, [{ name: 'large.png', mimeType: 'image/png', buffer: noise }])
    await uploads(page).getByText('The server cannot be reached').waitFor()
    await page.unroute(/\/api\/site\/files\?/)
    await page.getByRole('button', { name: 'Try large.png again' }).click()
    await link(page, 'large.png').waitFor()
  },
)

test.runIf(isSlow)('a file with an existing name can be uploaded under another name', async () => {
  const page = await panel.open({ as: admin, at: '/site/files' })
  await chooseFiles(page, [await png('tide.png', 'red')])
  await link(page, 'tide.png').waitFor()
  await chooseFiles(page, [await png('tide.png', 'blue')])
  await page.getByRole('button', { name: 'Keep both' }).click()
  await link(page, 'tide-2.png').waitFor()
})

test.runIf(isSlow)('a file that already exists on the site can be copied or uploaded anyway', async () => {
  const apiClient = await createTokenClient(panel.site)
  await addPage(panel.site, '', { slug: 'bay', title: 'The bay', status: 'listed' })
  const page = await panel.open({ as: admin, at: '/site/files' })
  await chooseFiles(page, [await png('lighthouse.png', 'crimson'), await png('buoy.png', 'orchid')])
  await link(page, 'buoy.png').waitFor()
  await apiClient.done('PATCH', 'site/files/lighthouse.png', { alt: 'Red' })
  await page.goto(`${panel.url}/pages/bay/files`)
  const posts: string[] = []
  page.on('request', request => request.method() === 'POST' && posts.push(new URL(request.url()).pathname))
  await chooseFiles(page, [
    await png('again.png', 'crimson'),
    await png('float.png', 'orchid'),
    await png('new.png', 'plum'),
  ])
  const row = (name: string) => uploads(page).getByRole('listitem').filter({ hasText: name })
  await row('again.png').getByText('The same file is in “Site” already: lighthouse.png').waitFor()
  await link(page, 'new.png').waitFor()
  await expectAccessible(page)
  expect(
    posts.filter(path => path.endsWith('/files')),
    'only the new one is sent',
  ).toHaveLength(1)
  await row('again.png').getByRole('button', { name: 'Copy', exact: true }).click()
  await link(page, 'lighthouse.png').waitFor()
  await row('float.png').getByRole('button', { name: 'Upload anyway' }).press('Enter')
  await link(page, 'float.png').waitFor()
  const { data } = await apiClient.done('GET', 'pages/bay/files/lighthouse.png?select=content')
  expect(data).toMatchObject({ content: { alt: 'Red' } })
  expect(posts.filter(path => path.endsWith('/files'))).toHaveLength(2)
})

test.runIf(isSlow)('files can be dropped and pasted', async () => {
  const page = await panel.open({ as: admin, at: '/site/files' })
  await page.getByRole('heading', { name: 'Files' }).waitFor()
  const transferFile = async (how: 'drop' | 'paste', name: string) => {
    const bytes = [...(await createImage(how === 'drop' ? 'olive' : 'indigo'))]
    const script = `(() => {
      const data = new DataTransfer()
      data.items.add(new File([new Uint8Array(${JSON.stringify(bytes)})], ${JSON.stringify(name)}, { type: 'image/png' }))
      const target = document.querySelector('main h1')
      if (${JSON.stringify(how)} === 'paste')
        return target.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
      for (const type of ['dragenter', 'dragover', 'drop'])
        target.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }))
    })()`
    await page.evaluate(script)
  }
  await transferFile('drop', 'dropped.png')
  await link(page, 'dropped.png').waitFor()
  await transferFile('paste', 'image.png')
  await page.getByRole('link', { name: /^\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d\.png$/ }).waitFor()
})

// ---- one file

test.runIf(isSlow)('the focal point moves by keyboard and mouse, and is saved', async () => {
  const page = await panel.open({ as: admin, at: '/site/files' })
  await chooseFiles(page, [await png('focus.png', 'orange')])
  await link(page, 'focus.png').click()
  const point = page.getByRole('button', { name: /^Focal point/ })
  await point.focus()
  const waitForSave = (focus: string) =>
    page.waitForResponse(
      answer => answer.request().method() === 'PATCH' && (answer.request().postData() ?? '').includes(focus),
    )
  const first = waitForSave('52% 59%')
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowUp', 'Shift+ArrowDown']) await page.keyboard.press(key)
  await page.getByText('52 % from the left, 59 % from the top', { exact: true }).waitFor()
  expect((await first).status()).toBe(200)

  const image = page.getByRole('img', { name: 'focus.png' })
  await expect.poll(() => image.evaluate(one => (one as HTMLImageElement).naturalWidth)).toBeGreaterThan(0)
  const box = (await image.boundingBox())!
  const second = waitForSave('25% 25%')
  await page.mouse.click(box.x + box.width * 0.25, box.y + box.height * 0.25)
  expect((await second).status()).toBe(200)
  await page.reload()
  await page.getByRole('button', { name: 'Focal point: 25 % from the left, 25 % from the top' }).waitFor()
  await expectAccessible(page)
})

test('a file is edited, renamed, replaced and deleted', async () => {
  const page = await panel.open({ as: admin, at: '/site/files' })
  await chooseFiles(page, [await png('before.png', 'gold'), await png('quay.png', 'teal')])
  await link(page, 'quay.png').waitFor()
  await link(page, 'before.png').click()
  await page.getByRole('textbox', { name: 'Description' }).fill('A square of gold')
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('img', { name: 'A square of gold' }).waitFor()

  const chooseAction = async (name: string) => {
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await chooseAction('Rename')
  await page.getByRole('textbox', { name: 'Name' }).fill('quay')
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByText('There is already another file with the name “quay.png” here.').waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('After the rain')
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('heading', { name: 'after-the-rain.png' }).waitFor()

  await chooseAction('Replace')
  const replacing = page.getByRole('dialog').locator('input[type=file]')
  await replacing.setInputFiles([{ name: 'x.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4 x') }])
  await page.getByRole('alert').waitFor()
  await expectAccessible(page)
  const large = { name: 'large.png', mimeType: 'image/png', buffer: Buffer.alloc(2 * 1024 * 1024, 'x') }
  await replacing.setInputFiles([large])
  await page.getByText('The file is 2 MB. The limit is 1 MB.').waitFor()
  await replacing.setInputFiles([
    { name: 'other.png', mimeType: 'image/png', buffer: await createImage('black', 300, 200) },
  ])
  await page.getByText('300 × 200').first().waitFor()

  await chooseAction('Delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL('**/site/files')
  await link(page, 'after-the-rain.png').waitFor({ state: 'detached' })
})

test.runIf(isSlow)('a file shows where it is used, also before it is deleted', async () => {
  const page = await panel.open({ as: admin, at: '/site/files' })
  await chooseFiles(page, [await png('map.png', 'khaki')])
  await link(page, 'map.png').click()
  const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Used in' }) })
  await card.getByText('This file is not used anywhere.').waitFor()
  await expectAccessible(page)

  const apiClient = await createTokenClient(panel.site)
  const { uuid } = (await apiClient.done('GET', 'site/files/map.png?select=uuid')).data as { uuid: string }
  for (let index = 1; index <= 24; index++)
    await addPage(panel.site, '', { slug: `p${index + 10}`, title: `Page ${index}`, content: { text: `See ${uuid}.` } })
  await page.reload()
  await card.getByRole('link', { name: 'Page 20' }).waitFor()
  await expect.poll(() => card.getByRole('listitem').count()).toBe(20)
  await card.getByRole('button', { name: 'Show more' }).click()
  await card.getByRole('link', { name: 'Page 24' }).waitFor()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText('It is still used in 24 places:').waitFor()
  await dialog.getByText('and 19 more').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await card.getByRole('link', { name: 'Page 1', exact: true }).click()
  await page.waitForURL('**/pages/p11')
})

test.runIf(isSlow)('an account without write permission sees files but no actions', async () => {
  const page = await panel.open({ as: reader, at: '/site/files', width: 360 })
  await page.getByText('You can view these files, but not upload any.').waitFor()
  expect(await page.getByRole('button', { name: 'Upload files' }).count()).toBe(0)
  await link(page, 'tide.png').click()
  await page.getByRole('heading', { name: 'tide.png' }).waitFor()
  expect(await page.getByRole('button', { name: /^Focal point/ }).count()).toBe(0)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  const remove = page.getByRole('menuitem', { name: /^Delete/ })
  await remove.waitFor()
  await expect.poll(() => remove.getAttribute('aria-disabled')).toBe('true')
})
