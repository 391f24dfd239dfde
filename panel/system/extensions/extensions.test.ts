import { expect, test } from 'vitest'
import { startExtensions } from '../../../src/extensions/start.ts'
import { defineExtension, job, on } from '../../../src/index.ts'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../../test/browser.ts'
import { beforeCleanUp } from '../../../test/harness.ts'
import { addPage } from '../../../test/pages.ts'

let count = 0
const shop = defineExtension({
  name: 'shop',
  on: [on('page.created', async () => Promise.reject(new Error('no paper')))],
  jobs: [
    job('nightly', { at: '0 3 * * *', timeZone: 'Europe/Berlin', run: async () => ++count }),
    job('fails', { run: async () => Promise.reject(new Error('no ink')) }),
  ],
})

const panel = await openPanel({ settings: { extensions: [shop] } })
beforeCleanUp(await startExtensions(panel.site.app, { pollMs: 200 }))

test('runs of an extension are listed with their errors, and can be repeated', async () => {
  await addPage(panel.site, '', { slug: 'a' })
  const page = await panel.open({ as: { role: 'admin' }, at: '/system' })
  await page.getByRole('link', { name: 'Extensions' }).click()
  const list = page.getByRole('list', { name: 'Extensions' })
  await list.getByText('page.created, nightly, fails').waitFor()
  await expectAccessible(page)
  await list.getByRole('button', { name: /shop/ }).click()
  const runs = page.getByRole('list', { name: 'Recent runs' })
  await runs.getByText('Error: no paper').waitFor()
  await page.getByText(/0 3 \* \* \* \(Europe\/Berlin\) · next run/).waitFor()
  await page.getByRole('button', { name: 'Run now: nightly' }).click()
  await expect.poll(() => count).toBe(1)
  await runs.getByText('Done').waitFor()
  await page.getByRole('button', { name: 'Run now: fails' }).click()
  await runs.getByText('Error: no ink').waitFor()
  await page.getByRole('button', { name: 'Run again' }).click()
  await expect.poll(() => runs.getByText('Error: no ink').count()).toBe(2)
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 700 })
  await expectNoSidewaysScroll(page)
})
