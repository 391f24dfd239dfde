import { expect, test } from 'vitest'
import { linkFor } from '../../src/platform/mail/render.ts'
import { expectAccessible, openPanel } from '../../test/browser.ts'
import { addUser, createTestStorage, password, totpCode, writeBlueprints } from '../../test/harness.ts'
import { lastMail } from '../../test/signed-in-user.ts'
import { isSlow } from '../../test/slow.ts'

const mail = { url: 'smtp://127.0.0.1:9', from: 'site@example.org' }
const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, { 'users/guard.yml': 'title: Guard\nrequireSecondFactor: true\n' })
const panel = await openPanel({ storage, settings: { mail } })
const { site } = panel
const next = 'four grey geese in a field'
/** The link that the mail would contain. */
const below = (template: 'reset' | 'invite' | 'emailConfirm', token: string) =>
  linkFor(site.app, template, token).slice(panel.url.length)

test('a forgotten password is replaced with the code from the mail', async () => {
  const { email } = await addUser(site)
  const page = await panel.open()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('button', { name: 'Forgot password?' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByText(`If there is an account for ${email}`).waitFor()
  const { code } = await lastMail(site, email, 'reset')

  await page.getByLabel('Code from the e-mail').fill(code === '00000000' ? '00000001' : '00000000')
  await page.getByLabel('New password').fill(next)
  await page.getByRole('button', { name: 'Save password' }).click()
  await page.getByText('The code is wrong').waitFor()
  await page.getByLabel('Code from the e-mail').fill(code)
  await page.getByLabel('New password').fill('aaaaaaaaaaaaaaaa')
  await page.getByText('Repeated characters').waitFor()
  await page.getByRole('button', { name: 'Save password' }).click()
  await page.getByText('Please choose another password.').waitFor()
  await expectAccessible(page)
  await page.getByLabel('New password').fill(next)
  await page.getByRole('button', { name: 'Save password' }).click()

  await page.getByText('Your password has been changed.').waitFor()
  await expect.poll(() => page.getByLabel('E-mail address').inputValue()).toBe(email)
  await page.getByLabel('Password', { exact: true }).fill(next)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
})

test.runIf(isSlow)('the link in the same mail needs no code', async () => {
  const { email } = await addUser(site)
  await site.browser().client.auth.login({ method: 'reset', email })
  const { token } = await lastMail(site, email, 'reset')

  const page = await panel.open({ at: below('reset', token), theme: 'dark', width: 360 })
  await page.getByLabel('New password').fill(next)
  await expect.poll(() => page.url()).toBe(`${panel.url}/reset`)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save password' }).click()
  await page.getByText('Your password has been changed.').waitFor()

  const late = await panel.open({ at: below('reset', token) })
  await late.getByLabel('New password').fill(next)
  await late.getByRole('button', { name: 'Save password' }).click()
  await late.getByRole('button', { name: 'Request new code' }).click()
  await late.getByRole('button', { name: 'Send code' }).waitFor()
})

test('an invited user accepts the invitation', async () => {
  const admin = site.browser()
  const { email: boss } = await addUser(site)
  await admin.client.auth.login({ email: boss, password })
  const email = 'grace@example.org'
  await admin.client.users.create({ email, role: 'editor' })
  const { token } = await lastMail(site, email, 'invite')

  const page = await panel.open({ at: below('invite', token) })
  await page.getByLabel('Your name').fill('Grace')
  await page.getByLabel('Password', { exact: true }).fill(next)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Set up account' }).click()
  await page.getByText('Your account is ready.').waitFor()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(next)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Grace' }).waitFor()
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
  expect(await links.allTextContents(), 'what the role may see').toEqual(['Today'])
})

test.runIf(isSlow)('a new email address is confirmed by its link, and the user is signed out', async () => {
  const user = await addUser(site)
  const page = await panel.open({ as: user, at: '/account' })
  await page.getByRole('button', { name: 'Change e-mail address' }).click()
  await page.getByLabel('New e-mail address').fill('new@example.org')
  await page.getByRole('dialog').getByRole('button', { name: 'Change e-mail address' }).click()
  await page.getByText('We have sent a link to new@example.org').waitFor()
  const { token } = await lastMail(site, 'new@example.org', 'emailConfirm')

  await page.goto('about:blank')
  await page.goto(panel.url + below('emailConfirm', token))
  const confirm = page.getByRole('button', { name: 'Confirm e-mail address' })
  await confirm.waitFor()
  await expectAccessible(page)
  await confirm.click()
  await page.getByText('Your new e-mail address is confirmed.').waitFor()
})

test.runIf(isSlow)('a password that someone else has set must be replaced first', async () => {
  const user = await addUser(site, { mustChangePassword: true })
  const page = await panel.open({ as: user, at: '/site' })
  await page.getByRole('heading', { name: 'Choose your own password' }).waitFor()
  await expectAccessible(page)
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('New password').fill(next)
  await page.getByRole('button', { name: 'Save password' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
})

test.runIf(isSlow)('a role that requires a second factor refuses sign-ins without one', async () => {
  const page = await panel.open({ as: { role: 'guard' }, at: '/account?tab=security', width: 360, theme: 'dark' })
  await page.getByRole('heading', { name: 'Add a second factor' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add authenticator app' }).click()
  const secret = (await page.getByLabel('Key', { exact: true }).inputValue()).replaceAll(' ', '')
  await page.getByLabel('Code from the app').fill(await totpCode(storage, secret))
  await page.getByRole('button', { name: 'Turn on' }).click()
  const codes = page.getByRole('dialog', { name: 'Your recovery codes' })
  await expect.poll(() => codes.getByRole('listitem').count()).toBe(10)
  await codes.getByRole('button', { name: 'Done' }).click()
  await page.getByText('10 codes are left').waitFor()
})
