import type { FastifyInstance } from 'fastify'
import type { App } from '../app.ts'
import { cachedText } from '../http/cached-text.ts'
import type { Api } from '../http/endpoint.ts'
import { fail } from '../platform/errors.ts'
import { referenceFiles } from '../reference.ts'

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

/** Serves the reference for people. All of its files are created on the first request for one of them. */
export function addReferenceRoute(server: FastifyInstance, app: App, tree: Api): void {
  const url = `${app.config.base}/reference`
  let files: Map<string, ReturnType<typeof cachedText>> | undefined
  const fileNamed = (name: string) => {
    files ??= new Map(
      [...referenceFiles(tree, app.config)].map(([file, text]) => {
        const headers = { 'content-type': types[file.split('.').at(-1)!]!, 'content-security-policy': policy }
        return [file, cachedText(() => text, headers)]
      }),
    )
    const file = files.get(name)
    if (!file) throw fail('notFound')
    return file
  }
  server.get(url, (_, reply) => reply.redirect(`${url}/`, 308)) // links on the pages are relative
  for (const path of [`${url}/`, `${url}/:file`])
    server.get<{ Params: { file?: string } }>(path, (request, reply) => {
      const { status, headers, body } = fileNamed(request.params.file ?? 'index.html')(request.exchange)
      return reply.code(status).headers(headers).send(body)
    })
}
