import { createId } from '../platform/lib/id.ts'

/** A prefix for this process and a counter: unique, short and cheap. */
export function requestIds(): () => string {
  const prefix = createId(8)
  let count = 0
  return () => `${prefix}-${(count++).toString(36)}`
}

/** The form with a whole address in it is for proxies; who the request is for is said by `Host`. */
export function pathOf(target: string): string {
  const path = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '') || '/'
  return spareSlash.test(path) ? withoutSpareSlashes(path) : path
}

const spareSlash = /^[^?#]*?(?:\/\/|[^/]\/(?:[?#]|$))/

/** `/api//site/` is `/api/site`. Only below `/api`; the paths of the Authentication group are taken as they are. */
function withoutSpareSlashes(path: string): string {
  const [, before, rest] = /^([^?#]*)(.*)$/s.exec(path)!
  const plain = before!.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
  return /\/api\/(?!auth(?:\/|$))/.test(plain) ? plain + rest! : path
}

/** For clients that can only POST. Never inside the Authentication group. */
export function overriddenMethod(
  method: string,
  url: string,
  headers: NodeJS.Dict<string | string[]>,
  auth: string,
): string {
  const wanted = headers['x-http-method-override']
  if (method !== 'POST' || typeof wanted !== 'string' || `${url}/`.startsWith(`${auth}/`)) return method
  const upper = wanted.toUpperCase()
  return upper === 'PATCH' || upper === 'DELETE' ? upper : method
}

/** Whether an address fits the pattern of a route. */
export function matches(pattern: string, path: string): boolean {
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1))
  const wanted = pattern.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]))
  )
}
