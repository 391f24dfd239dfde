import { z } from 'zod'
import type { App } from '../../app.ts'
import type { By } from '../../access/audit/audit.ts'
import { answer } from '../../http/answer.ts'
import { sendSessionCookie } from '../../access/session/cookies.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import type { Caller } from '../../access/session/identify.ts'
import { csrfToken, endEpoch, renewSession } from '../../access/session/sessions.ts'
import type { Tx } from '../../platform/store/store.ts'

/** What must be sent along with the new cookie: `X-CSRF` belongs to the token. */
export interface RotatedSession {
  csrf?: string
}

export const rotatedFields = { csrf: z.string().optional() }

/** Done, and perhaps the caller's session has a new token since. */
export const sessionRotated = answer(
  z.object({ status: z.literal('ok'), message: z.literal('ok'), code: z.literal(200), ...rotatedFields }),
  ({ csrf }: RotatedSession) =>
    ({ status: 'ok', message: 'ok', code: 200, ...(csrf !== undefined && { csrf }) }) as const,
)

/** The cookie of a session that was renewed, once that is committed. */
export function sendRotatedSession(
  app: App,
  exchange: HttpExchange,
  { session }: Caller,
  token: string | undefined,
): RotatedSession {
  if (token === undefined) return {}
  sendSessionCookie(app.config, exchange, token, session!.long)
  return { csrf: csrfToken(app, token) }
}

/**
 * Ends every session of an account but the one that asks, with all that belongs to them. Answers with the new token of that
 * one; it has none if it is not of this account, or has been ended meanwhile.
 */
export async function endOtherSessions(
  app: App,
  tx: Tx,
  userId: string,
  because: string,
  { user, session }: Caller,
  by: By,
): Promise<string | undefined> {
  const own = user.id === userId ? session?.id : undefined
  await endEpoch(tx, userId, because, by, own)
  return own === undefined ? undefined : renewSession(app, tx, own)
}
