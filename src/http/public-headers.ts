import { hash } from 'node:crypto'
import { type HttpExchange, header } from '../access/session/exchange.ts'
import type { Stranger } from '../access/actor.ts'
import type { Config } from '../platform/config.ts'

/**
 * The validator and the caching of an answer to a stranger. The tag is that of the bytes, so it changes with anything
 * that is shown. Shared caches must not give the answer to anybody who signs in, and none may keep that to a token.
 */
export function publicHeaders({ api, delivery }: Config, { owner, pass }: Stranger, body: string) {
  const shared = `public, max-age=0, s-maxage=${delivery.sharedMaxAge}, stale-while-revalidate=60`
  return {
    etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"`,
    'cache-control': pass ? 'no-store' : owner ? 'private, no-cache' : shared,
    vary: ['Authorization', 'Cookie', 'X-CSRF', ...(api.cors.length > 0 ? ['Origin'] : [])].join(', '),
  }
}

/** Whether the client has the current version (`If-None-Match`). */
export function isNotModified(exchange: HttpExchange, etag: string): boolean {
  const known = header(exchange, 'if-none-match')
  return known?.split(',').some(one => ['*', etag].includes(one.trim().replace(/^W\//, ''))) === true
}
