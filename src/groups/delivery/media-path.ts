/** A parsed URL below `/media/`. */
export interface MediaPath {
  kind: 'pages' | 'site' | 'users'
  /** The path of a page or the id of an account; `''` for the site. */
  owner: string
  /** `<10 hex digits>-<seconds>` */
  version: string
  /** The name of a file or of a thumbnail. */
  name: string
}

const maxSegments = 50

/** Undefined if the path is malformed. It is split before it is decoded, so that `%2F` is no separator. */
export function parseMediaPath(path: string): MediaPath | undefined {
  const parts = path.split('/').map(decode)
  if (parts.length > maxSegments || !parts.every(isPart)) return undefined
  const [kind, ...rest] = parts as string[]
  const name = rest.pop()
  const version = rest.pop()
  const owner = rest.join('/')
  if (name === undefined || version === undefined || !/^[0-9a-f]{10}-\d{1,12}$/.test(version)) return undefined
  const isValid = { pages: rest.length > 0, site: rest.length === 0, users: rest.length === 1 }
  return isKind(kind!, isValid) && isValid[kind] ? { kind, owner, version, name } : undefined
}

const isKind = (kind: string, kinds: Record<MediaPath['kind'], boolean>): kind is MediaPath['kind'] =>
  Object.hasOwn(kinds, kind)

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

/** Refuses empty parts, `.` and `..`, separators, control characters and parts longer than 255 characters. */
function isPart(part: string | undefined): boolean {
  // oxlint-disable-next-line no-control-regex
  return part !== undefined && /^(?!\.{1,2}$)[^/\\\u0000-\u001f\u007f]{1,255}$/.test(part)
}
