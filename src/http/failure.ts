import { STATUS_CODES } from 'node:http'
import type { ApiError } from '../errors.ts'

/** An error as it is sent: the compatible envelope, or RFC 9457 for those who ask for it. */
export interface Failure {
  status: number
  headers: Record<string, string>
  body: string
}

const envelopes = new WeakMap<ApiError, Failure>()

/** Some errors are made once and sent often: they are written once, too. */
export function failure(error: ApiError, accept: string | undefined): Failure {
  if (accept?.includes('application/problem+json') === true) return write(error, true)
  let known = envelopes.get(error)
  if (!known) {
    known = write(error, false)
    envelopes.set(error, known)
  }
  return known
}

function write(error: ApiError, asProblem: boolean): Failure {
  const { status, message, details } = error
  const key = `error.${error.key}`
  const body = asProblem
    ? { type: `urn:quoin:${key}`, title: STATUS_CODES[status], status, detail: message, key, details, ...error.problem }
    : { status: 'error', message, code: status, key, details }
  return {
    status,
    headers: {
      'content-type': `application/${asProblem ? 'problem+json' : 'json'}; charset=utf-8`,
      ...(status === 401 && { 'www-authenticate': 'Bearer realm="quoin"' }),
      ...error.headers,
    },
    body: JSON.stringify(body),
  }
}
