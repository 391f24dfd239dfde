import type { App } from '../../app.ts'
import { type By, record } from '../../access/audit/audit.ts'
import { isKnown } from '../../access/audit/queries.ts'
import type { Form } from '../../blueprints/blueprints.ts'
import type { VisibleReferences } from '../../blueprints/fields/visible.ts'
import { mustBeCurrent } from '../../content/revision.ts'
import { type ContentChange, firstContent, type Model, saveContent, storeContent } from '../../content/save.ts'
import { plainText } from '../../content/search.ts'
import { type ApiError, fail } from '../../platform/errors.ts'
import { selectIn } from '../files/queries.ts'
import { contentLanguage } from '../../content/languages/languages.ts'
import { hashPassword } from '../../access/factors/password.ts'
import { type Account, lockAccount } from '../../access/factors/queries.ts'
import { type Email, parseEmail } from '../../platform/lib/email.ts'
import { createId } from '../../platform/lib/id.ts'
import { revokeApiTokens } from '../../access/session/api-tokens.ts'
import { endEpoch } from '../../access/session/sessions.ts'
import type { Tx } from '../../platform/store/store.ts'
import { closeEntry, openEntry, purgeUnlessKept, trashFiles, trashUser } from '../../content/trash/trash.ts'
import * as queries from './queries.ts'
import { invite } from './invitation/invitation.ts'
import { notify } from './mail-notices.ts'
import {
  type AccountCheck,
  emailMustBeValid,
  idMustBePossible,
  languageMustExist,
  type Owner,
  passwordMustFit,
  plainName,
  roleMustExist,
} from './rules.ts'
import { siteTitles } from './titles.ts'

export type UserRow = Awaited<ReturnType<typeof queries.selectUsers>>[number]

export interface NewUser {
  email: string
  /** Without a password the owner is invited to choose one. */
  password?: string | undefined
  name?: string | undefined
  role: string
  language?: string | undefined
  content?: Record<string, unknown> | undefined
  /** Which of the references in the content the caller may see; without it, all. */
  visible?: VisibleReferences | undefined
  id?: string | undefined
  /** The locale of error messages. */
  readBy?: string
}

export async function createUser(app: App, user: NewUser, by: By = {}): Promise<string> {
  const { id, insert } = await prepareUser(app, user)
  await app.store.write(tx => insert(tx, by))
  return id
}

/**
 * Checks and hashes before the transaction, to keep it short; `insert` then writes the account in a transaction that
 * may do more.
 */
export async function prepareUser(app: App, user: NewUser) {
  const { password, name = '', role, language = 'en', content = {}, id = createId(), readBy = 'en', visible } = user
  const email = emailMustBeValid(user.email)
  idMustBePossible(id)
  languageMustExist(language)
  const hash = password === undefined ? null : await hashNew(app, password, { email: email.address, name, role })
  const model = modelOf(app, { id, role })
  const first = await firstContent(model, content, { readBy, visible })
  const basic = await contentLanguage(app, undefined)
  async function insert(tx: Tx, by: By): Promise<void> {
    // The audit events of a former account with this id must not become visible to the new one.
    if (user.id !== undefined && (await isKnown(tx, id))) throw fail('duplicate', { id })
    await addAccount(tx, { id, email, name: plainName(name), blank: isBlank(user.name), role, language, hash }, by)
    await storeContent(tx, model, { language: basic, revision: 1, action: 'create', by }, first)
    if (hash === null) await invite(app, tx, { id, email: email.address, language, auth_epoch: 1 }, by)
  }
  return { id, insert }
}

async function hashNew(app: App, password: string, owner: Owner): Promise<string> {
  passwordMustFit(app, password, owner, await siteTitles(app))
  return hashPassword(app, password)
}

interface NewAccount {
  id: string
  email: Email
  name: string
  blank: boolean
  role: string
  language: string
  /** Null until the owner has chosen a password. */
  hash: string | null
}

/** False if the id or the address is taken. Without a password the status is `invited`. */
export function insertAccount(tx: Tx, { id, email, name, blank, role, language, hash }: NewAccount): Promise<boolean> {
  return queries.insertUser(tx, {
    id,
    email: email.address,
    email_key: email.key,
    name,
    blank_name: blank ? 1 : 0,
    role,
    language,
    sort_key: sortKey(name, email.address),
    status: hash === null ? 'invited' : 'active',
    password_hash: hash,
    bcrypt_cost: hash?.startsWith('$2') === true ? Number(hash.slice(4, 6)) : null,
    password_disabled_at: null,
    totp_secret: null,
  })
}

