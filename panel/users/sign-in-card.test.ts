import { expect, test } from 'vitest'
import { expectAccessible, openPanel, titlesWhileClosing } from '../../test/browser.ts'
import { addUser } from '../../test/harness.ts'
import { mailsTo, withMail } from '../../test/signed-in-user.ts'
import { isSlow } from '../../test/slow.ts'

const panel = await openPanel({ settings: withMail })
const admin = await addUser(panel.site, { role: 'admin' })

test.runIf(isSlow)('an account is invited by mail, and invited again', async () => {
  const page = await panel.open({ as: admin, at: '/users' })
  await page.getByRole('button', { name: 'Add user' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill('barbara@example.org')
  await dialog.getByRole('button', { name: 'Invite' }).click()
  await page.getByRole('heading', { name: 'barbara@example.org' }).waitFor()
  await page.getByText('Invited', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('Invitation sent to barbara@example.org').first().waitFor()
  expect(await mailsTo(panel.site, 'barbara@example.org', 'invite')).toHaveLength(2)
  await expectAccessible(page)
})

test.runIf(isSlow)('an administrator can send a reset link or remove the second factor', async () => {
  const otherUser = await addUser(panel.site, { role: 'editor', totp: true })
  const page = await panel.open({ as: admin, at: `/users/${otherUser.id}` })
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText(`Link sent to ${otherUser.email}`).first().waitFor()
  expect(await mailsTo(panel.site, otherUser.email)).not.toHaveLength(0)

  await page.getByRole('button', { name: 'Remove' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('Sign-in method removed').waitFor()
  const { totp_secret } = await panel.site.app.store.db
    .selectFrom('users')
    .select('totp_secret')
    .where('id', '=', otherUser.id)
    .executeTakeFirstOrThrow()
  expect(totp_secret).toBeNull()
})

test.runIf(isSlow)('the dialog that removes a passkey keeps its title while it closes', async () => {
  const user = await addUser(panel.site, { role: 'editor' })
  const credential = { credential: 'c', public_key: '', counter: 0, transports: '', syncable: 0, synced: 0 } as const
  const passkey = { id: 'pk', user_id: user.id, name: 'Laptop', created_at: 0, last_used_at: null, ...credential }
  await panel.site.app.store.db.insertInto('passkeys').values(passkey).execute()
  const page = await panel.open({ as: admin, at: `/users/${user.id}` })
  await page.getByText('Laptop').waitFor()
  await page.getByRole('button', { name: 'Remove', exact: true }).nth(1).click() // the first one is for the app
  expect(await titlesWhileClosing(page)).toEqual(['Remove the passkey “Laptop”?'])
})
