import type { App } from '../app.ts'
import { fail } from '../errors.ts'
import { codePoints, isTooLong, longestPassword } from '../factors/password.ts'
import { type Email, parseEmail } from '../lib/email.ts'

export function emailMustBeValid(text: string): Email {
  const email = parseEmail(text)
  if (!email) throw fail('user.email.invalid')
  return email
}

/** Length, counted in code points, is all that is asked: no mixtures, no expiry. Login itself never asks. */
export function passwordMustFit({ config }: App, password: string): void {
  const { minLength } = config.auth.password
  if (!password.isWellFormed() || codePoints(password) < minLength)
    throw fail('user.password.invalid', { min: String(minLength) })
  if (isTooLong(password)) throw fail('user.password.excessive', { max: String(longestPassword.characters) })
}

export function roleMustExist({ blueprints }: App, role: string): void {
  if (!blueprints.role(role)) throw fail('user.role.invalid', { role })
}
