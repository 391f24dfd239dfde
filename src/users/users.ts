import type { App } from '../app.ts'
import { record } from '../audit/audit.ts'
import { fail } from '../errors.ts'
import { hashPassword } from '../factors/password.ts'
import { parseEmail } from '../lib/email.ts'
import { createId } from '../lib/id.ts'
import { endEpoch } from '../session/sessions.ts'
import type { Tx } from '../store/store.ts'
import * as queries from './queries.ts'
import { emailMustBeValid, passwordMustFit, roleMustExist } from './rules.ts'

export type UserRow = Awaited<ReturnType<typeof queries.selectUsers>>[number]

export interface NewUser {
  email: string
  password: string
  name?: string | undefined
  role: string
  language?: string | undefined
}

export async function createUser(
  app: App,
  { email: text, password, name = '', role, language = 'en' }: NewUser,
): Promise<string> {
  const email = emailMustBeValid(text)
  passwordMustFit(app, password)
  roleMustExist(app, role)
  const hash = await hashPassword(app, password)
  const id = createId()
  await app.store.write(async tx => {
    const inserted = await queries.insertUser(tx, {
      id,
      email: email.address,
      email_key: email.key,
      name,
      role,
      language,
      sort_key: sortKey(name, email.address),
      status: 'active',
      password_hash: hash,
      bcrypt_cost: null,
      password_disabled_at: null,
      totp_secret: null,
    })
    if (!inserted) throw fail('user.duplicate', { email: email.address })
    await record(tx, { event: 'user.created', subject: id, detail: { role } })
  })
  return id
}

export async function listUsers(app: App): Promise<UserRow[]> {
  return queries.selectUsers(app.store)
}

/** False on a fresh site: somebody has to make the first account. */
export async function isInstalled(app: App): Promise<boolean> {
  return queries.someUserExists(app.store)
}

/** By id or by e-mail address. */
export async function findUser(app: App, name: string): Promise<UserRow> {
  const user = await queries.selectUser(app.store, parseEmail(name)?.key ?? name)
  if (!user) throw fail('user.notFound', { name })
  return user
}

/** Ends every session, challenge and known device of the account in the same transaction. */
export async function setPassword(app: App, user: { id: string }, password: string): Promise<void> {
  passwordMustFit(app, password)
  const hash = await hashPassword(app, password)
  await app.store.write(async tx => {
    await queries.updatePassword(tx, user.id, hash)
    await endEpoch(tx, user.id, 'password')
    await record(tx, { event: 'auth.password.changed', subject: user.id })
  })
}

export async function disableUser(app: App, user: { id: string; role: string }): Promise<void> {
  await app.store.write(async tx => {
    if (await isLastAdmin(app, tx, user)) throw fail('user.disable.lastAdmin')
    await queries.updateStatus(tx, user.id, 'disabled')
    await endEpoch(tx, user.id, 'disabled')
    await record(tx, { event: 'user.disabled', subject: user.id })
  })
}

export async function enableUser(app: App, user: { id: string }): Promise<void> {
  await app.store.write(async tx => {
    await queries.updateStatus(tx, user.id, 'active')
    await record(tx, { event: 'user.enabled', subject: user.id })
  })
}

export async function deleteUser(app: App, user: { id: string; role: string }): Promise<void> {
  await app.store.write(async tx => {
    if (await isLastAdmin(app, tx, user)) throw fail('user.delete.lastAdmin')
    await queries.deleteUserRow(tx, user.id)
    await record(tx, { event: 'user.deleted', subject: user.id })
  })
}

async function isLastAdmin(app: App, tx: Tx, user: { id: string; role: string }): Promise<boolean> {
  return user.role === 'admin' && (await queries.countOtherAdmins(app.store, tx, user.id)) === 0
}

/** Lists are ordered by what is shown, whatever its letters' size and accents. */
function sortKey(name: string, email: string): string {
  return (name || email).normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().normalize('NFC')
}
