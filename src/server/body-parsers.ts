import type { FastifyInstance } from 'fastify'
import { defaultBodyLimit } from './api-error.ts'
import { bodyFormatOf } from './guard.ts'
import { parseForm } from '../platform/lib/form.ts'
import { parseStrictJson } from '../platform/lib/strict-json.ts'

/** In bytes. Endpoints with a `bodyLimit` up to this also accept only few members and little nesting. */
const smallBody = 8192
/** In bytes. */
const largeBody = 50_000

/** JSON and forms without files are parsed here, after authentication. */
export function addBodyParsers(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined) // some clients send a content type without a body
    try {
      const small = (request.routeOptions.bodyLimit ?? defaultBodyLimit) <= smallBody
      const limits = small ? { depth: 4, members: 16 } : { depth: 64, members: 100_000 }
      const parse = bodyFormatOf(request.headers['content-type'], undefined) === 'form' ? parseForm : parseStrictJson
      const parsed = parse(body as Buffer, limits)
      // Parsing a large body takes some milliseconds: it is handled in another turn of the event loop.
      if (body.length > largeBody) setImmediate(done, null, parsed)
      else done(null, parsed)
    } catch (error) {
      done(error as Error)
    }
  })

  // Not parsed here: the handler streams it. `checkMediaType` has rejected it for endpoints without `upload`.
  server.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null, undefined))
}
