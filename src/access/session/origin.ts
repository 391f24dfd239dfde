/** What a request says about where it comes from. */
export interface OriginQuestion {
  method: string
  site: string | undefined
  mode: string | undefined
  dest: string | undefined
  origin: string | undefined
  /** Our own origins, exact scheme, host and port. */
  own: ReadonlySet<string>
  bearer: boolean
  cookie: boolean
  /** Whether `X-CSRF` belongs to the session cookie. */
  token: boolean
  /** Nothing is lost if a program without a browser forgets the token. */
  logout: boolean
}

const safe = new Set(['GET', 'HEAD', 'OPTIONS'])

export function isUnsafe(method: string): boolean {
  return !safe.has(method)
}

/** True if the request may go on. A pure function: the whole defence against other sites in one place. */
export function comesFromHere(question: OriginQuestion): boolean {
  const { method, site, mode, dest, origin, own, bearer, cookie, token, logout } = question
  if (bearer) return true // no browser adds this header by itself, and the cookie is ignored
  if (!isUnsafe(method)) {
    const embedded = dest !== undefined && dest !== 'empty' && dest !== 'document'
    return !embedded && !(site === 'cross-site' && mode === 'no-cors')
  }
  if (site === 'same-origin') return true
  if (origin !== undefined) return own.has(canonical(origin))
  if (site !== undefined) return false
  return !cookie || logout || token // no browser of today: curl, a script, a server
}

/** Host names have no case; everything else is compared as it is. */
function canonical(origin: string): string {
  return /^https?:\/\/[^/?#@\\\s]+$/i.test(origin) ? origin.toLowerCase() : origin
}
