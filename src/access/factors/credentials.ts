import type { Visitor } from '../actor.ts'
import type { App } from '../../app.ts'
import { recordCounted, record } from '../audit/audit.ts'
import { ApiError, fail } from '../../platform/errors.ts'
import { CryptoFailure } from '../../platform/lib/crypto-failure.ts'
import type { Email } from '../../platform/lib/email.ts'
import { networkOf } from '../../platform/lib/ip.ts'
import type { LimiterClient } from '../../platform/lib/concurrency-limiter.ts'
import { maxFailures } from '../../platform/throttle/policies.ts'
import {
  charge,
  type Charge,
  chargeFor,
  refund,
  resetAfterSuccess,
  refundAfterSuccess,
} from '../../platform/throttle/throttle.ts'
import type { Tx } from '../../platform/store/store.ts'
import { matchesPassword, queueMustHaveRoom } from './password.ts'
import {
  type Account,
  clearPasswordFailures,
  updatePasswordFailures,
  selectCredentials,
  lockAccount,
  upsertDevice,
} from './queries.ts'

export interface Credentials {
  email: Email
  password: string
  /** Identifies a known device: the value of the device cookie, or for Basic the client's network. */
  device: string | undefined
  basic?: BasicClient
  /** Called in the same transaction when the number of failures disables the password. */
  onDisabled?: (tx: Tx, account: Account) => Promise<void>
}

/** A client that sends its password with every request (HTTP Basic). */
export interface BasicClient {
  /** MAC of credentials that were correct a moment ago and are sent again: not a guess, so a separate limit applies. */
  repeated: string | undefined
}

/** The correct password of an active account. The caller must settle the charges in the transaction of the success. */
export interface VerifiedPassword {
  account: Account
  charges: Charge[]
}

/**
 * The only way to check a password: look up, charge the throttle, hash, compare. Unknown, wrong, disabled and invited
 * accounts take the same statements, the same CPU time and the same response, so that a client cannot tell them apart.
 */
export async function checkPassword(app: App, visitor: Visitor, credentials: Credentials): Promise<VerifiedPassword> {
  const { email, password, device } = credentials
  const forUnknownDevice = chargesFor(app, visitor, credentials, undefined)
  // A flood of requests without a device cookie is refused before anything is looked up.
  if (device === undefined) queueMustHaveRoom(app, clientOf(visitor, forUnknownDevice.at(-1)!, false))
  const [found] = await selectCredentials(app.store, email.key, deviceMac(app, device ?? ''))
  const account = found?.id == null ? undefined : (found as Account)
  const isKnownDevice = account !== undefined && found!.device_mac !== null
  const charges = isKnownDevice ? chargesFor(app, visitor, credentials, account) : forUnknownDevice
  const who = account ? { subject: account.id } : { detail: { email: app.secrets.mac('session', 'audit', email.key) } }
  // Each account of a network has its own place in the queue, and unknown clients cannot take those of known devices.
  const client = clientOf(visitor, charges.at(-1)!, isKnownDevice || credentials.basic?.repeated !== undefined)
  queueMustHaveRoom(app, client)
  await reportThrottled(app, { visitor, subject: account?.id }, tx => charge(app, tx, charges))

  const stored = { hash: account?.password_hash ?? null, maxBcryptCost: found!.max_bcrypt_cost }
  const matches = await refundOnError(app, charges, () => matchesPassword(app, client, stored, password))
  if (account && matches && canUsePassword(account)) return { account, charges }

  const failures = await app.store.write(async tx => {
    const row = await updatePasswordFailures(tx, account?.id ?? '', !matches, maxFailures)
    await recordCounted(tx, { event: 'auth.login.fail', visitor, ...who }, who.subject ?? who.detail.email)
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

/** `knownTo` is the account that has seen this device (for Basic: this network) before. */
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

/** One place in the queue for each account and network, or for each known device. */
function clientOf({ ip }: Visitor, { bucket }: Charge, known: boolean): LimiterClient {
  if (known) return { name: bucket, known }
  const network = networkOf(ip, 32, 64)
  return { name: `${network}|${bucket}`, network }
}

/** Numbers of consecutive failures at which a warning is logged, before the password is disabled. */
const warnAt = new Set([10, 25, 50])

function canUsePassword({ status, password_disabled_at: disabled }: Account): boolean {
  return status === 'active' && disabled === null
}

/**
 * Completes a correct password in the transaction of what follows. Reads and locks the account again: the password may
 * have been changed, or the account disabled, while the hash was computed.
 */
export async function completePassword(app: App, tx: Tx, { account, charges }: VerifiedPassword): Promise<Account> {
  const current = await lockUnchanged(app, tx, account)
  await clearPasswordFailures(tx, account.id)
  await resetAfterSuccess(app, tx, charges)
  return current
}

/**
 * The same for Basic, but waiting times and failure counts stay: a client that polls would otherwise keep resetting
 * them for an attacker. From now on the account knows the client's network.
 */
export async function completeBasic(
  app: App,
  tx: Tx,
  { account, charges }: VerifiedPassword,
  device: string,
): Promise<Account> {
  const current = await lockUnchanged(app, tx, account)
  await refundAfterSuccess(app, tx, charges)
  await upsertDevice(tx, deviceMac(app, device), account.id, account.auth_epoch)
  return current
}

async function lockUnchanged(app: App, tx: Tx, account: Account): Promise<Account> {
  const current = await lockAccount(app.store, tx, account.id)
  if (!current || current.auth_epoch !== account.auth_epoch || !canUsePassword(current)) throw fail('access.login')
  return current
}

export function visitorCharges(app: App, { ip }: Visitor): Charge[] {
  return [chargeFor(app, 'ip', networkOf(ip, 32, 64)), chargeFor(app, 'net', networkOf(ip, 24, 48))]
}

/** Only the MAC of a device is stored: a stolen table does not yield valid cookies. */
export function deviceMac(app: App, device: string): string {
  return app.secrets.mac('vault', 'device', device)
}

/** Runs `work`, and records an audit event if it is refused by the throttle. */
export async function reportThrottled<Value>(
  app: App,
  who: { visitor: Visitor; subject: string | undefined },
  work: (tx: Tx) => Promise<Value>,
): Promise<Value> {
  try {
    return await app.store.write(work)
  } catch (error) {
    if (error instanceof ApiError && error.key === 'auth.throttled') {
      // Unknown accounts are counted by network alone: otherwise each invented email address would add a row.
      await app.store.write(tx => recordCounted(tx, { event: 'auth.login.throttled', ...who }, who.subject ?? ''))
    }
    throw error
  }
}

/** Refunds an attempt that could not be checked because of overload or an outage. */
export async function refundOnError<Value>(app: App, charges: Charge[], work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    await app.store.write(tx => refund(app, tx, charges))
    throw error
  }
}

/** The same for a correct attempt that failed because randomness or hashing did. Other errors stay charged. */
export async function refundOnCryptoFailure<Value>(
  app: App,
  charges: Charge[],
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CryptoFailure) await app.store.write(tx => refund(app, tx, charges))
    throw error
  }
}
