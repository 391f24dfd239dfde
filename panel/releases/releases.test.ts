import { expect, test } from 'vitest'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { multipartBody, multipartContentType, createImage } from '../../test/files.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { describeRole } from '../../test/signed-in-user.ts'
import { addToken } from '../../test/tokens.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/default.yml': `title: Page
status: { draft: Not yet, unlisted: Hidden, listed: In the menu }
fields: { text: { type: text, label: Text } }
`,
  'pages/hall.yml': 'title: Hall\nsections: { pages: { type: pages, label: Pages } }',
  'site.yml': 'title: Site\nfields: { motto: { type: text, label: Motto } }',
  'pages/strict.yml': 'title: Strict\nfields: { text: { type: text, label: Text, required: true } }\n',
})
describeRole(storage, 'author', 'permissions: { pages: { publish: false } }')
const panel = await openPanel({ storage, settings: { site: { url: 'https://www.example.org' } } })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const author = await addUser(site, { email: 'ben@example.org', role: 'author' })
const apiClient = await createTokenClient(site)
const ink = await addPage(site, '', { slug: 'ink', title: 'Ink', status: 'listed' })
await addPage(site, '', { slug: 'paper', title: 'Paper' })
await addPage(site, '', { slug: 'old', title: 'Old news', status: 'listed' })
const strict = await addPage(site, '', { slug: 'strict', title: 'Strict one', template: 'strict' })

const hall = await addPage(site, '', { slug: 'hall', title: 'Hall', template: 'hall', status: 'listed' })
for (const slug of ['red', 'blue']) await addPage(site, hall, { slug, title: slug })
await addPage(site, hall, { slug: 'old-hat', title: 'Old hat', status: 'unlisted' })

async function upload(path: string, filename: string) {
  const { token } = await addToken(site.app, { userId: admin.id, name: 'upload', scopes: ['*'] })
  await site.request({
    method: 'POST',
    url: `/api/${path}/files`,
    headers: {
      host: new URL(site.app.config.url).host,
      'content-type': multipartContentType,
      authorization: `Bearer ${token}`,
    },
    payload: multipartBody([{ filename, bytes: await createImage('png', { width: 20, height: 20 }) }]),
  })
}

const statusOf = async (id: string) => (await apiClient.call('GET', `pages/${id}?select=status`)).data?.status

test('changes of pages are gathered from their menus, and published together', async () => {
  const page = await panel.open({ as: admin, at: '/releases' })
  await page.getByText('No releases yet.').waitFor()
  await expectAccessible(page)

  // A changed page, with a new release.
  await page.goto(`${panel.url}/pages/ink`)
  await page.getByRole('textbox', { name: 'Text' }).fill('Black ink')
  const add = async () => {
    await page.getByRole('button', { name: 'Page actions' }).click()
    await page.getByRole('menuitem', { name: 'Add to release' }).click()
  }
  const dialog = page.getByRole('dialog').filter({ has: page.getByRole('heading', { name: /to a release/ }) })
  await add()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Spring')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('Added to “Spring”').waitFor()
  await page.getByRole('link', { name: 'In release “Spring”' }).waitFor()
  // A page is in one release: its item is shown and changed.
  await add()
  await dialog.getByText('Already in the release “Spring”.').waitFor()
  await page.keyboard.press('Escape')

  // A draft page is published with its status, another one is deleted.
  await page.goto(`${panel.url}/pages/paper`)
  await add()
  await dialog.getByRole('combobox', { name: 'Status afterwards' }).getByText('In the menu').waitFor()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('Added to “Spring”').waitFor()
  await page.goto(`${panel.url}/pages/old`)
  await add()
  await dialog.getByRole('radio', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('link', { name: 'Deleted with release “Spring”' }).waitFor()
  await page.getByRole('button', { name: 'Open release' }).click()

  const items = page.getByRole('list', { name: 'Pages and files' })
  await items.getByText('1 draft will be published').waitFor()
  await items.getByText('New status: In the menu').waitFor()
  await items.getByText('Will be deleted').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('Everything can be published').waitFor()

  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('link', { name: 'Open preview' }).waitFor()
  expect(await page.getByRole('link', { name: 'Open preview' }).getAttribute('href')).toMatch(
    /^https:\/\/www\.example\.org\/?\?preview=quoin-preview_/,
  )
  await expectAccessible(page)
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Publish' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Publish now' }).click()
  await page.getByText('Release published').waitFor()
  await page.getByText(/^Published .* by ada@example.org$/).waitFor()
  expect([await statusOf('paper'), await statusOf('old')]).toEqual(['listed', undefined])
  const { data } = await apiClient.done('GET', 'pages/ink?select=content')
  expect(data.content.text).toBe('Black ink')
  await page.getByRole('link', { name: 'Releases' }).first().click()
  await page.getByRole('list', { name: 'Releases' }).getByText('Published').first().waitFor()
})