/** Inserts the row and its audit event. */
async function addAccount(tx: Tx, account: NewAccount, by: By): Promise<void> {
  const { id, email, role } = account
  const inserted = await insertAccount(tx, account)
  if (!inserted) {
    if (await queries.isUsedId(tx, id)) throw fail('duplicate', { id })
    throw fail('user.duplicate', { email: email.address })
  }
  await record(tx, { event: 'user.created', subject: id, ...by, detail: { role } })
}

export async function listUsers(app: App): Promise<UserRow[]> {
  return queries.selectUsers(app.store)
}

/** By id or by e-mail address. */
export async function findUser(app: App, name: string, missing: (name: string) => ApiError = noUser): Promise<UserRow> {
  const user = await queries.selectUser(app.store, parseEmail(name)?.key ?? name)
  if (!user) throw missing(name)
  return user
}

export const noUser = (name: string) => fail('user.notFound', { name })

/** The error for a missing account in the files API. */
export const noUserOfFiles = (name: string) => fail('user.undefined', { name })

/** Ends every session, challenge, known device and API token of the account in the same transaction. */
export async function setPassword(app: App, user: Owner & { id: string }, password: string): Promise<void> {
  passwordMustFit(app, password, user, await siteTitles(app))
  const hash = await hashPassword(app, password)
  await app.store.write(async tx => {
    const account = await lockUser(app, tx, user)
    await queries.updatePassword(tx, user.id, hash)
    await endEpoch(tx, user.id, 'password')
    await revokeApiTokens(tx, user.id)
    await record(tx, { event: 'auth.password.changed', subject: user.id })
    await notify(app, tx, account, 'passwordChanged', {})
  })
}

export async function disableUser(app: App, user: { id: string }, by: By = {}, check?: AccountCheck): Promise<void> {
  await app.store.write(async tx => {
    if (isLastAdmin(await queries.lockAdmins(app.store, tx), user)) throw fail('user.disable.lastAdmin')
    await lockUser(app, tx, user, check)
    await queries.updateStatus(tx, user.id, 'disabled')
    await endEpoch(tx, user.id, 'disabled', by)
    await revokeApiTokens(tx, user.id, by)
    await record(tx, { event: 'user.disabled', subject: user.id, ...by })
  })
}

/** An account without a password is invited again. */
export async function enableUser(app: App, user: { id: string }, by: By = {}, check?: AccountCheck): Promise<void> {
  await app.store.write(async tx => {
    const account = await lockUser(app, tx, user, check)
    await queries.enable(tx, user.id)
    if (account.password_hash === null) await invite(app, tx, account, by) // the epoch has invalidated the former link
    await record(tx, { event: 'user.enabled', subject: user.id, ...by })
  })
}

/**
 * Deletes all credentials and sessions for good; the account, its content and its files go to the trash. Audit events
 * stay.
 */
export async function deleteUser(app: App, user: { id: string }, by: By = {}, check?: AccountCheck): Promise<void> {
  await app.store.write(async tx => {
    const admins = await queries.lockAdmins(app.store, tx)
    if (isLastAdmin(admins, user)) throw fail('user.delete.lastAdmin')
    const { id, email, name, role } = await lockUser(app, tx, user, check)
    if (admins.length === 0 && !(await queries.hasOthers(tx, id))) throw fail('user.delete.lastUser')
    const entry = await openEntry(tx)
    await trashUser(tx, entry, { id, role })
    await trashFiles(app, tx, entry, await selectIn(tx, [ownerOf(id)])) // the locked account row prevents new files
    const trashed = { kind: 'user', owner: ownerOf(id), parent: '', path: email, title: name || email } as const
    await closeEntry(app, tx, entry, { ...trashed, template: role }, by)
    await record(tx, { event: 'user.deleted', subject: id, ...by })
  })
  purgeUnlessKept(app)
}

