import type { Visitor } from '../actor.ts'

/** One request and the headers and cookies of its response, independent of the HTTP library. */
export interface HttpExchange extends Visitor {
  method: string
  httpVersion: string
  /** A repeated header is one text; `checkHeaders` has rejected duplicates of security-relevant ones. */
  headers: Readonly<Record<string, string | undefined>>
  /** The language of the caller's account; set after authentication. */
  language?: string | undefined
  /** Calls back when the client goes before it has the answer, until the returned function is called. */
  onClose?(listener: () => void): () => void
  /** Sent with the response, on success and on error. */
  answer: { headers: Record<string, string>; cookies: string[] }
}
