import { z } from 'zod'
import type { App } from '../../app.ts'
import { answer } from '../../http/answer.ts'
import { sendSessionCookie } from '../../access/session/cookies.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import type { Caller, CallerContext } from '../../access/actor.ts'
import { csrfToken, endEpoch, renewSession } from '../../access/session/sessions.ts'
import type { Tx } from '../../platform/store/store.ts'

/** Sent with the new cookie: the `X-CSRF` token is derived from the session token. */
export interface RotatedSession {
  csrf?: string
}

export const rotatedFields = { csrf: z.string().optional() }

/** `done`, with a new CSRF token if the caller's session was rotated. */
export const sessionRotated = answer(
  z.object({ status: z.literal('ok'), message: z.literal('ok'), code: z.literal(200), ...rotatedFields }),
  ({ csrf }: RotatedSession) =>
    ({ status: 'ok', message: 'ok', code: 200, ...(csrf !== undefined && { csrf }) }) as const,
)

/** Sends the cookie of a rotated session. Call it after the commit. */
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
 * Ends all sessions, challenges and known devices of an account except the caller's session. Returns the new token of
 * that session; undefined if it belongs to another account or has ended meanwhile.
 */
export async function endOtherSessions(
  ctx: CallerContext,
  tx: Tx,
  userId: string,
  reason: string,
): Promise<string | undefined> {
  const { user, session } = ctx.actor
  const ownSession = user.id === userId ? session?.id : undefined
  await endEpoch(ctx, tx, userId, reason, ownSession)
  return ownSession === undefined ? undefined : renewSession(ctx.app, tx, ownSession)
}
