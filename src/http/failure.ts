import { STATUS_CODES } from 'node:http'
import type { ApiError } from '../errors.ts'

/** An error as it is sent: the compatible envelope, or RFC 9457 for those who ask for it. */
export interface Failure {
  status: number
  headers: Record<string, string>
  body: string
}

export function failure(error: ApiError, accept: string | undefined): Failure {
  const { status, message, details } = error
  const key = `error.${error.key}`
  const asProblem = accept?.includes('application/problem+json') === true
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
