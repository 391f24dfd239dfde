import { expect, test } from 'vitest'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { addUser, createTestStorage, password, totpCode, writeBlueprints } from '../../test/harness.ts'
import { signIn } from '../../test/signed-in-user.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'users/editor.yml': `title: Editor
description: Writes and publishes
permissions:
  access: { users: false, system: false, languages: false }
fields:
  bio:
    type: text
    label: About you
`,
  'users/guarded.yml': 'title: Guarded\nrequireSecondFactor: true\n',
  'users/viewer.yml': `title: Viewer
permissions:
  "*": false
  access: { panel: true, account: true, users: true }
`,
})
const panel = await openPanel({ storage })
const admin = await addUser(panel.site, { role: 'admin', email: 'ada@example.org' })
const viewer = await addUser(panel.site, { role: 'viewer', email: 'viewer@example.org' })
const editor = await addUser(panel.site, { role: 'editor', email: 'grace@example.org' })

test('an account is added, found and filtered', async () => {
  const page = await panel.open({ as: admin, at: '/users' })
  await page.getByRole('button', { name: 'Add user' }).click()
  const dialog = page.getByRole('dialog')
  // There is no mail in this site: the dialog says so, and asks for a password.
  await expect.poll(() => dialog.getByRole('radio', { name: /Send an invitation/ }).isDisabled()).toBe(true)
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill('nobody at all')
  await dialog.locator('input[type=password]').fill('four brown owls on a wire')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByText('This is not an e-mail address.').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill('barbara@example.org')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Barbara Liskov')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  // The message goes after 5 seconds.
  await Promise.all([
    page.getByText('Account created').waitFor(),
    page.getByRole('heading', { name: 'Barbara Liskov' }).waitFor(),
  ])
  await expectAccessible(page)

  await page.getByRole('link', { name: 'Users' }).first().click()
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  await row('Barbara Liskov').waitFor()
  await page.getByRole('searchbox').fill('liskov')
  await row('ada@example.org').waitFor({ state: 'detached' })
  await page.getByRole('searchbox').fill('')
  await page.getByRole('combobox', { name: 'Role' }).click()
  await page.getByRole('option', { name: 'Administrator' }).click()
  await row('Barbara Liskov').waitFor({ state: 'detached' })
  await row('ada@example.org').waitFor()
  await expectAccessible(page)
})

test.runIf(isSlow)('an account is changed, disabled and enabled again, and its sessions end', async () => {
  const otherUser = await addUser(panel.site, { role: 'editor', email: 'kay@example.org' })
  await signIn(panel.site, otherUser.email)
  const page = await panel.open({ as: admin, at: `/users/${otherUser.id}` })
  const change = async (what: string) => page.getByRole('group', { name: what }).getByRole('button').click()
  const dialog = page.getByRole('dialog')

  await change('Name')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Alan Kay')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Alan Kay' }).waitFor()
  await change('Role')
  await dialog.getByRole('radio', { name: 'Viewer' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Viewer · kay@example.org').waitFor()

  await page.getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click()
  await page.getByText('This account is disabled').waitFor()
  await page.getByText('Not signed in anywhere.').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByText('This account is disabled').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL('**/users')
  await page.getByRole('row').filter({ hasText: 'ada@example.org' }).waitFor()
  await page.getByRole('row').filter({ hasText: 'Alan Kay' }).waitFor({ state: 'detached' })
})

test.runIf(isSlow)('fields that the blueprint of a role requires are filled in', async () => {
  const page = await panel.open({ as: admin, at: `/users/${editor.id}` })
  await page.getByRole('textbox', { name: 'About you' }).fill('Wrote a compiler')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
  await page.reload()
  const field = page.getByRole('textbox', { name: 'About you' })
  await field.waitFor()
  await expect.poll(() => field.inputValue()).toBe('Wrote a compiler')
})

test.runIf(isSlow)('a role with few permissions sees accounts, and why it may not change them', async () => {
  const page = await panel.open({ as: viewer, at: '/users', width: 360 })
  await expect.poll(() => page.getByRole('button', { name: 'Add user' }).isDisabled()).toBe(true)
  await expectNoSidewaysScroll(page)
  await page.getByRole('link', { name: 'grace@example.org' }).click()
  await page.getByRole('heading', { name: 'grace@example.org' }).waitFor()
  await page.getByText('You do not have permission to do this.').first().waitFor()
  for (const button of await page.locator('main').getByRole('button').all())
    await expect.poll(() => button.isDisabled()).toBe(true)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.goto(`${panel.url}/users/${admin.id}`)
  await page.getByText('Only administrators can do this to an administrator.').first().waitFor()
})

test.runIf(isSlow)('an administrator creates a token for a service account', async () => {
  const service = await addUser(panel.site, { role: 'editor', email: 'service@example.org' })
  const page = await panel.open({ as: admin, at: `/users/${service.id}` })
  await page.getByText('No tokens yet').waitFor()
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Website')
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
  const token = await page.getByLabel('Token', { exact: true }).inputValue()
  const headers = { host: new URL(panel.url).host, authorization: `Bearer ${token}` }
  const answer = await panel.site.request({ url: '/api/auth', headers })
  expect(answer.json()).toMatchObject({ data: { id: service.id } })
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Remove: Website' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No tokens yet').waitFor()
})

test.runIf(isSlow)('the last required second factor is replaced instead of removed', async () => {
  const guarded = await addUser(panel.site, { role: 'guarded', totp: true })
  const page = await panel.open({ at: '/account?tab=security' })
  await page.getByLabel('E-mail address').fill(guarded.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByLabel('Code from your authenticator app').fill(await totpCode(panel.site.storage, guarded.secret))
  await page.getByRole('button', { name: 'Remove authenticator app' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  const dialog = page.getByRole('dialog', { name: 'Replace authenticator app' })
  await dialog.getByText('Your role requires a second factor').waitFor()
  await expectAccessible(page)
  const secret = (await dialog.getByLabel('Key', { exact: true }).inputValue()).replaceAll(' ', '')
  await dialog.getByLabel('Code from the app').fill(await totpCode(panel.site.storage, secret))
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText('Authenticator app added').waitFor()
  await page.getByText('On', { exact: true }).waitFor()
})

test.runIf(isSlow)('an account without access sees no users', async () => {
  const page = await panel.open({ as: editor, at: '/users' })
  await page.getByText('No access').last().waitFor()
  expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0)
  await expectAccessible(page)
})

test.runIf(isSlow)('the roles screen shows permissions', async () => {
  const page = await panel.open({ as: admin, at: '/roles', theme: 'dark' })
  const table = page.getByRole('table')
  const row = table.getByRole('row', { name: /^Upload / })
  await expect.poll(() => row.getByRole('cell').allInnerTexts()).toEqual(['Yes', 'Yes', 'Yes', 'No'])
  await page.getByText('All permissions').first().waitFor()
  await page.getByText('3 of 48 permissions').waitFor()
  await expectAccessible(page)
  await page.getByRole('switch', { name: 'Show only differences' }).click()
  await table.getByRole('row', { name: /^Panel / }).waitFor({ state: 'detached' })
  await page.setViewportSize({ width: 360, height: 700 })
  await expectNoSidewaysScroll(page)
})
