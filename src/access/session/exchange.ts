import type { Visitor } from '../audit/audit.ts'

/** One request and what its answer will carry, without a word about the HTTP library. */
export interface HttpExchange extends Visitor {
  method: string
  httpVersion: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The caller's own, from the moment that they are known. */
  language?: string | undefined
  /** Written to the answer, whether it is a success or an error. */
  answer: { headers: Record<string, string>; cookies: string[] }
}

/** The value of a header that occurs once; the guard has refused those that matter and occur twice. */
export function header(exchange: HttpExchange, name: string): string | undefined {
  const value = exchange.headers[name]
  return typeof value === 'string' ? value : undefined
}
