import type { App } from '../../app.ts'
import { ApiError, fail } from '../../platform/errors.ts'
import type { Caller } from '../actor.ts'
import { type AuditEvent, recordCounted } from '../audit/audit.ts'
import type { HttpExchange } from '../session/exchange.ts'
import type { EndReason } from '../session/sessions.ts'

function isDenial({ key }: ApiError): boolean {
  return key === 'permission' || key === 'access.panel' || key === 'auth.needsSession' || key.endsWith('.permission')
}

/**
 * Rethrows the error. If an authenticated caller was denied, records an audit event, at most one row a minute for each
 * caller, token and endpoint.
 */
export async function recordDenial(
  app: App,
  { method, path }: { method: string; path: string },
  exchange: HttpExchange,
  caller: Caller | undefined,
  error: unknown,
): Promise<never> {
  if (caller && error instanceof ApiError && isDenial(error)) {
    const { user, session, token } = caller
    const event: AuditEvent = {
      event: 'auth.permission.denied',
      actor: user.id,
      subject: user.id,
      session: session?.id,
      visitor: exchange,
      detail: { method, path, ...(token && { token: token.id }) },
    }
    await app.store.write(tx => recordCounted(tx, event, [user.id, token?.id, method, path].join('|')))
  }
  throw error
}

/** The same error for all clients; `reason` only for a token that was once a valid session. */
export function unauthenticatedError(reason?: EndReason): ApiError {
  const details = { methods: ['password', 'passkey'], ...(reason && { reason }) }
  return fail('auth').with({ details, problem: details })
}

/** Created once: this is the most frequent response of all. */
export const unauthenticated = unauthenticatedError()

/** Anonymous clients get 401 where an account without the permission gets 403. */
export function anonymousError(error: unknown): unknown {
  return error instanceof ApiError && isDenial(error) ? unauthenticated : error
}

export function isUnauthenticated(error: ApiError): boolean {
  return error === unauthenticated
}
