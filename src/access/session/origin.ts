/**
 * The headers of a request that show where it comes from, and its credentials. `site`, `mode` and `dest` are
 * `Sec-Fetch-*`.
 */
export interface OriginCheck {
  method: string
  site: string | undefined
  mode: string | undefined
  dest: string | undefined
  origin: string | undefined
  /** The origins of the site and of `api.cors`: exact scheme, host and port. */
  trustedOrigins: ReadonlySet<string>
  bearer: boolean
  cookie: boolean
  /** Whether `X-CSRF` matches the session cookie. */
  csrfToken: boolean
  /** The endpoint accepts a session cookie without `X-CSRF` from clients that are not browsers (sign-out). */
  withoutCsrfToken: boolean
}

const safe = new Set(['GET', 'HEAD', 'OPTIONS'])

export function isUnsafe(method: string): boolean {
  return !safe.has(method)
}

/**
 * True if the request passes the CSRF check. A pure function, so that the whole defence against cross-site requests is
 * in one place.
 */
export function passesCsrfCheck(request: OriginCheck): boolean {
  const { method, site, mode, dest, origin, trustedOrigins, bearer, cookie, csrfToken, withoutCsrfToken } = request
  if (bearer) return true // browsers never add this header by themselves, and the cookie is ignored
  if (!isUnsafe(method)) {
    const embedded = dest !== undefined && dest !== 'empty' && dest !== 'document'
    return !embedded && !(site === 'cross-site' && mode === 'no-cors')
  }
  if (site === 'same-origin') return true
  if (origin !== undefined) return trustedOrigins.has(canonical(origin))
  if (site !== undefined) return false
  return !cookie || withoutCsrfToken || csrfToken // not a current browser: curl, a script, a server
}

/** Host names are case-insensitive; anything that is not a plain origin is compared as it is. */
function canonical(origin: string): string {
  return /^https?:\/\/[^/?#@\\\s]+$/i.test(origin) ? origin.toLowerCase() : origin
}
