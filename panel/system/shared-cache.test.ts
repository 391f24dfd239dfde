import { test } from 'vitest'
import { startPurging } from '../../src/groups/system/purge/purge.ts'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { beforeCleanUp } from '../../test/harness.ts'
import { isSlow } from '../../test/slow.ts'

// Nothing listens on port 1.
const panel = await openPanel({ settings: { delivery: { purge: { kind: 'url', url: 'http://127.0.0.1:1/purge' } } } })
beforeCleanUp(await startPurging(panel.site.app, { pollMs: 200 }))

test.runIf(isSlow)('the system screen shows a cache that cannot be purged', async () => {
  const page = await panel.open({ as: { role: 'admin' }, at: '/system' })
  await page.getByRole('button', { name: 'Clear cache' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Clear cache' }).click()
  await page.getByText('The cache is being cleared').waitFor()
  await page.getByText('The cache could not be updated').waitFor()
  await page.getByText(/ECONNREFUSED/).waitFor()
  await page.getByText(/pending changes?$/).waitFor()
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 700 })
  await expectNoSidewaysScroll(page)
})
