import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, openPanel } from '../../test/browser.ts'
import { addUser, password } from '../../test/harness.ts'
import { isSlow } from '../../test/slow.ts'

const panel = await openPanel()
const { site } = panel

const endSessionsOf = ({ id }: { id: string }) =>
  site.app.store.db.deleteFrom('sessions').where('user_id', '=', id).execute()
const nameOf = async ({ id }: { id: string }) =>
  (await site.app.store.db.selectFrom('users').select('name').where('id', '=', id).executeTakeFirstOrThrow()).name

/**
 * Ends the sessions while the save is being sent: any request that notices the end opens the dialog, which covers the
 * button.
 */
async function saveAfterTheEnd(page: Page, user: { id: string }): Promise<void> {
  const isEnded = Promise.withResolvers<void>()
  await page.route(`**/api/users/*/name*`, async route => {
    await isEnded.promise
    await route.continue()
  })
  const sent = page.waitForRequest('**/api/users/*/name*')
  await page.getByRole('button', { name: 'Save' }).click()
  await sent
  await endSessionsOf(user)
  isEnded.resolve()
}

test('when a session ends while the user types, they sign in over the screen and the text is saved', async () => {
  const user = await addUser(site)
  const page = await panel.open({ as: user, at: '/account', theme: 'dark' })
  await page.getByLabel('Name').fill('Typed before the end')
  await saveAfterTheEnd(page, user)

  const dialog = page.getByRole('dialog', { name: 'Please sign in again' })
  await dialog.waitFor()
  await expectAccessible(page)
  await dialog.getByLabel('Password', { exact: true }).fill('not the password')
  await dialog.getByLabel('Password', { exact: true }).press('Enter')
  await dialog.getByText('The e-mail address or the password is wrong.').waitFor()
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await dialog.getByLabel('Password', { exact: true }).press('Enter')

  await page.getByText('Saved', { exact: true }).waitFor() // the dialog has the word, too
  await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Typed before the end')
  expect(await nameOf(user)).toBe('Typed before the end')
})

test('after too many attempts with a passkey the wait is counted down, and the password can be used', async () => {
  const user = await addUser(site)
  const page = await panel.open({ as: user, at: '/account' })
  await page.getByLabel('Name').fill('Still here')
  await saveAfterTheEnd(page, user)
  const dialog = page.getByRole('dialog', { name: 'Please sign in again' })
  await page.route('**/api/auth/login*', route =>
    route.fulfill({
      status: 429,
      headers: { 'retry-after': '30' },
      json: { status: 'error', key: 'error.auth.throttled', message: 'Wait.', code: 429, details: {} },
    }),
  )
  await dialog.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await dialog.getByText('You can try again in 0:').waitFor()
  await page.unroute('**/api/auth/login*')
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect.poll(() => nameOf(user)).toBe('Still here')
})

test.runIf(isSlow)('closing the sign-in dialog loses nothing', async () => {
  const user = await addUser(site)
  const page = await panel.open({ as: user, at: '/account' })
  await page.getByLabel('Name').fill('Still here')
  await saveAfterTheEnd(page, user)
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByText('Please sign in.').first().waitFor()
  await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Still here')

  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect.poll(() => nameOf(user)).toBe('Still here')
})

test.runIf(isSlow)('a sign-in in another tab rotates the session token without a prompt', async () => {
  const user = await addUser(site)
  const page = await panel.open({ as: user, at: '/account' })
  await page.getByLabel('Name').fill('From the first tab')
  const url = `${new URL(panel.url).origin}/api/auth/login`
  const headers = { 'sec-fetch-site': 'same-origin' }
  const again = await page
    .context()
    .request.post(url, { data: { email: user.email, password }, headers, maxRetries: 3 })
  expect(again.status()).toBe(200)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved').first().waitFor()
  expect(await nameOf(user)).toBe('From the first tab')
})

test.runIf(isSlow)('after a long absence the user sees why they have to sign in', async () => {
  const page = await panel.open({ as: {}, at: '/account' })
  await page.getByLabel('Name').waitFor()
  await site.storage.moveClock(61 * 60_000)
  await page.reload()
  await page.getByText('you were inactive for a while').waitFor()
})

test('sensitive changes ask for a confirmation if the sign-in was long ago', async () => {
  const user = await addUser(site)
  const page = await panel.open({ as: user, at: '/account?tab=tokens' })
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByLabel('Name').fill('Website')
  await site.storage.moveClock(16 * 60_000)
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm your identity' })
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await dialog.getByLabel('Password', { exact: true }).press('Enter')
  await page.getByText('Your new token').waitFor()
  await expect.poll(() => page.getByLabel('Token', { exact: true }).inputValue()).toMatch(/^quoin_/)
  await expectAccessible(page)
})
