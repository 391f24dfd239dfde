import type { App } from '../../../app.ts'

/** Whether the front end can be shown in a frame of the panel, and the header that forbids it. */
export interface FrameCheck {
  frame: 'allowed' | 'refused' | 'unreachable'
  header: string | null
}

const timeoutMs = 5000

/** Requests the address of the site. Only its headers are looked at; redirects of the same site are followed. */
export async function checkFrame({ config }: App, url: string): Promise<FrameCheck> {
  let headers: Headers
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), headers: { accept: 'text/html' } })
    headers = response.headers
    await response.body?.cancel()
  } catch {
    return { frame: 'unreachable', header: null }
  }
  const header = refusalIn(headers, new URL(config.url).origin, new URL(url).origin)
  return { frame: header === undefined ? 'allowed' : 'refused', header: header ?? null }
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
  const [name = '', wanted] = rest.replace(/\/$/, '').split(':')
  const isName = name.startsWith('*.') ? hostname.endsWith(name.slice(1)) : name === hostname
  return isName && (wanted === undefined ? port === '' : wanted === '*' || wanted === port)
}
