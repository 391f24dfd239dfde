import type { App } from '../../app.ts'
import { systemContext } from '../../access/actor.ts'
import { auditActor, recordCounted, record } from '../../access/audit/audit.ts'
import {
  abandonChallenge,
  type Challenge,
  consumeChallenge,
  countAttempt,
  findChallenge,
  wrongCode,
} from '../../access/factors/challenges.ts'
import { selectAccountByEmailKey, lockAccount } from '../../access/factors/queries.ts'
import type { Email } from '../../platform/lib/email.ts'
import { randomToken } from '../../platform/lib/id.ts'
import { networkOf } from '../../platform/lib/ip.ts'
import { linkLifetimes, type Mail } from '../../platform/mail/render.ts'
import { queueMail } from '../../platform/mail/mail.ts'
import { revokeApiTokens } from '../../access/session/api-tokens.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { endEpoch } from '../../access/session/sessions.ts'
import type { Tx } from '../../platform/store/store.ts'
import { type Charge, chargeFor, isWithin, resetAfterSuccess } from '../../platform/throttle/throttle.ts'
import { notify } from '../users/mail-notices.ts'
import { isResetCode, maxResetAttempts, type ResetData, startReset } from '../users/password/reset.ts'
import { updatePassword } from '../users/queries.ts'
import { passwordMustBeValid } from '../users/rules.ts'
import { siteTitles } from '../users/titles.ts'
import { hashForAnonymous } from './new-password.ts'

/**
 * Response and work are the same whether or not an account has this address, so that neither reveals it: without an
 * account there is a decoy, with a mail that is never sent. Requests beyond the limit get the same response, with an
 * unusable challenge.
 */
export async function beginReset(app: App, exchange: HttpExchange, email: Email) {
  const [found] = await selectAccountByEmailKey(app.store, email.key)
  const account = found?.status === 'active' ? found : undefined
  const who = account ? { subject: account.id } : { detail: { email: app.secrets.mac('session', 'audit', email.key) } }
  const id = await app.store.write(async tx => {
    const place = chargeFor(app, 'reset', networkOf(exchange.ip, 32, 64))
    if (!(await isWithin(app, tx, [place]))) return undefined
    const { handle, code, token } = await startReset(app, tx, account)
    const mail: Mail = {
      to: account?.email ?? email.address, // the stored address: the typed one may only look like it
      language: account?.language ?? 'en',
      template: 'reset',
      data: { code, token },
      ...(account ? { user: account.id } : { decoy: true }),
    }
    const queued = await queueMail(app, tx, mail, 'anonymous')
    // A code that was not sent must not be guessable either.
    if (!queued) await abandonChallenge(app, tx, handle)
    const event = { event: 'auth.password.reset.requested', visitor: exchange, ...who } as const
    await recordCounted(tx, event, who.subject ?? who.detail.email)
    return handle
  })
  return {
    kind: 'challenge' as const,
    step: 'reset' as const,
    id: id ?? randomToken(),
    methods: ['reset'],
    expiresIn: linkLifetimes.reset / 1000,
    attemptsLeft: maxResetAttempts,
  }
}

interface Finish {
  challenge: string
  code: string
  password: string
}

/** Sets the password without starting a session: the next sign-in still requires the second factor. */
export async function finishReset(app: App, exchange: HttpExchange, { challenge: handle, code, password }: Finish) {
  const challenge = await findChallenge<ResetData>(app, 'reset', handle)
  if (!challenge) throw wrongCode(true)
  const { hash, charges } = await hashForAnonymous(app, exchange, password, challenge.userId ?? undefined)
  const attempt = { code, password, hash, charges, titles: await siteTitles(app) }
  const outcome = await app.store.write(tx => verifyReset(app, tx, exchange, challenge, attempt))
  if (outcome !== 'done') throw wrongCode(outcome.attemptsLeft === 0)
}

interface ResetInput {
  code: string
  password: string
  hash: string
  charges: Charge[]
  titles: readonly string[]
}

/** Decoys, deleted or disabled accounts and challenges of a former epoch all count as a wrong code. */
async function verifyReset(
  app: App,
  tx: Tx,
  exchange: HttpExchange,
  challenge: Challenge<ResetData>,
  { code, password, hash, charges, titles }: ResetInput,
): Promise<'done' | { attemptsLeft: number }> {
  const account = await lockAccount(app.store, tx, challenge.userId ?? '')
  const attemptsLeft = await countAttempt(tx, challenge)
  if (attemptsLeft === undefined) throw wrongCode(true)
  const isCorrect = isResetCode(app, challenge.data, code)
  if (!isCorrect || account?.status !== 'active' || account.auth_epoch !== challenge.epoch) {
    const event = { event: 'auth.login.fail', visitor: exchange, detail: { method: 'reset' } } as const
    const subject = account?.id
    await recordCounted(tx, subject === undefined ? event : { ...event, subject }, `${subject ?? ''}|reset`)
    return { attemptsLeft }
  }
  // The password rules depend on the name and address of the account, so they are checked only after the code. A
  // violation rolls back the attempt.
  passwordMustBeValid(app, password, account, titles)
  const ctx = systemContext(app, 'sign-in', { visitor: exchange, onBehalfOf: account.id })
  await consumeChallenge(tx, challenge)
  await updatePassword(tx, account.id, hash)
  await resetAfterSuccess(app, tx, [...charges, chargeFor(app, 'acct', account.email_key)])
  await notify(app, tx, account, 'passwordChanged', {})
  await endEpoch(ctx, tx, account.id, 'reset')
  await revokeApiTokens(ctx, tx, account.id)
  await record(tx, { event: 'auth.password.reset.done', subject: account.id, ...auditActor(ctx) })
  return 'done'
}
