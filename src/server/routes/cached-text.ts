import { gzipSync } from 'node:zlib'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { acceptsEncoding, entityTag, isNotModified } from '../../http/validators.ts'

interface Sent {
  status: number
  headers: Record<string, string>
  body?: Buffer | string
}

/** A text that stays the same while the server runs: created and compressed on the first request, then revalidated. */
export function cachedText(
  create: () => string | Promise<string>,
  headers: Record<string, string>,
): (exchange: HttpExchange) => Promise<Sent> {
  let text: string | undefined
  let etag = ''
  let compressed: Buffer | undefined
  return async exchange => {
    if (text === undefined) {
      text = await create()
      etag = entityTag(text)
    }
    const all = { ...headers, etag, 'cache-control': 'no-cache', vary: 'Accept-Encoding' }
    if (isNotModified(exchange.headers['if-none-match'], etag)) return { status: 304, headers: all }
    if (!acceptsEncoding(exchange, 'gzip')) return { status: 200, headers: all, body: text }
    compressed ??= gzipSync(text)
    return { status: 200, headers: { ...all, 'content-encoding': 'gzip' }, body: compressed }
  }
}
