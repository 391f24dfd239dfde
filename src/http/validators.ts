import { hash } from 'node:crypto'
import type { Anonymous } from '../access/actor.ts'
import type { HttpExchange } from '../access/session/exchange.ts'
import type { Config } from '../platform/config.ts'

/**
 * A strong validator: it changes with any byte of the body. If the answer has the ETag of a revision, such as `"7"`, it is
 * `"7.<digest>"`, which clients can send back as `If-Match`.
 */
export function entityTag(body: Buffer | string, revisionTag?: string): string {
  const digest = hash('sha256', body, 'base64url').slice(0, 22)
  return revisionTag === undefined ? `"${digest}"` : `"${revisionTag.slice(1, -1)}.${digest}"`
}

/** Whether the client takes a body with this content encoding. */
export function acceptsEncoding({ headers }: Pick<HttpExchange, 'headers'>, encoding: string): boolean {
  const accepted = (headers['accept-encoding'] ?? '').split(',').map(one => one.trim().toLowerCase())
  return accepted.some(one => one.split(';')[0]!.trim() === encoding && !/;\s*q=0(\.0*)?$/.test(one))
}

/** Whether the client has the current version. `known` is the value of `If-None-Match`. */
export function isNotModified(known: string | undefined, etag: string): boolean {
  if (known === undefined) return false
  return known === etag || known.split(',').some(one => ['*', etag].includes(one.trim().replace(/^W\//, '')))
}

/**
 * How an answer to an anonymous client may be cached. Shared caches must not give it to clients that are signed in, nor keep the answer
 * to a token; no cache may keep the answer to a preview pass. `seconds` is `sharedMaxAge` of the endpoint.
 */
export function publicHeaders({ api, delivery }: Config, { owner, pass }: Anonymous, seconds?: number) {
  const maxAge = seconds ?? delivery.sharedMaxAge
  const shared = `public, max-age=0, s-maxage=${maxAge}, stale-while-revalidate=60`
  return {
    'cache-control': pass ? 'no-store' : owner || maxAge === 0 ? 'private, no-cache' : shared,
    vary: ['Authorization', 'Cookie', 'X-CSRF', ...(api.cors.length > 0 ? ['Origin'] : [])].join(', '),
  }
}
