import type { Visitor } from '../actor.ts'

/** One request and the headers and cookies of its response, independent of the HTTP library. */
export interface HttpExchange extends Visitor {
  method: string
  httpVersion: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The language of the caller's account; set after authentication. */
  language?: string | undefined
  /** Sent with the response, on success and on error. */
  answer: { headers: Record<string, string>; cookies: string[] }
}

/** The value of a header that occurs once. `checkHeaders` has rejected duplicates of security-relevant headers. */
export function header(exchange: HttpExchange, name: string): string | undefined {
  const value = exchange.headers[name]
  return typeof value === 'string' ? value : undefined
}
