import { gzipSync } from 'node:zlib'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { acceptsEncoding, entityTag, isNotModified } from '../../http/validators.ts'

interface Sent {
  status: number
  headers: Record<string, string>
  body?: Buffer | string
}

interface Encoded {
  etag: string
  body: Buffer | string
  encoding?: Record<'content-encoding', string>
}

/** A text that stays the same while the server runs: created and compressed on the first request, then revalidated. */
export function cachedText(
  create: () => string | Promise<string>,
  headers: Record<string, string>,
): (exchange: HttpExchange) => Promise<Sent> {
  let created: Promise<Encoded> | undefined
  let compressed: Encoded | undefined

  async function createPlain(): Promise<Encoded> {
    const body = await create()
    return { etag: entityTag(body), body }
  }

  /** The next request tries again. */
  function afterFailure(error: unknown): never {
    created = undefined
    throw error
  }

  return async exchange => {
    const plain = await (created ??= createPlain().catch(afterFailure))
    const isCompressed = acceptsEncoding(exchange, 'gzip')
    const { etag, body, encoding } = isCompressed ? (compressed ??= compress(plain)) : plain
    const all = { ...headers, etag, 'cache-control': 'no-cache', vary: 'Accept-Encoding' }
    if (isNotModified(exchange.headers['if-none-match'], etag)) return { status: 304, headers: all }
    return { status: 200, headers: { ...all, ...encoding }, body }
  }
}

/** A strong ETag stands for exact bytes, so each encoding has its own. */
function compress({ etag, body }: Encoded): Encoded {
  return { etag: `${etag.slice(0, -1)}-gzip"`, body: gzipSync(body), encoding: { 'content-encoding': 'gzip' } }
}
