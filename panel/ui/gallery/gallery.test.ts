import { expect, test } from 'vitest'
import { expectAccessible, expectFocused, expectNoSidewaysScroll, openPanel } from '../../../test/browser.ts'
import { isSlow } from '../../../test/slow.ts'

const panel = await openPanel()
const open = (options: { theme?: 'light' | 'dark'; width?: number } = {}) =>
  panel.open({ as: { role: 'admin' }, at: '/ui', ...options })

test.each(isSlow ? (['light', 'dark'] as const) : (['light'] as const))(
  'every component is visible and reachable, in %s',
  async theme => {
    const page = await open({ theme })
    await page.getByRole('heading', { name: 'Components' }).waitFor()
    await expectAccessible(page)
    // One element has the name, so that it is announced once.
    for (const name of ['Radio buttons', 'Toggles']) {
      await page.getByRole('radiogroup', { name, exact: true }).waitFor()
      expect(await page.getByRole('group', { name, exact: true }).count()).toBe(0)
    }
  },
)

test.runIf(isSlow)('nothing is cut off in a narrow window, in either direction', async () => {
  const page = await open({ width: 360 })
  await page.getByRole('heading', { name: 'Components' }).waitFor()
  await expectNoSidewaysScroll(page)
  await page.getByRole('button', { name: 'Right to left' }).click()
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
})

test.runIf(isSlow)('dialogs and menus take the focus and return it', async () => {
  const page = await open()
  for (const name of ['Dialog', 'Confirm', 'Drawer', 'Menu', 'Popover']) {
    const trigger = page.getByRole('button', { name, exact: true })
    await trigger.click()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expectFocused(trigger)
  }
})

test.runIf(isSlow)('items are sorted with the keyboard and the pointer, and each move is announced', async () => {
  const page = await open()
  const list = page.getByRole('list').filter({ hasText: 'Use the handle' })
  const order = () =>
    list.getByRole('button').evaluateAll(all => all.map(one => one.getAttribute('aria-label')).slice(0, 3))
  for (let times = 0; times < 2; times++) await page.getByRole('button', { name: 'Move Heading' }).press('ArrowDown')
  await expect.poll(order).toEqual(['Move Text', 'Move Gallery', 'Move Heading'])
  await page.getByText('Heading is now at position 3 of 4').waitFor({ state: 'attached' })
  await page
    .getByRole('button', { name: 'Move Heading' })
    .dragTo(page.getByRole('button', { name: 'Move Text' }), { targetPosition: { x: 4, y: 2 } })
  await expect.poll(order).toEqual(['Move Heading', 'Move Text', 'Move Gallery'])
})
