import type { App } from '../../app.ts'
import { fail } from '../../platform/errors.ts'
import { maxPasswordLength } from '../../access/factors/password.ts'
import { passwordProblems, minPasswordLength } from '../../access/factors/policy.ts'
import { type Email, parseEmail } from '../../platform/lib/email.ts'
import type { Permission } from '../../blueprints/permissions/permissions.ts'
import { mayGive } from '../roles/roles.ts'
import type { Caller } from '../../access/session/identify.ts'
import { mayManage, reaches } from '../../access/session/reach.ts'
import { type Message, message } from '../../platform/texts.ts'
import { findTranslation } from '../../platform/translations/translations.ts'

/** In small letters, as everybody knows addresses, however it was typed. */
export function emailMustBeValid(text: string): Email {
  const email = parseEmail(text)
  if (!email) throw fail('user.email.invalid')
  return { ...email, address: email.address.toLowerCase() }
}

/** Whose password it will be, as far as it is known. */
export interface Owner {
  email?: string | undefined
  name?: string | undefined
  role?: string | undefined
}

/**
 * A second factor that the role asks for makes up for a short one. Login itself never asks. `titles` are those of the site:
 * they have been read before.
 */
export function passwordMustFit(
  app: App,
  password: string,
  { email = '', name = '', role = '' }: Owner,
  titles: readonly string[],
): void {
  const isBacked = app.blueprints.role(role)?.requireSecondFactor === true
  const problems = passwordProblems(app, {
    password,
    minLength: isBacked ? minPasswordLength : app.config.auth.password.minLength,
    context: [email.split('@')[0]!],
    forbidden: [name, ...titles],
  })
  const [first] = problems
  if (!first) return
  const rules = problems.map(problem => [problem.key.replace('password.', ''), problem])
  const details = { password: { label: 'password', message: Object.fromEntries(rules) as Record<string, Message> } }
  if (first.key === 'password.tooLong')
    throw fail('user.password.excessive', { max: String(maxPasswordLength.characters) }).with({ details })
  throw fail('user.password.invalid', { reason: first }).with({ details })
}

export function roleMustExist({ blueprints }: App, role: string): void {
  if (!blueprints.role(role)) throw fail('user.role.invalid', { role })
}

export function languageMustExist(language: string): void {
  if (!findTranslation(language)) throw fail('user.language.invalid', { language })
}

/** Words that mean something else in an address. */
const reservedIds = new Set(['account', 'kirby', 'nobody', 'search', 'me'])

export function idMustBePossible(id: string): void {
  if (!/^[\w-]{4,40}$/.test(id) || reservedIds.has(id.toLowerCase())) {
    const details = { id: { label: 'id', message: { id: message('validation.id') } } }
    throw fail('invalidArgument').with({ details })
  }
}

/** A name is text: whoever shows it must not have to fear it. */
export function plainName(name: string): string {
  return name
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .trim()
}

/** Who may not give a role does not take it away either. */
export function roleMustBeGivable(app: App, caller: Caller, account: { id: string; role: string }, to: string): void {
  const own = account.id === caller.user.id
  if (!own && !reaches(app, caller, account.role)) throw fail('user.changeRole.permission')
  if (to === account.role || !app.blueprints.role(to) || mayGive(app, caller, to)) return
  if (to === 'admin') throw fail('user.changeRole.toAdmin')
  throw fail('user.changeRole.permission')
}

/** Throws unless an account may be changed. The command line acts for the system and asks nothing. */
export type AccountCheck = (account: { id: string; role: string }) => void

/**
 * Asked once more on the row as it is now, held: the account may have a stronger role since it was found. One's own account
 * is always within reach.
 */
export function managing(app: App, caller: Caller, permission: Permission): AccountCheck {
  return ({ id, role }) => {
    const option = app.blueprints.role(role)?.options[permission.split('.')[1]!]
    if (id !== caller.user.id && !mayManage(app, caller, permission, role, option)) throw fail('permission')
  }
}
