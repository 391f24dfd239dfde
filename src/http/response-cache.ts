import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../app.ts'
import { createMemo } from '../platform/lib/memo.ts'

/** What was answered, and for how long it would be answered again to the very same request. */
export interface CacheableResponse {
  status: number
  headers: Record<string, number | string | string[] | undefined>
  body: string
  /** The version of the store it was read in; absent if nothing was read. */
  version?: number | undefined
  /** By the store's clock; absent if time changes nothing. */
  until?: number | undefined
  /** The version of the blueprints it was made with, from before it was made; absent if none was looked at. */
  blueprints?: number
}

interface CachedResponse {
  status: number
  /** Name, value, name, value …; the id of the request comes last. */
  headers: string[]
  body: string
  version: number | undefined
  until: number
  blueprints: number
}

export interface ResponseCache {
  /** Gives a known answer again, if nothing has changed since. */
  answer(request: IncomingMessage, response: ServerResponse): boolean
  remember(request: IncomingMessage, response: CacheableResponse): void
}

/** What answers to those who are signed in may take, together. */
const maxBytes = 16 * 1024 * 1024

/**
 * Panels and programs ask who is signed in again and again, with the same words. The same address and headers from the
 * same peer get the same answer while the store says that no process has committed anything: then all it takes is to look.
 */
export function createResponseCache(app: App, nextId: () => string): ResponseCache {
  // Apart, so that strangers with ever new headers cannot push out those who are signed in.
  const members = createMemo<CachedResponse>(maxBytes, (key, { body }) => key.length + body.length + 1000)
  const strangers = createMemo<CachedResponse>(100)

  function isCurrent({ version, until, blueprints }: CachedResponse): boolean {
    if (blueprints !== app.blueprints.version) return false
    if (version === undefined) return true
    const current = app.store.version()
    return current !== undefined && current.number === version && current.now < until
  }

  return {
    answer(request, response) {
      // An answer that stands in line behind others on its connection is not made before its turn.
      if (request.method !== 'GET' || response.socket === null) return false
      const key = keyOf(request)
      const known = members.get(key) ?? strangers.get(key)
      if (!known || !isCurrent(known)) return false
      known.headers[known.headers.length - 1] = nextId()
      response.writeHead(known.status, known.headers)
      response.end(known.body)
      return true
    },

    remember(request, { status, headers, body, version, until = Infinity, blueprints = app.blueprints.version }) {
      if (request.method !== 'GET' || hasBody(request)) return
      const sent = { ...headers, 'content-length': Buffer.byteLength(body) }
      const flat = Object.entries(sent).flatMap(([name, value]) =>
        name === 'x-request-id' ? [] : [name, String(value)],
      )
      const repeat = { status, headers: [...flat, 'x-request-id', ''], body, version, until, blueprints }
      const memo = version === undefined ? strangers : members
      memo.set(keyOf(request), repeat)
    },
  }
}

/** Whatever could change an answer: where it is asked for, by whom, and every header. None of them holds a line break. */
function keyOf({ url, rawHeaders, socket }: IncomingMessage): string {
  return `${url}\n${socket.remoteAddress}\n${rawHeaders.join('\n')}`
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}
