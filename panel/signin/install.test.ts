import { expect, test } from 'vitest'
import { createSetupToken } from '../../src/groups/system/system.ts'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { isSlow } from '../../test/slow.ts'

const panel = await openPanel()
const token = await createSetupToken(panel.site.app)
const email = 'first@example.org'

test('the link from the terminal creates the first account and opens the panel', async () => {
  const page = await panel.open({ at: `/install#token=${token}`, theme: 'dark', width: 360, height: 740 })
  await page.getByRole('heading', { name: 'Set up your site' }).waitFor()
  await expect.poll(() => page.url(), { message: 'the token is in no history' }).toBe(`${panel.url}/install`)
  await expectNoSidewaysScroll(page)

  await page.getByLabel('Your name').fill('Ada')
  await page.getByLabel('E-mail address').fill('nonsense')
  await page.getByLabel('Password', { exact: true }).fill('too short')
  await page.getByText('6 more characters').waitFor()
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('This is not an e-mail address.').waitFor()
  await expectAccessible(page)

  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('button', { name: 'Suggest password' }).click()
  await page.getByText('Random words').waitFor()
  await expect.poll(() => page.getByLabel('Password', { exact: true }).inputValue()).toMatch(/^([a-z]+ ){5}[a-z]+$/)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL('**/panel/today')
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('button', { name: 'Ada' }).waitFor()
})

test.runIf(isSlow)('after the installation the link leads to the sign-in', async () => {
  const page = await panel.open({ at: `/install#token=${token}` })
  await page.getByText('This site has been set up already.').waitFor()
  await expectAccessible(page)
})
