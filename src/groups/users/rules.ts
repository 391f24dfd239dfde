import { accountOf, type Context } from '../../access/actor.ts'
import type { App } from '../../app.ts'
import { fail } from '../../platform/errors.ts'
import { maxPasswordLength } from '../../access/factors/password.ts'
import { lockAccount } from '../../access/factors/queries.ts'
import { passwordProblems, minPasswordLength } from '../../access/factors/password-policy.ts'
import { lacksSecondFactor } from '../../access/session/sessions.ts'
import { type Email, parseEmail } from '../../platform/lib/email.ts'
import type { Tx } from '../../platform/store/store.ts'
import { type Message, message } from '../../platform/texts.ts'
import { findTranslation } from '../../platform/translations/translations.ts'

/** Normalises the address to lower case. */
export function emailMustBeValid(text: string): Email {
  const email = parseEmail(text)
  if (!email) throw fail('user.email.invalid')
  return { ...email, address: email.address.toLowerCase() }
}

/** The known data of the owner, for the password rules. */
export interface AccountNames {
  email?: string | undefined
  name?: string | undefined
  role?: string | undefined
}

/**
 * A role that requires a second factor allows shorter passwords. Sign-in does not apply these rules. `titles` is the
 * result of `siteTitles`.
 */
export function passwordMustBeValid(
  app: App,
  password: string,
  { email = '', name = '', role = '' }: AccountNames,
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

export function translationMustExist(language: string): void {
  if (!findTranslation(language)) throw fail('user.language.invalid', { language })
}

/** Words with another meaning in URLs. */
const reservedIds = new Set(['account', 'kirby', 'nobody', 'search', 'me'])

export function idMustBePossible(id: string): void {
  if (!/^[\w-]{4,40}$/.test(id) || reservedIds.has(id.toLowerCase())) {
    const details = { id: { label: 'id', message: { id: message('validation.id') } } }
    throw fail('invalidArgument').with({ details })
  }
}

/** Removes tags and control characters: names are shown in places that may not escape them. */
export function plainName(name: string): string {
  return name
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .trim()
}

/**
 * Where the role requires a second factor, owners cannot remove their own last one, only replace it. Other callers may
 * remove it for an owner who has lost it; the account must then set up a new one before anything else.
 */
export async function factorMustBeLeft(ctx: Context, tx: Tx, { id }: { id: string }): Promise<void> {
  const { app } = ctx
  const account = await lockAccount(app.store, tx, id)
  if (id === accountOf(ctx) && account && lacksSecondFactor(app, account)) throw fail('user.factor.last')
}