export async function changeName(app: App, user: UserRow, name: string, by: By, check?: AccountCheck): Promise<void> {
  const plain = plainName(name)
  await change(app, user, 'name', by, check, ({ email }) => ({
    name: plain,
    blank_name: isBlank(name) ? 1 : 0,
    sort_key: sortKey(plain, email),
  }))
}

/** Whether a name was given and is empty: the API shows `""` for it, and `null` for a name that was never given. */
export const isBlank = (name: string | undefined) => name !== undefined && plainName(name) === ''

export async function changeLanguage(
  app: App,
  user: UserRow,
  language: string,
  by: By,
  check?: AccountCheck,
): Promise<void> {
  languageMustExist(language)
  await change(app, user, 'language', by, check, () => ({ language }))
}

/** The new permissions apply from the next request on: they are read from the role each time. */
export async function changeRole(
  app: App,
  user: UserRow,
  role: string,
  by: By,
  /** Throws unless the account, with its current role, may get the new one. */
  check: AccountCheck,
): Promise<void> {
  roleMustExist(app, role)
  await app.store.write(async tx => {
    const admins = await queries.lockAdmins(app.store, tx)
    if (role !== 'admin' && isLastAdmin(admins, user)) throw fail('user.changeRole.lastAdmin')
    const { role: from } = await lockUser(app, tx, user, check)
    await queries.updateUser(tx, user.id, { role })
    await record(tx, { event: 'user.changed', subject: user.id, ...by, detail: { what: 'role', from, to: role } })
  })
}

async function change(
  app: App,
  user: UserRow,
  what: string,
  by: By,
  check: AccountCheck | undefined,
  values: (account: Account) => queries.Change,
): Promise<void> {
  await app.store.write(async tx => {
    await queries.updateUser(tx, user.id, values(await lockUser(app, tx, user, check)))
    await record(tx, { event: 'user.changed', subject: user.id, ...by, detail: { what } })
  })
}

/** Changes only the fields that are sent, and nothing if any value is invalid. Returns the revision. */
export async function updateContent(
  app: App,
  user: UserRow,
  edit: ContentChange,
  check?: AccountCheck,
): Promise<number> {
  return app.store.write(async tx => {
    const revision = await lockRevision(app, tx, user, check)
    mustBeCurrent(revision, edit.expected)
    const save = { ...edit, validate: true, revision: revision + 1, action: 'update' }
    if (!(await saveContent(tx, modelOf(app, user), save))) return revision
    await record(tx, { event: 'user.changed', subject: user.id, ...edit.by, detail: { what: 'content' } })
    return queries.raiseRevision(tx, user.id)
  })
}

/** Locks the account until the end of the transaction and returns its revision. */
export async function lockRevision(app: App, tx: Tx, user: { id: string }, check?: AccountCheck): Promise<number> {
  await lockUser(app, tx, user, check)
  return queries.selectRevision(tx, user.id)
}

/** Locks the account until the end of the transaction; it may have been deleted since it was read. */
async function lockUser({ store }: App, tx: Tx, { id }: { id: string }, check?: AccountCheck): Promise<Account> {
  const account = await lockAccount(store, tx, id)
  if (!account) throw fail('user.notFound', { name: id })
  check?.(account)
  return account
}

/** At least one administrator must be able to sign in. */
function isLastAdmin(admins: queries.Admin[], { id }: { id: string }): boolean {
  const others = admins.filter(admin => admin.id !== id)
  return others.length < admins.length && !others.some(({ status }) => status === 'active')
}

/** Lists are sorted by the displayed name, ignoring case and accents. */
export function sortKey(name: string, email: string): string {
  return plainText(name || email)
}

/** The owner URI of the content of an account. */
export function ownerOf(id: string): string {
  return `user://${id}`
}

/** The account as a model with content. */
export function modelOf(app: App, { id, role }: { id: string; role: string }): Model {
  return { owner: ownerOf(id), form: formOf(app, role), reserved, keep: app.config.history.keep }
}

/** The fields of accounts with this role; a role without its own file uses `users/default.yml`, if there is one. */
export function formOf({ blueprints }: App, role: string): Pick<Form, 'fields' | 'broken'> {
  return blueprints.user(role) ?? noForm
}

const noForm = { fields: new Map<string, never>(), broken: new Set<string>() }
/** These properties are changed by their own operations, not as content. */
const reserved = new Set(['email', 'id', 'language', 'name', 'password', 'role', 'uuid'])