test.runIf(isSlow)('what holds a release is named with a link, and can be removed', async () => {
  await apiClient.done('POST', 'pages/ink/changes/save', { text: 'Blue ink' })
  const { data: release } = await apiClient.done('POST', 'site/releases', {
    name: 'Summer',
    add: [{ uuid: `page://${ink}` }, { uuid: `page://${strict}`, status: 'listed' }],
  })
  const page = await panel.open({ as: admin, at: `/releases/${release.id}` })
  await apiClient.done('POST', 'pages/ink/changes/unlock')
  await page.getByRole('button', { name: 'Check' }).click()
  const held = page.getByRole('alert')
  await held.getByText('Blocked: ').waitFor()
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width: 1280, height: 800 })
  await held.getByRole('link', { name: 'Strict one' }).click()
  await page.getByRole('heading', { name: 'Strict one' }).waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Remove Strict one from the release' }).click()
  await page.getByText('Removed from the release').waitFor()

  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('checkbox').click()
  await page.getByLabel('Date').fill('2035-05-01')
  await page.getByRole('button', { name: 'Schedule' }).click()
  await page.getByText('Scheduled', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Release actions' }).click()
  await expectAccessible(page)
  await page.getByRole('menuitem', { name: 'Remove schedule' }).click()
  await page.getByText('Open', { exact: true }).waitFor()
})

test.runIf(isSlow)('several pages, a file and the site are gathered, and lists mark the pages', async () => {
  await upload('pages/hall', 'map.png')
  const page = await panel.open({ as: admin, at: '/pages/hall' })
  const dialog = page.getByRole('dialog')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await button('Select').click()
  await page.keyboard.press('Control+a')
  await button('Release').click()
  await dialog.getByRole('combobox', { name: 'Release' }).click()
  await page.getByRole('option', { name: 'New release' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Winter')
  await dialog.getByRole('combobox', { name: 'New status of draft pages' }).getByText('In the menu').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('status').filter({ hasText: '3 of 3 done' }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  expect(await page.getByText('In release “Winter”').count()).toBe(3)
  await expectAccessible(page)

  const choose = async (menu: string) => {
    await button(menu).click()
    await page.getByRole('menuitem', { name: 'Add to release' }).click()
    await dialog.getByRole('combobox', { name: 'Release' }).getByText('Winter').waitFor()
  }
  await page.goto(`${panel.url}/site`)
  await page.getByRole('textbox', { name: 'Motto' }).fill('Warm')
  await choose('Site actions')
  expect(await dialog.getByRole('radio').count()).toBe(0)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('Added to “Winter”').waitFor()
  await page.goto(`${panel.url}/pages/hall/files/map.png`)
  await choose('More')
  await dialog.getByRole('radio', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('button', { name: 'Open release' }).click()

  const items = page.getByRole('list', { name: 'Pages and files' })
  await items.getByRole('link', { name: 'map.png' }).waitFor()
  expect(await items.getByRole('listitem').count()).toBe(5)
  await button('Publish').click()
  await button('Publish now').click()
  await page.getByText('Release published').waitFor()
  expect(await Promise.all(['red', 'blue', 'old-hat'].map(slug => statusOf(`hall+${slug}`)))).toEqual(
    ['listed', 'listed', 'unlisted'], // prettier-ignore
  )
  const { data: whole } = await apiClient.done('GET', 'site?select=content')
  expect(whole.content.motto).toBe('Warm')
  expect((await apiClient.call('GET', 'pages/hall/files/map.png')).status).toBe(404)
})

test('an author gathers changes and is told that they cannot be published', async () => {
  const { data: release } = await apiClient.done('POST', 'site/releases', {
    name: 'Autumn',
    add: [{ uuid: `page://${strict}` }],
  })
  const page = await panel.open({ as: author, at: `/releases/${release.id}` })
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('button', { name: 'Publish now' }).click()
  await page.getByRole('alert').getByText('You do not have permission to publish this page.').waitFor()
})
