import { expect, test } from 'vitest'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'site.yml': 'sections: { pages: { type: pages } }',
  'pages/default.yml': 'fields: { text: { type: text } }',
})
const panel = await openPanel({ storage })
const { site } = panel
const anna = await createTokenClient(site)
await anna.done('PATCH', `users/${anna.id}/name`, { name: 'Anna' })
await addPage(site, '', { slug: 'ink', title: 'Ink' })
await anna.done('PATCH', 'pages/ink/status', { status: 'listed' })
await anna.done('PATCH', 'pages/ink', { text: 'Blue' })

test('activity says who did what, is filtered, and shows at once what happens', async () => {
  const page = await panel.open({ as: { role: 'admin' }, at: '/activity' })
  const published = page.getByRole('listitem').filter({ hasText: /Anna published Ink.*Fields: text/s })
  await published.getByText('Fields: text').waitFor()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)

  await page.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'Files' }).click()
  await page.getByText('Nothing matches these filters.').waitFor()
  await page.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'All types' }).click()

  await page.getByRole('combobox', { name: 'Time' }).click()
  await page.getByRole('option', { name: 'Last 24 hours' }).click()
  await published.waitFor()

  await page.getByText('Live', { exact: true }).waitFor()
  await anna.done('POST', 'site/presence', { tab: 'tab-of-anna', page: 'ink' })
  const here = page.getByRole('region', { name: 'Online now' })
  await here.getByRole('link', { name: 'Ink' }).waitFor()
  await anna.done('PATCH', 'pages/ink/slug', { slug: 'blue-ink' })
  const moved = page.getByRole('listitem').filter({ hasText: 'Anna changed the slug of Ink' })
  await moved.getByText('ink → blue-ink').waitFor()
  await moved.getByRole('link', { name: 'Ink' }).click()

  await page.getByRole('img', { name: 'Also viewing: Anna' }).waitFor()
  await anna.done('POST', 'site/presence', { tab: 'tab-of-anna', page: null, closed: true })
  await page.getByRole('img', { name: 'Also viewing: Anna' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Page actions' }).click()
  await page.getByRole('menuitem', { name: 'Activity' }).click()
  const drawer = page.getByRole('dialog', { name: 'History' })
  await drawer.getByText('Anna published Ink').first().waitFor()
  await drawer.getByRole('tab', { name: 'Versions' }).click()
  await drawer.getByText('Previous version').waitFor()
  await drawer.getByRole('tab', { name: 'Activity' }).click()
  await drawer.getByText('Anna published Ink').first().waitFor()
  await expectAccessible(page)
})

test.runIf(isSlow)('tabs share one stream, and lists show what others do', async () => {
  const first = await panel.open({ as: { role: 'admin' }, at: '/site' })
  const streams: string[] = []
  first.context().on('request', request => {
    if (request.url().includes('/api/site/events?event=')) streams.push(request.url())
  })
  const second = await first.context().newPage()
  await second.goto(first.url().replace('/site', '/activity'))
  await second.getByText('Live', { exact: true }).waitFor()
  await anna.done('POST', 'site/children', { slug: 'paper', title: 'Paper' })
  await second.getByText('Anna created Paper').waitFor()
  await first.getByRole('link', { name: 'Paper' }).waitFor()
  expect(streams).toHaveLength(1)
  await second.close()
})
