import type { App } from '../../app.ts'
import { refundOnError, reportThrottled, visitorCharges } from '../../access/factors/credentials.ts'
import { hashPassword, queueMustHaveRoom } from '../../access/factors/password.ts'
import { networkOf } from '../../platform/lib/ip.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { charge, type Charge } from '../../platform/throttle/throttle.ts'

/**
 * Hashes a password for an unauthenticated client. The hash is computed before the code is checked, so that a decoy
 * takes as long as an account. Hashing is expensive, so the throttle charges the address and network of the client.
 */
export async function hashForAnonymous(
  app: App,
  exchange: HttpExchange,
  password: string,
  subject: string | undefined,
): Promise<{ hash: string; charges: Charge[] }> {
  const network = networkOf(exchange.ip, 32, 64)
  const client = { name: `${network}|${subject ?? ''}`, network }
  const charges = visitorCharges(app, exchange)
  queueMustHaveRoom(app, client)
  await reportThrottled(app, { visitor: exchange, subject }, tx => charge(app, tx, charges))
  const hash = await refundOnError(app, charges, () => hashPassword(app, password, client))
  return { hash, charges }
}
