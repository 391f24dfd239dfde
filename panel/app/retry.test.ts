import { expect, test } from 'vitest'
import { openPanel } from '../../test/browser.ts'
import { addUser } from '../../test/harness.ts'
import { addPage } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

const panel = await openPanel()
const admin = await addUser(panel.site)
await addPage(panel.site, '', { slug: 'article', title: 'Article', template: 'default', draft: true })

const refusal = (key: string, seconds = 0) => ({
  status: 503,
  headers: { 'retry-after': String(seconds) },
  json: { status: 'error', key, message: 'Not now.', code: 503, details: {} },
})

test('requests that a busy server refused are retried: reads always, writes if nothing was written', async () => {
  const page = await panel.open({ as: admin, at: '/site' })
  const requests = { page: 0, slug: 0 }
  await page.route('**/api/pages/article?*', route =>
    ++requests.page < 4 ? route.fulfill(refusal('error.unavailable')) : route.continue(),
  )
  await page.goto(`${panel.url}/pages/article`)
  await page.getByRole('heading', { name: 'Article' }).waitFor()
  expect(requests.page).toBe(4)

  // A write that may have succeeded is not sent again.
  let key = 'error.unavailable'
  await page.route('**/api/pages/article/slug*', route =>
    ++requests.slug < 3 ? route.fulfill(refusal(key)) : route.continue(),
  )
  await page.getByRole('button', { name: 'Page actions' }).click()
  await page.getByRole('menuitem', { name: 'Change slug' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Slug' }).fill('another')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Not now.').waitFor()
  expect(requests.slug).toBe(1)
  key = 'error.busy'
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL('**/pages/another')
  expect(requests.slug).toBe(3)
})

test.runIf(isSlow)('after four attempts at a busy server the user sees an error', async () => {
  const page = await panel.open({ as: admin, at: '/site' })
  let requestCount = 0
  await page.route('**/api/pages/article?*', route => {
    requestCount += 1
    return route.fulfill(refusal('error.busy', 1))
  })
  await page.goto(`${panel.url}/pages/article`)
  await page.getByText('Not now.').first().waitFor()
  expect(requestCount).toBe(4)
})
