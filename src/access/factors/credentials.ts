import type { App } from '../../app.ts'
import { gather, record, type Visitor } from '../audit/audit.ts'
import { ApiError, fail } from '../../platform/errors.ts'
import { CryptoFailure } from '../../platform/lib/crypto-failure.ts'
import type { Email } from '../../platform/lib/email.ts'
import { networkOf } from '../../platform/lib/ip.ts'
import type { Client } from '../../platform/lib/queue.ts'
import { maxFailures } from '../../platform/throttle/policies.ts'
import { charge, type Charge, chargeFor, refund, settle, takeBack } from '../../platform/throttle/throttle.ts'
import type { Tx } from '../../platform/store/store.ts'
import { matchesPassword, queueMustHaveRoom } from './password.ts'
import {
  type Account,
  clearPasswordFailures,
  countPasswordFailure,
  findCredentials,
  lockAccount,
  rememberDevice,
} from './queries.ts'

export interface Credentials {
  email: Email
  password: string
  /** By what the caller may be known: what the device cookie holds, or for Basic where it comes from. */
  device: string | undefined
  basic?: BasicClient
  /** Happens when this was one failure too many, in the same transaction. */
  onDisabled?: (tx: Tx, account: Account) => Promise<void>
}

/** A client that sends its password with every request. */
export interface BasicClient {
  /** What was right a moment ago, and is the same again: no guess. */
  repeated: string | undefined
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
  const charges = chargesFor(app, visitor, credentials, known ? account : undefined)
  const who = account ? { subject: account.id } : { detail: { email: app.secrets.mac('session', 'audit', email.key) } }
  // Colleagues behind one address do not take each other's place, and strangers do not take that of a known device.
  const client = clientOf(visitor, charges.at(-1)!, known || credentials.basic?.repeated !== undefined)
  queueMustHaveRoom(app, client)
  await reportThrottled(app, { visitor, subject: account?.id }, tx => charge(app, tx, charges))

  const stored = { hash: account?.password_hash ?? null, maxBcryptCost: found!.most_bcrypt }
  const matches = await refundOnError(app, charges, () => matchesPassword(app, client, stored, password))
  if (account && matches && mayUsePassword(account)) return { account, charges }

  const failures = await app.store.write(async tx => {
    const row = await countPasswordFailure(tx, account?.id ?? '', !matches, maxFailures)
    await gather(tx, { event: 'auth.login.fail', visitor, ...who }, who.subject ?? who.detail.email)
    if (row?.password_fail_streak === maxFailures && !matches) {
      await credentials.onDisabled?.(tx, account!)
      await record(tx, { event: 'auth.password.disabled', subject: account!.id, visitor })
    }
    return row?.password_fail_streak ?? 0
  })
  if (!matches && warnAt.has(failures))
    app.log.warn({ event: 'auth.login.fail', user: account!.id, failures }, 'many wrong passwords in a row')
  throw fail('access.login')
}

/** `knownTo` is the account that knows the device, or for Basic the network. */
function chargesFor(
  app: App,
  visitor: Visitor,
  { email, device, basic }: Credentials,
  knownTo: Account | undefined,
): Charge[] {
  if (basic?.repeated !== undefined) return [chargeFor(app, 'basicRepeated', basic.repeated)]
  const own = knownTo
    ? chargeFor(app, basic ? 'basic' : 'dev', `${device}|${knownTo.id}`)
    : chargeFor(app, 'acct', email.key)
  return [...visitorCharges(app, visitor), own]
}

/** One waiting place for each account of a network, or for each known device. */
function clientOf({ ip }: Visitor, { bucket }: Charge, known: boolean): Client {
  if (known) return { name: bucket, known }
  const network = networkOf(ip, 32, 64)
  return { name: `${network}|${bucket}`, network }
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
  const current = await holdUnchanged(app, tx, account)
  await clearPasswordFailures(tx, account.id)
  await settle(app, tx, charges)
  return current
}

/**
 * The same for Basic, which ends no pauses and clears no failures: a client that asks all the time would do so for whoever
 * is guessing. Its network is known to the account from now on.
 */
export async function settleBasic(app: App, tx: Tx, { account, charges }: Verified, device: string): Promise<Account> {
  const current = await holdUnchanged(app, tx, account)
  await takeBack(app, tx, charges)
  await rememberDevice(tx, deviceMac(app, device), account.id, account.auth_epoch)
  return current
}

async function holdUnchanged(app: App, tx: Tx, account: Account): Promise<Account> {
  const current = await lockAccount(app.store, tx, account.id)
  if (!current || current.auth_epoch !== account.auth_epoch || !mayUsePassword(current)) throw fail('access.login')
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

/** The same for a try that was right, and led nowhere through no fault of the caller: randomness failed. */
export async function refundOnFailure<Value>(app: App, charges: Charge[], work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CryptoFailure) await app.store.write(tx => refund(app, tx, charges))
    throw error
  }
}
