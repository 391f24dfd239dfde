import type { App } from '../../app.ts'
import { recordCounted } from '../../access/audit/audit.ts'
import { type Challenge, consumeChallenge, countAttempt, startChallenge } from '../../access/factors/challenges.ts'
import { reportThrottled, visitorCharges } from '../../access/factors/credentials.ts'
import type { Assertion } from '../../access/factors/passkeys/credential.ts'
import { passkeyTimeoutMs, requestOptions, verifyAccountPasskey } from '../../access/factors/passkeys/passkeys.ts'
import { selectPasskeyByCredential } from '../../access/factors/passkeys/queries.ts'
import { type Account, lockAccount } from '../../access/factors/queries.ts'
import { randomToken } from '../../platform/lib/id.ts'
import { networkOf } from '../../platform/lib/ip.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import type { Tx } from '../../platform/store/store.ts'
import { charge, chargeFor, resetAfterSuccess } from '../../platform/throttle/throttle.ts'

const maxAttempts = 5

/** Stored until the browser returns the signature. */
export interface PendingPasskey {
  long: boolean
  /** The WebAuthn challenge. */
  toSign: string
}

/** Takes no account name, so that the response cannot reveal which accounts have a passkey. */
export async function beginPasskey(app: App, exchange: HttpExchange, long: boolean) {
  const pending: PendingPasskey = { long, toSign: randomToken() }
  const id = await reportThrottled(app, { visitor: exchange, subject: undefined }, async tx => {
    await charge(app, tx, [chargeFor(app, 'passkey', networkOf(exchange.ip, 32, 64))])
    return startChallenge(app, tx, { kind: 'passkey', data: pending, lifetimeMs: passkeyTimeoutMs, maxAttempts })
  })
  return {
    kind: 'challenge' as const,
    step: 'passkey' as const,
    id,
    methods: ['passkey'],
    expiresIn: passkeyTimeoutMs / 1000,
    attemptsLeft: maxAttempts,
    publicKey: requestOptions(app, pending.toSign, 'any'),
  }
}

/**
 * Returns the account of the passkey, locked. Unknown, foreign and removed passkeys, wrong signatures and disabled
 * accounts are all `wrong`, which counts like a wrong password; `dead` if the challenge has expired or has no attempts
 * left.
 */
export async function verifyPasskey(
  app: App,
  tx: Tx,
  exchange: HttpExchange,
  challenge: Challenge<PendingPasskey>,
  assertion: Assertion,
  /** The account of the session, if this is a reauthentication: only its passkeys are accepted. */
  only: string | undefined,
): Promise<Account | 'wrong' | 'dead'> {
  const passkey = await selectPasskeyByCredential(tx, assertion.id)
  const account = await lockAccount(app.store, tx, passkey?.user_id ?? '')
  if ((await countAttempt(tx, challenge)) === undefined) return 'dead'
  const charges = visitorCharges(app, exchange)
  await charge(app, tx, charges)

  const use = { challenge: challenge.data.toSign, assertion, isOnlyFactor: true, visitor: exchange }
  const isExpected = account?.status === 'active' && (only === undefined || only === account.id)
  if (!isExpected || !(await verifyAccountPasskey(app, tx, account.id, use))) {
    const failed = { event: 'auth.login.fail', visitor: exchange, detail: { method: 'passkey' } } as const
    await recordCounted(tx, account ? { ...failed, subject: account.id } : failed, account?.id ?? 'passkey')
    return 'wrong'
  }
  await consumeChallenge(tx, challenge)
  await resetAfterSuccess(app, tx, charges)
  return account
}
