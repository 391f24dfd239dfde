import type { FastifyInstance } from 'fastify'
import type { App } from '../../app.ts'
import { cachedText } from './cached-text.ts'
import type { Api } from '../../http/endpoint.ts'
import { fail } from '../../platform/errors.ts'
import { referenceFiles } from '../../reference.ts'

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

interface Reference {
  tree: Api
  document: () => Promise<object>
}

/** Serves the reference for people. Each of its files is created on the first request for it. */
export function addReferenceRoute(server: FastifyInstance, app: App, { tree, document }: Reference): void {
  const url = `${app.config.base}/reference`
  let files: Map<string, ReturnType<typeof cachedText>> | undefined
  const fileNamed = async (name: string) => {
    const created = await document()
    files ??= new Map(
      [...referenceFiles(tree, created)].map(([file, write]) => {
        const headers = { 'content-type': types[file.split('.').at(-1)!]!, 'content-security-policy': policy }
        return [file, cachedText(write, headers)]
      }),
    )
    const file = files.get(name)
    if (!file) throw fail('notFound')
    return file
  }
  server.get(url, (_, reply) => reply.redirect(`${url}/`, 308)) // links on the pages are relative
  for (const path of [`${url}/`, `${url}/:file`])
    server.get<{ Params: { file?: string } }>(path, async (request, reply) => {
      const answer = await fileNamed(request.params.file ?? 'index.html')
      const { status, headers, body } = await answer(request.exchange)
      return reply.code(status).headers(headers).send(body)
    })
}
