import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { App } from '../../app.ts'
import { fail } from '../../platform/errors.ts'
import { escapeHtml } from '../../platform/lib/html.ts'
import { jsonContentType } from '../../http/answer.ts'
import { siteOrigins } from '../../content/languages/languages.ts'
import { listEndpoints, parametersOf } from '../../http/endpoint.ts'
import { acceptsEncoding, entityTag, isNotModified } from '../../http/validators.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import type { Authenticator } from '../authenticate.ts'

/** The output of `tools/panel.ts`: next to the sources, and at the same place in the package. */
const buildFolder = join(import.meta.dirname, '../../../dist/panel')

export interface Page {
  status: number
  headers: Record<string, string>
  body?: Buffer | string
}

/**
 * Content security policy: only resources of this origin, and the inline scripts of the page: `panel/early.js`, and the
 * import map of extensions.
 */
const policyFor = (script: string, frames: readonly string[]) =>
  [
    "default-src 'none'",
    `script-src 'self'${script}`,
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    ["frame-src 'self'", ...frames].join(' '),
    "form-action 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The hashes of the inline scripts as sources, so that no other one runs. */
function inlineScripts(page: string): string {
  return [...page.matchAll(/<script(?: type="importmap")?>(.*?)<\/script>/gs)]
    .map(([, script]) => ` 'sha256-${createHash('sha256').update(script!).digest('base64')}'`)
    .join('')
}

const types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: jsonContentType,
  woff2: 'font/woff2',
}

export function addPanelRoute(server: FastifyInstance, app: App, authenticator: Authenticator): void {
  const url = `${app.config.base}/panel`
  const show = createPanel(app, () => siteOrigins(app))
  for (const path of [url, `${url}/*`]) {
    server.route({
      method: ['GET', 'HEAD'],
      url: path,
      handler: async (request, reply) => {
        authenticator.checkHost(request.exchange, request.raw.socket.remoteAddress ?? '')
        const { status, headers, body } = await show(
          request.url.slice(url.length).replace(/\?.*$/s, ''),
          request.exchange,
        )
        return reply.code(status).headers(headers).send(body)
      },
    })
  }
}

/** Serves everything below `/panel`: its files, and for every other path `index.html`, which routes in the browser. */
export function createPanel(
  { config, log, extensions }: App,
  /** The origins of the front end, which the preview shows in a frame. */
  frames: () => Promise<readonly string[]>,
  folder = buildFolder,
): (path: string, exchange: HttpExchange) => Promise<Page> {
  return async (path, exchange) => {
    const [, asset] = /^\/assets\/([\w-]+(?:\.[\w-]+)+)$/.exec(path) ?? []
    if (asset !== undefined) return sendAsset(asset, exchange)
    const [, file] = /^\/([\w-]+\.(?:js|svg))$/.exec(path) ?? []
    if (file !== undefined) return cachedPage(exchange, await read(file), { 'content-type': typeOf(file) })
    if (path.startsWith('/assets/')) throw fail('notFound')
    const [, part] = /^\/extensions\/(.*\.[jt]s)$/.exec(path) ?? []
    if (part !== undefined) return sendPart(part, exchange)
    const page = withParts(withBase((await read('index.html').catch(notBuilt)).toString(), config.base))
    const policy = policyFor(inlineScripts(page), await frames())
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      // Windows with a preview stay connected.
      'cross-origin-opener-policy': 'same-origin-allow-popups',
    }
    // A browser may keep the policy that it has got with the page: a new one needs a new `ETag`.
    return cachedPage(exchange, page, headers, `${policy}\n${page}`)
  }

  /** A module of an extension. */
  function sendPart(path: string, exchange: HttpExchange): Page {
    const code = extensions.panel?.file(path)
    if (code === undefined) throw fail('notFound')
    return cachedPage(exchange, code, { 'content-type': types['js']! })
  }

  /**
   * What extensions add to the panel, and where the import of `quoin/panel` leads. Without any, the page stays as it was
   * built.
   */
  function withParts(page: string): string {
    const { panel, endpoints, list: loaded } = extensions
    const permissions = Object.fromEntries(
      loaded.flatMap(({ name, permissions: own }) =>
        Object.entries(own).map(([action, text]) => [`${name}.${action}`, text] as const),
      ),
    )
    if (!panel && Object.keys(permissions).length === 0) return page
    const routes = panel && endpoints && Object.fromEntries([...listEndpoints(endpoints, 'extensions.')].map(([name, one]) => [name, [one.method, one.path, parametersOf(one)]])) // prettier-ignore
    const content = escapeHtml(JSON.stringify({ parts: panel?.list, routes, permissions }))
    const map = JSON.stringify({ imports: { 'quoin/panel': `${config.base}/panel/element.js` } })
    const imports = `<script type="importmap">${map.replaceAll('<', '\\u003c')}</script>\n    `
    const added = `<meta name="quoin-extensions" content="${content}" />\n    ${panel ? imports : ''}`
    return page.replace('<title>', () => `${added}<title>`) // an import map must come before every module
  }

  function notBuilt(error: unknown): never {
    log.warn('the panel is not built; "node tools/panel.ts" builds it')
    throw error
  }

  /** Cached forever: the file name contains a hash of the content. */
  async function sendAsset(name: string, exchange: HttpExchange): Promise<Page> {
    const headers = {
      'content-type': typeOf(name),
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    }
    for (const [encoding, ending] of acceptedBy(exchange)) {
      const bytes = await read(`assets/${name}.${ending}`).catch(() => undefined)
      if (bytes) return { status: 200, headers: { ...headers, 'content-encoding': encoding }, body: bytes }
    }
    return { status: 200, headers, body: await read(`assets/${name}`) }
  }

  async function read(name: string): Promise<Buffer> {
    try {
      return await readFile(join(folder, name))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw fail('notFound')
      throw error
    }
  }
}

function typeOf(name: string): string {
  const type = types[name.slice(name.lastIndexOf('.') + 1)]
  if (type === undefined) throw fail('notFound')
  return type
}

/** Makes the relative URLs of the page absolute and inserts the base path. */
function withBase(page: string, base: string): string {
  const path = escapeHtml(base)
  return page
    .replaceAll(/\b(src|href)="\.\//g, `$1="${path}/panel/`)
    .replace('name="quoin-base" content=""', `name="quoin-base" content="${path}"`)
}

/** Revalidated on every request; 304 if the `ETag` matches. */
function cachedPage(
  exchange: HttpExchange,
  body: Buffer | string,
  headers: Record<string, string>,
  /** What the `ETag` depends on. */
  validated: Buffer | string = body,
): Page {
  const etag = entityTag(validated)
  const answer = { ...headers, etag, 'cache-control': 'no-cache', vary: 'Accept-Encoding' }
  return isNotModified(exchange.headers['if-none-match'], etag)
    ? { status: 304, headers: answer }
    : { status: 200, headers: answer, body }
}

/** Accepted content encodings, smallest result first. */
function acceptedBy(exchange: HttpExchange): [encoding: string, ending: string][] {
  return (
    [
      ['br', 'br'],
      ['gzip', 'gz'],
    ] as [string, string][]
  ).filter(([encoding]) => acceptsEncoding(exchange, encoding))
}
