import { expect, test } from 'vitest'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { release } from '../../src/platform/release.ts'
import { isSlow } from '../../test/slow.ts'

const panel = await openPanel()

test('the system screen shows the state and missing requirements', async () => {
  const page = await panel.open({ as: { role: 'admin' }, at: '/system', theme: 'dark' })
  await page.getByText(release, { exact: true }).waitFor()
  await page.getByText('Everything works').waitFor()
  await page.getByText('E-mail is not configured').waitFor()
  await page.getByText(/The folder "examples" of Quoin has front ends/).waitFor()
  await page.getByRole('link', { name: 'Roles' }).waitFor()
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 700 })
  await expectNoSidewaysScroll(page)
})

test.runIf(isSlow)('a failed request shows an error and can be retried', async () => {
  const page = await panel.open({ as: { role: 'admin' }, at: '/roles' })
  await page.getByRole('table').waitFor()
  const broken = { status: 400, json: { status: 'error', message: 'The disk is on fire.' } }
  await page.route('**/api/system?*', route => route.fulfill(broken))
  await page.getByRole('link', { name: 'System' }).click()
  await page.getByText('The disk is on fire.').waitFor()
  await expect.poll(() => page.title()).toMatch(/^Something went wrong/)
  await expectAccessible(page)
  await page.unroute('**/api/system?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Everything works').waitFor()
  await expect.poll(() => page.title()).toMatch(/^System/)
})

test.runIf(isSlow)('a role without access sees a message', async () => {
  const page = await panel.open({ as: { role: 'editor' }, at: '/system' })
  await page.getByText('No access').last().waitFor()
  await expectAccessible(page)
})
