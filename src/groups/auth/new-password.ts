import type { App } from '../../app.ts'
import { refundOnError, reportThrottled, visitorCharges } from '../../access/factors/credentials.ts'
import { hashPassword, queueMustHaveRoom } from '../../access/factors/password.ts'
import { networkOf } from '../../platform/lib/ip.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { charge, type Charge } from '../../platform/throttle/throttle.ts'

/**
 * The hash of a password that somebody who is not signed in wants to have. It is computed before anything is judged, so that
 * a decoy costs as much as an account, and charged to where it comes from, because it costs that much.
 */
export async function hashForStranger(
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
