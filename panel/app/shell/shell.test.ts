import { expect, test } from 'vitest'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../../test/browser.ts'
import { addUser } from '../../../test/harness.ts'
import { isSlow } from '../../../test/slow.ts'

const panel = await openPanel()
const admin = await addUser(panel.site)

test.runIf(isSlow)(
  'the theme is chosen in the menu; the HTML applies it before the code of the panel is loaded',
  async () => {
    const page = await panel.open({ as: admin, at: '/account' })
    const dark = () => page.evaluate('document.documentElement.dataset.theme')
    await page.getByRole('button', { name: admin.email }).click()
    await expectAccessible(page)
    await page.getByRole('menuitemradio', { name: 'Dark' }).click()
    await expect.poll(dark).toBe('dark')
    const scripts = '**/*.js'
    await page.route(scripts, route => route.abort())
    await page.reload()
    expect(await dark()).toBe('dark')
    expect(await page.locator('#root > *').count(), 'no code of the panel has run').toBe(0)
    await page.unroute(scripts)
    await page.reload()
    await page.getByRole('button', { name: admin.email }).click()
    await page.getByRole('menuitemradio', { name: 'System default' }).click()
    await expect.poll(dark).toBe(undefined)
  },
)

test.runIf(isSlow)('on a narrow screen navigation is in a drawer, which takes the focus', async () => {
  const page = await panel.open({ as: admin, at: '/account', width: 360, height: 740 })
  await page.getByRole('button', { name: 'Menu' }).click()
  const drawer = page.getByRole('dialog', { name: 'Menu' })
  await drawer.getByRole('link', { name: 'System' }).waitFor()
  await drawer.locator(':focus').waitFor()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  await drawer.getByRole('link', { name: 'System' }).click()
  await page.waitForURL('**/panel/system')
  await drawer.waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').waitFor()
})

test('an unknown URL and an unreachable server show a message', async () => {
  const page = await panel.open({ as: admin, at: '/nonsense' })
  await page.getByRole('main').getByText('Not found').last().waitFor()
  await expectAccessible(page)
  await page.context().setOffline(true)
  await page.getByText('You are offline.').waitFor()
  await page.context().setOffline(false)
  await page.getByText('You are offline.').waitFor({ state: 'detached' })

  await page.route('**/api/**', route => route.abort())
  await page.reload()
  await page.getByText('The server cannot be reached.').waitFor()
  await expectAccessible(page)
  await page.unroute('**/api/**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
})
