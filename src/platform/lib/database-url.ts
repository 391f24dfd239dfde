/**
 * The last `@` before the path ends the credentials, as in every URL parser: what stands before it may be a part of the
 * password, and must not be taken for a host.
 */
const parts = /^([^/]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s

/**
 * The URLs of the hosts in `postgres://a:5432,b/name`, in their order. libpq's `target_session_attrs` is left out: only
 * a primary is used, in any case.
 */
export function databaseUrls(url: string): string[] {
  const [, start = '', hosts = '', rest = ''] = parts.exec(url) ?? []
  const own = rest.replace(/[?&]target_session_attrs=[^&]*/, '').replace(/^([^?&]*)&/, '$1?')
  return hosts.split(',').map(host => `${start}${host}${own}`)
}

/** Undefined if the URL can be used, otherwise what is wrong with it. */
export function problemOfDatabaseUrl(url: string): string | undefined {
  if (!/^postgres(?:ql)?:\/\//.test(url)) return 'must start with postgres://'
  const [, , hosts = '', rest = ''] = parts.exec(url) ?? []
  if (hosts.includes(',') && rest.includes('@'))
    return 'must have %2F, %3F and %23 instead of /, ? and # in the password, and %40 instead of @ after the hosts'
  const target = /[?&]target_session_attrs=([^&]*)/.exec(url)?.[1]
  if (target !== undefined && target !== 'read-write' && target !== 'primary')
    return 'must not ask for a standby: target_session_attrs can be read-write or primary'
  return undefined
}
