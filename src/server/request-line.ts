import { createId } from '../platform/lib/id.ts'

/** A prefix for this process and a counter: unique, short and cheap. */
export function requestIds(): () => string {
  const prefix = createId(8)
  let count = 0
  return () => `${prefix}-${(count++).toString(36)}`
}

/** Accepts the absolute form (`GET http://host/path`), which is meant for proxies; `Host` determines the host. */
export function pathOf(target: string): string {
  const path = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '') || '/'
  return spareSlash.test(path) ? withoutSpareSlashes(path) : path
}

const spareSlash = /^[^?#]*?(?:\/\/|[^/]\/(?:[?#]|$))/

/** `/api//site/` → `/api/site`. Only below `/api`, and not in the Authentication group, whose paths are strict. */
function withoutSpareSlashes(path: string): string {
  const [, before, rest] = /^([^?#]*)(.*)$/s.exec(path)!
  const plain = before!.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
  return /\/api\/(?!auth(?:\/|$))/.test(plain) ? plain + rest! : path
}

/** For clients that can only send POST. Never in the Authentication group. */
export function overriddenMethod(
  method: string,
  url: string,
  headers: NodeJS.Dict<string | string[]>,
  auth: string,
): string {
  const override = headers['x-http-method-override']
  if (method !== 'POST' || typeof override !== 'string' || `${url}/`.startsWith(`${auth}/`)) return method
  const upper = override.toUpperCase()
  return upper === 'PATCH' || upper === 'DELETE' ? upper : method
}

/** Whether a path matches the pattern of a route. */
export function matches(pattern: string, path: string): boolean {
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1))
  const parts = pattern.split('/')
  const segments = path.split('/')
  return (
    parts.length === segments.length &&
    parts.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
  )
}
