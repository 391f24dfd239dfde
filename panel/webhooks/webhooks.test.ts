import { expect, test } from 'vitest'
import { startWebhooks } from '../../src/groups/system/webhooks/deliver.ts'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { beforeCleanUp } from '../../test/harness.ts'
import { createReceiver, verify } from '../../test/receiver.ts'

const panel = await openPanel({ settings: { webhooks: { allow: ['127.0.0.1'] } } })
const stop = await startWebhooks(panel.site.app, { pollMs: 200 })
beforeCleanUp(stop)

test('a webhook is added, tested, changed and deleted', async () => {
  const receiver = await createReceiver()
  const page = await panel.open({ as: { role: 'admin' }, at: '/system' })
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByText('No webhooks yet.').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add webhook' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill('https://10.0.0.1/hook')
  panel.expectProblem(/400/)
  await dialog.getByRole('button', { name: 'Add webhook' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('URL').fill(receiver.url)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Add webhook' }).click()
  const secret = await dialog.getByLabel('Secret', { exact: true }).inputValue()
  await dialog.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('button', { name: new RegExp(RegExp.escape(receiver.url)) }).click()
  await page.getByText('Nothing has been sent yet.').waitFor()
  await page.getByRole('button', { name: 'Send test' }).click()
  await page.getByRole('list', { name: 'Recent deliveries' }).getByText('200').waitFor()
  verify(receiver.hooks[0]!, secret)
  await page.getByRole('button', { name: 'Send again' }).click()
  await expect.poll(() => receiver.hooks.length).toBe(2)
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 700 })
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.getByRole('switch', { name: 'Active' }).click()
  await page.getByRole('switch', { name: 'Active', checked: false }).waitFor()
  await page.getByRole('button', { name: 'Edit webhook' }).click()
  await page.getByLabel('Combine events').fill('5')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No webhooks yet.').waitFor()
})
