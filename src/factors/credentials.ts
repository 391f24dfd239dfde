import type { App } from '../app.ts'
import { gather, record, type Visitor } from '../audit/audit.ts'
import { ApiError, fail } from '../errors.ts'
import type { Email } from '../lib/email.ts'
import { networkOf } from '../lib/ip.ts'
import { mostFailures } from '../throttle/policies.ts'
import { charge, type Charge, chargeFor, refund, settle } from '../throttle/throttle.ts'
import type { Tx } from '../store/store.ts'
import { matchesPassword, queueMustHaveRoom } from './password.ts'
import { type Account, clearPasswordFailures, countPasswordFailure, findCredentials, lockAccount } from './queries.ts'

export interface Credentials {
  email: Email
  password: string
  /** What the device cookie holds, if there is one. */
  device: string | undefined
  /** Happens when this was one failure too many, in the same transaction. */
  onDisabled?: (tx: Tx, account: Account) => Promise<void>
}

/** The right password of an active account. Whoever receives it settles it in the transaction of the success. */
export interface Verified {
  account: Account
  charges: Charge[]
}

/**
 * The one way to check a password: look up, charge, hash, judge. Unknown, wrong, disabled and invited take the same
 * statements, the same work and the same answer.
 */
export async function checkPassword(app: App, visitor: Visitor, credentials: Credentials): Promise<Verified> {
  const { email, password, device } = credentials
  const [found] = await findCredentials(app.store, email.key, deviceMac(app, device ?? ''))
  const account = found?.id == null ? undefined : (found as Account)
  const known = account !== undefined && found!.device_mac !== null
  const charges = [
    ...visitorCharges(app, visitor),
    known ? chargeFor(app, 'dev', `${device}|${account.id}`) : chargeFor(app, 'acct', email.key),
  ]
  const who = account ? { subject: account.id } : { detail: { email: app.secrets.mac('session', 'audit', email.key) } }
  // Colleagues behind one address do not take each other's place in the queue once their devices are known.
  const place = known ? charges.at(-1)!.bucket : networkOf(visitor.ip, 32, 64)
  queueMustHaveRoom(app, place)
  await reportThrottled(app, { visitor, subject: account?.id }, tx => charge(app, tx, charges))

  const stored = { hash: account?.password_hash ?? null, mostBcrypt: found!.most_bcrypt }
  const matches = await refundOnError(app, charges, () => matchesPassword(app, place, stored, password))
  if (account && matches && mayUsePassword(account)) return { account, charges }

  const failures = await app.store.write(async tx => {
    const row = await countPasswordFailure(tx, account?.id ?? '', !matches, mostFailures)
    await gather(tx, { event: 'auth.login.fail', visitor, ...who }, who.subject ?? who.detail.email)
    if (row?.password_fail_streak === mostFailures && !matches) {
      await credentials.onDisabled?.(tx, account!)
      await record(tx, { event: 'auth.password.disabled', subject: account!.id, visitor })
    }
    return row?.password_fail_streak ?? 0
  })
  if (!matches && warnAt.has(failures))
    app.log.warn({ event: 'auth.login.fail', user: account!.id, failures }, 'many wrong passwords in a row')
  throw fail('access.login')
}

/** Failures in a row of one account, of which the operator should hear before the password is switched off. */
const warnAt = new Set([10, 25, 50])

function mayUsePassword({ status, password_disabled_at: disabled }: Account): boolean {
  return status === 'active' && disabled === null
}

/**
 * The success of a password, in the transaction of what it leads to. Looks again, and holds the account: the password may
 * have been changed, or the account disabled, while the hash was computed.
 */
export async function settlePassword(app: App, tx: Tx, { account, charges }: Verified): Promise<Account> {
  const current = await lockAccount(app.store, tx, account.id)
  if (!current || current.auth_epoch !== account.auth_epoch || !mayUsePassword(current)) throw fail('access.login')
  await clearPasswordFailures(tx, account.id)
  await settle(app, tx, charges)
  return current
}

export function visitorCharges(app: App, { ip }: Visitor): Charge[] {
  return [chargeFor(app, 'ip', networkOf(ip, 32, 64)), chargeFor(app, 'net', networkOf(ip, 24, 48))]
}

/** Devices are random references too: the table cannot be used to make a cookie. */
export function deviceMac(app: App, device: string): string {
  return app.secrets.mac('vault', 'device', device)
}

/** Does the work, and records when it is refused because there were too many tries. */
export async function reportThrottled<Value>(
  app: App,
  who: { visitor: Visitor; subject: string | undefined },
  work: (tx: Tx) => Promise<Value>,
): Promise<Value> {
  try {
    return await app.store.write(work)
  } catch (error) {
    if (error instanceof ApiError && error.key === 'auth.throttled') {
      // Strangers are gathered by network alone: otherwise each invented address would be a row.
      await app.store.write(tx => gather(tx, { event: 'auth.login.throttled', ...who }, who.subject ?? ''))
    }
    throw error
  }
}

/** A try that could not be judged (overload, outage) is not held against anybody. */
export async function refundOnError<Value>(app: App, charges: Charge[], work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    await app.store.write(tx => refund(app, tx, charges))
    throw error
  }
}
