import type { App } from '../../app.ts'
import { type Context } from '../../access/actor.ts'
import { auditActor, record } from '../../access/audit/audit.ts'
import { hasEvents } from '../../access/audit/queries.ts'
import type { Form } from '../../blueprints/blueprints.ts'
import type { ShownReferences } from '../../blueprints/fields/visible.ts'
import { changeDetailOf } from '../../content/change-events.ts'
import { mustBeCurrent } from '../../content/revision.ts'
import type { LockedModel } from '../../content/versioned.ts'
import { type ContentChange, firstContent, type Model, saveContent, storeContent } from '../../content/save.ts'
import { plainText } from '../../content/search.ts'
import { followRules, type RuledModel } from '../../content/with-rules.ts'
import { type ApiError, fail } from '../../platform/errors.ts'
import { selectFilesIn } from '../files/queries.ts'
import { contentLanguage } from '../../content/languages/languages.ts'
import { hashPassword } from '../../access/factors/password.ts'
import type { Account } from '../../access/factors/queries.ts'
import type { AccountPermission, DenialKey } from '../../access/authorize/authorize.ts'
import { mustBeAllowedToCreate, roleMustBeAssignable } from '../../access/authorize/accounts.ts'
import { type Email, parseEmail } from '../../platform/lib/email.ts'
import { createId } from '../../platform/lib/id.ts'
import { revokeApiTokens } from '../../access/session/api-tokens.ts'
import { endEpoch } from '../../access/session/sessions.ts'
import type { Tx } from '../../platform/store/store.ts'
import { closeEntry, openEntry, purgeIfTrashIsOff, trashFiles, trashUser } from '../../content/trash/trash.ts'
import * as queries from './queries.ts'
import { lockUser } from './lock.ts'
import { invite } from './invitation/invitation.ts'
import { notify } from './mail-notices.ts'
import {
  emailMustBeValid,
  idMustBePossible,
  translationMustExist,
  type AccountNames,
  passwordMustBeValid,
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
  /** Which of the references in the content the caller may see. */
  shownReferences: ShownReferences
  id?: string | undefined
}

export async function createUser(ctx: Context, user: NewUser): Promise<string> {
  mustBeAllowedToCreate(ctx, user.role)
  const { id, insert } = await prepareUser(ctx, user)
  await ctx.app.store.write(tx => insert(ctx, tx))
  return id
}

/**
 * Checks and hashes before the transaction, to keep it short; `insert` then writes the account in a transaction that
 * may do more.
 */
export async function prepareUser(ctx: Context, user: NewUser) {
  const { app } = ctx
  const { password, name = '', role, language = 'en', content = {}, id = createId(), shownReferences } = user
  const email = emailMustBeValid(user.email)
  idMustBePossible(id)
  translationMustExist(language)
  const hash = password === undefined ? null : await hashNew(app, password, { email: email.address, name, role })
  const model = userModelOf(app, { id, role })
  const first = await firstContent(ctx, model, content, { shownReferences })
  const defaultLanguage = await contentLanguage(app, undefined)
  async function insert(insertContext: Context, tx: Tx): Promise<void> {
    const account = { id, email: email.address, name: plainName(name), role, language, revision: 0 }
    const ruled = { ...ruledUser(account), operations: ['users.create'], model, language: defaultLanguage }
    const created = app.extensions.rules ? followRules(insertContext, { ...ruled, content: first }) : first
    // The audit events of a former account with this id must not become visible to the new one.
    if (user.id !== undefined && (await hasEvents(tx, id))) throw fail('duplicate', { id })
    await addAccount(insertContext, tx, {
      id,
      email,
      name: plainName(name),
      blank: isBlank(user.name),
      role,
      language,
      hash,
    })
    await storeContent(insertContext, tx, model, { language: defaultLanguage, revision: 1, action: 'create' }, created)
    if (hash === null)
      await invite(insertContext, tx, { id, email: email.address, language, auth_epoch: 1, role, revision: 1 })
  }
  return { id, insert }
}

