import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { addAuthenticator, expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { createHashQueue } from '../../src/app.ts'
import { addUser, password, totpCode } from '../../test/harness.ts'
import { isSlow } from '../../test/slow.ts'

const mail = { url: 'smtp://127.0.0.1:9', from: 'site@example.org' }
const panel = await openPanel({ settings: { mail } })
const { site } = panel

async function fill(page: Page, email: string, secret = password): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(secret)
  await page.keyboard.press('Enter')
}
const entered = (page: Page) => page.getByRole('navigation', { name: 'Main' }).waitFor()

test('signs in with a password and opens the requested URL', async () => {
  const user = await addUser(site)
  const page = await panel.open({ at: '/languages' })
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await expectAccessible(page)

  await fill(page, user.email, 'not the password')
  await page.getByRole('alert').getByText('The e-mail address or the password is wrong.').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Show password' }).click()
  await expect.poll(() => page.getByLabel('Password', { exact: true }).getAttribute('type')).toBe('text')
  await page.getByLabel('Stay signed in').check()
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await entered(page)
  await expect.poll(() => page.url()).toBe(`${panel.url}/languages`)
  const cookie = (await page.context().cookies()).find(({ name }) => name === 'quoin_insecure')!
  expect(cookie.expires, 'kept when the browser is closed').toBeGreaterThan(Date.now() / 1000 + 20 * 24 * 3600)

  await page.getByRole('button', { name: user.email }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('signs in with a code of an authenticator app, or with a recovery code', async () => {
  const user = await addUser(site, { totp: true })
  const page = await panel.open({ theme: 'dark', width: 360, height: 740 })
  await fill(page, user.email)
  await page.getByLabel('Code from your authenticator app').fill('000000')
  await page.getByText('The code is wrong or has expired.').waitFor()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  // The sixth digit is enough.
  await page.getByLabel('Code from your authenticator app').fill(await totpCode(site.storage, user.secret))
  await page.getByRole('button', { name: 'Menu' }).waitFor()

  await page.context().clearCookies()
  await page.goto(panel.url)
  await fill(page, user.email)
  await page.getByRole('button', { name: 'Use recovery code' }).click()
  await page.getByLabel('Recovery code').fill(user.recovery[0]!)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Menu' }).waitFor()
})

test.runIf(isSlow)('after too many attempts a challenge starts again', async () => {
  const user = await addUser(site, { totp: true })
  const page = await panel.open()
  await fill(page, user.email)
  for (let attempt = 0; attempt < 4; attempt++) {
    await page.getByLabel('Code from your authenticator app').fill('00000')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.getByLabel('Code from your authenticator app').inputValue()).toBe('')
  }
  await page.getByLabel('Code from your authenticator app').fill('00000')
  await page.keyboard.press('Enter')
  await page.getByText('Please start again.').waitFor()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('signs in with a passkey, by the button and by autofill', async () => {
  const page = await panel.open({ as: {}, at: '/account?tab=security' })
  await addAuthenticator(page)
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByLabel('Name').fill('Yellow key')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText('Yellow key').waitFor()

  // The authenticator answers the conditional request of the form.
  await page.context().clearCookies()
  await page.goto(`${panel.url}/account?tab=security`)
  await page.getByText('Yellow key').waitFor()

  await page.context().clearCookies()
  await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
  await page.goto(`${panel.url}/account?tab=security`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('Yellow key').waitFor()
})

test.runIf(isSlow)('after too many attempts the wait is shown, and the sign-in works afterwards', async () => {
  const user = await addUser(site)
  const page = await panel.open()
  await page.clock.install()
  for (let attempt = 0; attempt < 5; attempt++) {
    await fill(page, user.email, `wrong ${attempt}`)
    await expect
      .poll(() => page.getByRole('button', { name: 'Sign in', exact: true }).getAttribute('aria-busy'))
      .toBe(null)
  }
  await fill(page, user.email)
  await page.getByText(/You can try again in 0:(30|29)/).waitFor()
  const button = page.getByRole('button', { name: /Please wait 0:/ })
  await expect.poll(() => button.isDisabled()).toBe(true)
  await expectAccessible(page)

  await site.storage.moveClock(31_000)
  await page.clock.runFor(31_000)
  await page.getByText('You can try again now.').waitFor()
  await page.keyboard.press('Enter')
  await entered(page)
})

test.runIf(isSlow)('a busy sign-in is retried, with a message', async () => {
  const user = await addUser(site)
  const page = await panel.open()
  const { promise, resolve } = Promise.withResolvers<void>()
  const hashing = createHashQueue(1, 60_000)
  const queued: Promise<unknown>[] = []
  while (hashing.hasRoom('one more')) queued.push(hashing.run(`queued ${queued.length}`, () => promise))
  site.app.hashing = hashing
  await fill(page, user.email)
  await page.getByText('The server is busy.').waitFor()
  await expectAccessible(page)
  resolve()
  await Promise.all(queued)
  await entered(page)
})

test.runIf(isSlow)('signs in in another language, right-to-left', async () => {
  const page = await panel.open({ language: 'ar' })
  await expect.poll(() => page.locator('html').getAttribute('dir')).toBe('rtl')
  await expectAccessible(page)
  await page.getByRole('combobox').selectOption('en')
  await expect.poll(() => page.locator('html').getAttribute('dir')).toBe('ltr')
})
