import { z } from 'zod'
import { createOwnPass } from '../../../access/preview/pass.ts'
import { configuredOrigins } from '../../../content/languages/languages.ts'
import type { RequestContext } from '../../../http/context.ts'
import { withPass } from './preview.ts'

/** Whether the front end can be shown in a frame of the panel, and the header that forbids it. */
export const frameSchema = z.object({
  /** `unknown`: a language has an address of its own, which the server does not request. */
  frame: z.enum(['allowed', 'refused', 'unreachable', 'unknown']),
  header: z.string().nullable(),
})

const timeoutMs = 5000
const maxRedirects = 3

/**
 * Requests the address that the panel frames, with a pass of its own, and looks at the headers of the response. Only
 * origins of the settings and blueprints are requested: that of a language can be set by accounts, who must not reach
 * other servers through this one.
 */
export async function checkFrame(
  ctx: RequestContext,
  scope: string,
  url: string,
): Promise<z.infer<typeof frameSchema>> {
  const { app } = ctx
  if (!URL.canParse(url) || !configuredOrigins(app).includes(new URL(url).origin))
    return { frame: 'unknown', header: null }
  const { code: language } = await ctx.language()
  const headers = await headersOf(withPass(url, await createOwnPass(app, { scope, language }))).catch(() => undefined)
  if (!headers) return { frame: 'unreachable', header: null }
  const header = refusalIn(headers, new URL(app.config.url).origin, new URL(url).origin)
  return { frame: header === undefined ? 'allowed' : 'refused', header: header ?? null }
}

/** Follows redirects to the same origin. */
async function headersOf(url: string): Promise<Headers> {
  const signal = AbortSignal.timeout(timeoutMs)
  for (let left = maxRedirects; ; left--) {
    const response = await fetch(url, { signal, redirect: 'manual', headers: { accept: 'text/html' } })
    await response.body?.cancel()
    const to = response.headers.get('location')
    if (to === null || left === 0) return response.headers
    const next = new URL(to, url)
    if (next.origin !== new URL(url).origin) return response.headers
    url = next.href
  }
}

/** `frame-ancestors` takes precedence over `X-Frame-Options`. */
function refusalIn(headers: Headers, panel: string, site: string): string | undefined {
  const ancestors = /(?:^|[;,])\s*frame-ancestors\s+([^;,]*)/i.exec(headers.get('content-security-policy') ?? '')?.[1]
  if (ancestors !== undefined) {
    const sources = ancestors.trim().split(/\s+/)
    return sources.some(source => allows(source, panel, site))
      ? undefined
      : `Content-Security-Policy: frame-ancestors ${ancestors.trim()}`
  }
  const option = headers.get('x-frame-options')?.trim()
  if (option === undefined || (/^sameorigin$/i.test(option) && panel === site)) return undefined
  return `X-Frame-Options: ${option}`
}

function allows(source: string, panel: string, site: string): boolean {
  if (source === '*') return true
  if (source === "'self'") return panel === site
  const { protocol, host, hostname, port } = new URL(panel)
  const [, scheme, rest = ''] = /^(?:([a-z][a-z\d+.-]*:)(?:\/\/)?)?(.*)$/i.exec(source) ?? []
  if (scheme !== undefined && scheme.toLowerCase() !== protocol) return false
  if (rest === '' || rest === host) return true
  const [name = '', allowedPort] = rest.replace(/\/$/, '').split(':')
  const isName = name.startsWith('*.') ? hostname.endsWith(name.slice(1)) : name === hostname
  return isName && (allowedPort === undefined ? port === '' : allowedPort === '*' || allowedPort === port)
}
