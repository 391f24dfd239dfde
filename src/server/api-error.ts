import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { recordCounted } from '../access/audit/audit.ts'
import { ApiError, fail } from '../platform/errors.ts'
import { CryptoFailure } from '../platform/lib/crypto-failure.ts'
import { JsonProblem } from '../platform/lib/strict-json.ts'
import { Message, message, type TextKey } from '../platform/texts.ts'

/** In bytes. */
export const defaultBodyLimit = 1024 * 1024

/** The error that the client gets. Anything unknown is logged and becomes a 500 without details. */
export function toApiError(app: App, error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof JsonProblem) return fail('request.malformed', { problem: problemOf(error) })
  if (error instanceof CryptoFailure) return reportCryptoFailure(app, error, request)
  const { statusCode, code } = Object(error) as { statusCode?: number; code?: string }
  if (code === 'ENOSPC' || code === 'EDQUOT' || app.store.isFull(error)) {
    app.log.error({ err: error, request: request.id }, 'the disk is full')
    return fail('storage.full')
  }
  // An error with a status is about the request: a client that disconnects in the middle is not a database outage.
  if (error instanceof Error && statusCode === undefined && app.store.isOutage(error)) {
    app.log.error({ err: error, request: request.id }, 'the store did not answer')
    return fail('unavailable')
  }
  switch (statusCode) {
    case 400:
      return fail('request.malformed', { problem: message('malformed.form') })
    case 404:
    case 414: // a path parameter that is too long
      return fail('notFound')
    case 413:
      return fail('request.tooLarge', { limit: String(request.routeOptions.bodyLimit ?? defaultBodyLimit) })
    case 415:
      return fail('request.mediaType')
    case 503:
      return fail('busy')
    default:
      app.log.error({ err: error, request: request.id, route: request.routeOptions.url }, 'a request failed')
      return fail('general')
  }
}

/**
 * Reports that hashing or randomness failed. The request is aborted without partial writes, and a retry may succeed.
 */
function reportCryptoFailure(app: App, error: CryptoFailure, { id, exchange }: FastifyRequest): ApiError {
  const event = { event: 'system.crypto.failed', visitor: exchange, detail: { what: error.what } } as const
  app.log.error({ err: error.cause, event: event.event, what: error.what, request: id }, 'cryptography failed')
  app.background(() => app.store.write(tx => recordCounted(tx, event, error.what)))
  return fail('busy')
}

function problemOf({ kind, limit }: JsonProblem): Message {
  return new Message(`malformed.${kind}` satisfies TextKey, { limit: String(limit) })
}
