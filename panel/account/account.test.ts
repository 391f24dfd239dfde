import sharp from 'sharp'
import { expect, test } from 'vitest'
import {
  addAuthenticator,
  expectAccessible,
  expectNoSidewaysScroll,
  openPanel,
  titlesWhileClosing,
} from '../../test/browser.ts'
import { addToken } from '../../test/tokens.ts'
import { addUser, password, totpCode } from '../../test/harness.ts'
import { isSlow } from '../../test/slow.ts'

const panel = await openPanel()
const { site } = panel
const next = 'four grey geese in a field'

test.runIf(isSlow)('the account screen changes name, language and image', async () => {
  const page = await panel.open({ as: {}, at: '/account' })
  await page.getByLabel('Name').fill('Ada Lovelace')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Ada Lovelace' }).waitFor()
  await expectAccessible(page)

  const buffer = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#0e5f63' } })
    .png()
    .toBuffer()
  await page.getByLabel('Profile image').setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer })
  const dialog = page.getByRole('dialog', { name: 'Crop image' })
  await dialog.getByRole('button', { name: 'Save image' }).click()
  await page.getByRole('button', { name: 'Remove image' }).waitFor()
  const shown = page.locator('main img')
  await expect.poll(() => shown.evaluate(image => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'Remove image' }).click()
  await page.getByRole('button', { name: 'Add image' }).waitFor()

  await page.getByLabel('Language of the panel').click()
  await page.getByRole('option', { name: 'العربية' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => page.locator('html').getAttribute('dir')).toBe('rtl')
  await expectAccessible(page)
})

test.runIf(isSlow)('a new name is shown, also if the language cannot be changed', async () => {
  const page = await panel.open({ as: {}, at: '/account' })
  const failure = { status: 500, json: { status: 'error', key: 'error.server', message: 'Broken' } }
  await page.route('**/api/users/account/language', route => route.fulfill(failure))
  await page.getByLabel('Name').fill('Grace Hopper')
  await page.getByLabel('Language of the panel').click()
  await page.getByRole('option', { name: 'Deutsch' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Broken').first().waitFor()
  await page.getByRole('button', { name: 'Grace Hopper' }).waitFor()
})

test.runIf(isSlow)('a new password keeps this session and ends the others', async () => {
  const user = await addUser(site)
  await addToken(site.app, { userId: user.id, name: 'x', scopes: ['*'] })
  const other = await panel.open({ as: user, at: '/account' })
  const page = await panel.open({ as: user, at: '/account?tab=security', theme: 'dark' })
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByLabel('Current password').fill('not the password')
  await page.getByLabel('New password').fill(next)
  await page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click()
  await page.getByText('The e-mail address or the password is wrong.').waitFor()
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('Also revoke all my API tokens').check()
  await page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Password changed').first().waitFor()
  await page.goto(`${panel.url}/account`)
  await page.getByLabel('Name').waitFor()
  await other.reload()
  await other.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(
    await site.app.store.db.selectFrom('api_tokens').selectAll().where('owner_id', '=', user.id).execute(),
  ).toEqual([])
})

test.runIf(isSlow)('an authenticator app is set up, with recovery codes, and removed', async () => {
  const page = await panel.open({ as: {}, at: '/account?tab=security', width: 360, height: 740 })
  await page.getByRole('button', { name: 'Add authenticator app' }).click()
  await page.getByRole('img', { name: /QR code/ }).waitFor()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  const secret = (await page.getByLabel('Key', { exact: true }).inputValue()).replaceAll(' ', '')
  await page.getByLabel('Code from the app').fill('000000')
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText('The code is wrong').waitFor()
  await page.getByLabel('Code from the app').fill(await totpCode(site.storage, secret))
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText('On', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Create new codes' }).click()
  const codes = page.getByRole('dialog', { name: 'Your recovery codes' })
  await expect.poll(() => codes.getByRole('listitem').count()).toBe(10)
  await expectAccessible(page)
  await codes.getByRole('button', { name: 'Done' }).click()
  await page.getByText('10 codes are left').waitFor()

  await page.getByRole('button', { name: 'Remove authenticator app' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Off', { exact: true }).waitFor()
})

test.runIf(isSlow)('passkeys are added, renamed and removed', async () => {
  const page = await panel.open({ as: {}, at: '/account?tab=security' })
  await addAuthenticator(page)
  await page.getByRole('button', { name: 'Add passkey' }).click()
  const name = page.getByRole('dialog').getByLabel('Name')
  await name.fill('Laptop')
  await name.press('Enter')
  await name.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Rename: Laptop' }).click()
  await name.fill('Old laptop')
  await name.press('Enter')
  await page.getByRole('button', { name: 'Remove: Old laptop' }).click()
  expect(await titlesWhileClosing(page)).toEqual(['Remove “Old laptop”?'])
  await page.getByText('No passkeys yet').waitFor()
})

test('sessions are listed and ended; tokens are created, shown once and deleted; events are listed', async () => {
  const user = await addUser(site)
  const other = await panel.open({ as: user, at: '/account' })
  const page = await panel.open({ as: user, at: '/account?tab=sessions', width: 360, height: 740, theme: 'dark' })
  await page.getByText('This device').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: /^End session in/ }).click()
  await expect.poll(() => page.getByRole('main').getByRole('listitem').count()).toBe(1)
  await other.reload()
  await other.getByRole('heading', { name: 'Sign in' }).waitFor()

  await page.getByRole('tab', { name: 'API tokens' }).click()
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByLabel('Name').fill('Website')
  await page.getByRole('radio', { name: 'Selected permissions' }).check()
  await page.getByRole('combobox', { name: 'Selected permissions' }).waitFor()
  await page.getByRole('radiogroup', { name: 'Scopes' }).waitFor()
  const ids = await page.locator('[role=dialog] [id]').evaluateAll(all => all.map(({ id }) => id))
  expect(ids).toEqual([...new Set(ids)])
  await expectAccessible(page)
  await page.getByRole('radio', { name: 'Read the site and its content, including drafts' }).check()
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
  const token = await page.getByLabel('Token', { exact: true }).inputValue()
  const answer = await site.request({
    url: '/api/site',
    headers: { host: new URL(panel.url).host, authorization: `Bearer ${token}` },
  })
  expect(answer.statusCode).toBe(200)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Remove: Website' }).click()
  expect(await titlesWhileClosing(page)).toEqual(['Remove “Website”?'])
  await page.getByText('No tokens yet').waitFor()

  await page.getByRole('tab', { name: 'Activity' }).click()
  await page.getByText('API token created').waitFor()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
})
