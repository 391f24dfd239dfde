import { expect, test } from 'vitest'
import { expectAccessible, openPanel } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { describeRole } from '../../test/signed-in-user.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'site.yml':
    'title: Site\nsections: { pages: { type: pages }, fields: { type: fields, fields: { motto: { type: text, label: Motto } } } }',
  'pages/default.yml': 'title: Note\nfields: { intro: { type: text, label: Introduction, required: true } }',
})
describeRole(storage, 'guest', "permissions: { '*': false, access: { panel: true } }")
const panel = await openPanel({ storage })
const { site } = panel
const ada = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)

test('the start screen has own changes, schedules in a calendar, what needs attention, and what has happened', async () => {
  const page = await panel.open({ as: ada, at: '' })
  await page.waitForURL('**/today')
  await page.getByText('Your unpublished changes appear here.').waitFor()
  await page.getByText('Pages that are published or unpublished at a certain time are listed here.').waitFor()
  await expectAccessible(page)

  for (const slug of ['stone', 'wind'])
    await addPage(site, '', { slug, title: slug, content: { intro: 'Words' }, status: 'listed' })
  // The 15th of the next month is not among the days that this month shows.
  const now = new Date()
  const at = new Date(now.getFullYear(), now.getMonth() + 1, 15, 12).toISOString()
  await apiClient.done('PATCH', 'pages/wind/schedule', { status: 'unlisted', at })
  const rain = await addPage(site, '', { slug: 'rain', title: 'rain', content: { intro: 'Words' } })
  const add = [{ uuid: `page://${rain}`, status: 'listed' }]
  const { data: release } = await apiClient.done('POST', 'site/releases', { name: 'Spring', add })
  await apiClient.done('PATCH', `site/releases/${release.id}`, { at })
  await page.goto(`${panel.url}/pages/stone`)
  await page.getByRole('textbox', { name: 'Introduction' }).fill('')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Site' }).click()
  // The draft is saved while the list is loaded for the first time: the answer does not have it yet.
  const saved = page.waitForResponse('**/api/site/changes/save?*')
  const read = Promise.withResolvers<void>()
  await page.route('**/api/site/changes/save?*', async route => {
    await read.promise
    await route.continue()
  })
  await page.getByRole('textbox', { name: 'Motto' }).fill('Slowly')
  await page.route('**/api/site/changes', async route => {
    const response = await route.fetch()
    read.resolve()
    await saved
    await route.fulfill({ response })
  })
  await page.getByRole('link', { name: 'Today' }).click()
  const list = (name: string) => page.getByRole('list', { name })
  await list('My unpublished changes').getByRole('link', { name: 'Site' }).waitFor()
  await list('My unpublished changes').getByRole('link', { name: 'stone' }).waitFor()
  await list('Needs attention').getByRole('link', { name: 'stone' }).waitFor()
  await list('Scheduled').getByRole('link', { name: 'wind' }).waitFor()

  // The calendar by keyboard: the next month, its 15th.
  await page.getByRole('button', { name: 'Next month' }).press('Enter')
  const marked = page.getByRole('button', { name: /15.*, 1 scheduled page, Release: Spring$/ })
  await marked.press('Enter')
  expect(await list('Scheduled').getByRole('link').allTextContents()).toEqual(['Spring', 'wind'])
  await page.getByRole('button', { name: 'Previous month' }).click()
  await page.getByRole('gridcell').filter({ hasText: '10' }).getByRole('button').click()
  await page.getByText('Nothing is scheduled for this day.').waitFor()
  await page.getByRole('button', { name: 'All days' }).click()
  await list('Scheduled').getByRole('link', { name: 'wind' }).waitFor()
  await expectAccessible(page)

  await list('My unpublished changes').getByRole('link', { name: 'stone' }).click()
  await page.getByRole('textbox', { name: 'Introduction' }).fill('Granite')
  await page.getByRole('button', { name: /^Publish/ }).click()
  await page.getByText('Published', { exact: true }).first().waitFor()
  await page.getByRole('link', { name: 'Today' }).click()
  await list('Recently edited').getByRole('link', { name: 'stone' }).waitFor()
  await list('My unpublished changes').getByRole('link', { name: 'stone' }).waitFor({ state: 'detached' })
})

test.runIf(isSlow)('a change that is sent again after the form was left is listed then', async () => {
  await addPage(site, '', { slug: 'sand', title: 'sand', content: { intro: 'Words' }, status: 'listed' })
  const page = await panel.open({ as: ada, at: '/pages/sand' })
  await page.getByRole('textbox', { name: 'Introduction' }).waitFor()
  await page.route('**/changes/save*', route => route.abort())
  await page.getByRole('textbox', { name: 'Introduction' }).fill('Dunes')
  await page.getByText(/could not be saved/).waitFor()
  await page.getByRole('link', { name: 'Today' }).click()
  const sand = page.getByRole('list', { name: 'My unpublished changes' }).getByRole('link', { name: 'sand' })
  await page.getByRole('heading', { name: 'My unpublished changes' }).waitFor()
  expect(await sand.count()).toBe(0)
  await page.unroute('**/changes/save*')
  await sand.waitFor()
})

test.runIf(isSlow)(
  'drafts in every language are listed; a role without permissions sees five empty parts',
  async () => {
    for (const [code, name] of Object.entries({ en: 'English', de: 'Deutsch' }))
      await apiClient.done('POST', 'languages', { code, name })
    await addPage(site, '', { slug: 'moon', title: 'moon', content: { intro: 'Words' }, status: 'listed' })
    const page = await panel.open({ as: ada, at: '/pages/moon?language=de' })
    await page.getByRole('textbox', { name: 'Introduction' }).fill('Mond')
    await page.goto(`${panel.url}/today?language=en`)
    const drafts = page.getByRole('list', { name: 'My unpublished changes' }).getByRole('listitem')
    const moon = drafts.filter({ hasText: 'moon' })
    await moon.getByText('Deutsch').waitFor()
    await expectAccessible(page)
    await moon.getByRole('link').click()
    await page.waitForURL('**/pages/moon?language=de')
    expect(await page.getByRole('textbox', { name: 'Introduction' }).inputValue()).toBe('Mond')

    const guest = await panel.open({ as: await addUser(site, { role: 'guest' }), at: '' })
    await guest.getByText('Pages that you change are listed here.').waitFor()
    for (const part of ['My unpublished changes', 'Needs attention', 'Recently edited', 'Scheduled', 'Activity'])
      await guest.getByRole('heading', { name: part, exact: true }).waitFor()
    expect(await guest.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await expectAccessible(guest)
  },
)