async function hashNew(app: App, password: string, names: AccountNames): Promise<string> {
  passwordMustBeValid(app, password, names, await siteTitles(app))
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

/** False if the id or the e-mail address is taken. Without a password the status is `invited`. */
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
async function addAccount(ctx: Context, tx: Tx, account: NewAccount): Promise<void> {
  const { id, email, role } = account
  const inserted = await insertAccount(tx, account)
  if (!inserted) {
    if (await queries.isUsedId(tx, id)) throw fail('duplicate', { id })
    throw fail('user.duplicate', { email: email.address })
  }
  await record(tx, { event: 'user.created', subject: id, ...auditActor(ctx), detail: { role, revision: 1 } })
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
export async function setPassword(ctx: Context, user: AccountNames & { id: string }, password: string): Promise<void> {
  const { app } = ctx
  passwordMustBeValid(app, password, user, await siteTitles(app))
  const hash = await hashPassword(app, password)
  await app.store.write(async tx => {
    const account = await lockUser(ctx, tx, user, 'users.changePassword')
    await queries.updatePassword(tx, user.id, hash)
    await endEpoch(ctx, tx, user.id, 'password')
    await revokeApiTokens(ctx, tx, user.id)
    await record(tx, { event: 'auth.password.changed', subject: user.id, ...auditActor(ctx) })
    await notify(app, tx, account, 'passwordChanged', {})
  })
}

export async function disableUser(ctx: Context, user: { id: string }): Promise<void> {
  const { store } = ctx.app
  await store.write(async tx => {
    const admins = await queries.lockAdmins(store, tx)
    const account = await lockUser(ctx, tx, user, 'users.delete')
    if (isLastAdmin(admins, user)) throw fail('user.disable.lastAdmin')
    userMustFollow(ctx, account, 'users.changeStatus', { status: 'disabled' })
    const { role, revision } = account
    await queries.updateStatus(tx, user.id, 'disabled')
    await endEpoch(ctx, tx, user.id, 'disabled')
    await revokeApiTokens(ctx, tx, user.id)
    await record(tx, { event: 'user.disabled', subject: user.id, ...auditActor(ctx), detail: { role, revision } })
  })
}

/** An account without a password is invited again. */
export async function enableUser(ctx: Context, user: { id: string }): Promise<void> {
  await ctx.app.store.write(async tx => {
    const account = await lockUser(ctx, tx, user, 'users.delete')
    userMustFollow(ctx, account, 'users.changeStatus', { status: 'active' })
    await queries.markEnabled(tx, user.id)
    const { role, revision } = account
    if (account.password_hash === null) await invite(ctx, tx, account) // the epoch has invalidated the former link
    await record(tx, { event: 'user.enabled', subject: user.id, ...auditActor(ctx), detail: { role, revision } })
  })
}

/**
 * Deletes all credentials and sessions for good; the account, its content and its files go to the trash. Audit events
 * stay.
 */
export async function deleteUser(ctx: Context, user: { id: string }): Promise<void> {
  const { app } = ctx
  await app.store.write(async tx => {
    const admins = await queries.lockAdmins(app.store, tx)
    const account = await lockUser(ctx, tx, user, 'users.delete')
    const { id, email, name, role, revision } = account
    if (isLastAdmin(admins, user)) throw fail('user.delete.lastAdmin')
    if (admins.length === 0 && !(await queries.hasOthers(tx, id))) throw fail('user.delete.lastUser')
    userMustFollow(ctx, account, 'users.delete', {})
    const entry = await openEntry(tx)
    await trashUser(tx, entry, { id, role })
    await trashFiles(app, tx, entry, await selectFilesIn(tx, [ownerOfUser(id)])) // the locked account row prevents new files
    const trashed = { kind: 'user', owner: ownerOfUser(id), parent: '', path: email, title: name || email } as const
    await closeEntry(ctx, tx, entry, { ...trashed, template: role })
    await record(tx, { event: 'user.deleted', subject: id, ...auditActor(ctx), detail: { role, revision } })
  })
  purgeIfTrashIsOff(app)
}

export async function changeName(ctx: Context, user: UserRow, name: string): Promise<void> {
  const plain = plainName(name)
  await changeProperty(ctx, user, 'users.changeName', 'name', ({ email }) => ({
    name: plain,
    blank_name: isBlank(name) ? 1 : 0,
    sort_key: sortKey(plain, email),
  }))
}

/** Whether a name was given and is empty: the API shows `""` for it, and `null` for a name that was never given. */
export const isBlank = (name: string | undefined) => name !== undefined && plainName(name) === ''

export async function changeLanguage(ctx: Context, user: UserRow, language: string): Promise<void> {
  translationMustExist(language)
  await changeProperty(ctx, user, 'users.changeLanguage', 'language', () => ({ language }))
}

/** The new permissions apply from the next request on: they are read from the role each time. */
export async function changeRole(ctx: Context, user: UserRow, role: string): Promise<void> {
  const { app } = ctx
  roleMustExist(app, role)
  await app.store.write(async tx => {
    const admins = await queries.lockAdmins(app.store, tx)
    const account = await lockUser(ctx, tx, user, 'users.changeRole')
    roleMustBeAssignable(ctx, account, role)
    if (role !== 'admin' && isLastAdmin(admins, user)) throw fail('user.changeRole.lastAdmin')
    userMustFollow(ctx, account, 'users.changeRole', { role })
    const { role: from } = account
    const revision = await queries.updateUser(tx, user.id, { role })
    await record(tx, {
      event: 'user.changed',
      subject: user.id,
      ...auditActor(ctx),
      detail: { what: 'role', role, from, to: role, revision },
    })
  })
}

async function changeProperty(
  ctx: Context,
  user: UserRow,
  permission: AccountPermission,
  property: string,
  values: (account: Account) => queries.UserChange,
): Promise<void> {
  await ctx.app.store.write(async tx => {
    const account = await lockUser(ctx, tx, user, permission)
    const changed = values(account)
    userMustFollow(ctx, account, permission, changed)
    const revision = await queries.updateUser(tx, user.id, changed)
    const detail = { what: property, role: account.role, revision }
    await record(tx, { event: 'user.changed', subject: user.id, ...auditActor(ctx), detail })
  })
}

/** Changes only the fields that are sent, and nothing if any value is invalid. Returns the revision. */
export async function updateContent(ctx: Context, user: UserRow, edit: ContentChange): Promise<number> {
  return ctx.app.store.write(async tx => {
    const account = await lockUser(ctx, tx, user, 'users.update', edit.refusal)
    const { revision, role } = account
    mustBeCurrent(revision, edit.expected)
    const ruled = ctx.app.extensions.rules && {
      ...ruledUser(account),
      operations: ['users.update', 'users.publish'],
    }
    const next = { validate: true, revision: revision + 1, action: 'update', checkTitle: 'noTitle' as const, ruled }
    const saved = await saveContent(ctx, tx, userModelOf(ctx.app, { id: user.id, role }), { ...edit, ...next })
    if (!saved) return revision
    const detail = { what: 'content', role, revision: next.revision, ...changeDetailOf(saved) }
    await record(tx, { event: 'user.changed', subject: user.id, ...auditActor(ctx), detail })
    return queries.raiseUserRevision(tx, user.id)
  })
}

type RuledUser = Pick<UserRow, 'id' | 'email' | 'name' | 'role' | 'language' | 'revision'>

/** An account as rules of extensions see it. */
export function ruledUser({ id, email, name, role, language, revision }: RuledUser): RuledModel {
  return { kind: 'user', template: role, facts: { id, email, name, role, language, revision } }
}

/** Throws the error of the rule that refuses an operation other than a change of content. */
function userMustFollow(ctx: Context, account: RuledUser, operation: string, input: object): void {
  if (!ctx.app.extensions.rules) return
  const ruled = { ...ruledUser(account), operations: [operation], input: { ...input } }
  followRules(ctx, { ...ruled, model: userModelOf(ctx.app, account), language: undefined })
}

/** Locks the account until the end of the transaction, as the owner of content. */
export async function lockUserModel(
  ctx: Context,
  tx: Tx,
  user: { id: string },
  refusal?: DenialKey,
): Promise<LockedModel> {
  const account = await lockUser(ctx, tx, user, 'users.update', refusal)
  return { revision: account.revision, model: userModelOf(ctx.app, account), canChangeTitle: false }
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
export function ownerOfUser(id: string): string {
  return `user://${id}`
}

/** The account as a model with content. */
export function userModelOf(app: App, { id, role }: { id: string; role: string }): Model {
  return { owner: ownerOfUser(id), form: formOf(app, role), reserved, keep: app.config.history.keep }
}

/** The fields of accounts with this role; a role without its own file uses `users/default.yml`, if there is one. */
export function formOf({ blueprints }: App, role: string): Pick<Form, 'fields' | 'broken'> {
  return blueprints.user(role) ?? noForm
}

const noForm = { fields: new Map<string, never>(), broken: new Set<string>() }
/** These properties are changed by their own operations, not as content. */
const reserved = new Set(['email', 'id', 'language', 'name', 'password', 'role', 'uuid'])
