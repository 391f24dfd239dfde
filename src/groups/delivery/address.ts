/** What an address below `/media/` asks for. */
export interface Address {
  kind: 'pages' | 'site' | 'users'
  /** The path of a page or the id of an account; `''` for the site. */
  owner: string
  /** `<10 hex digits>-<seconds>` */
  version: string
  /** Of a file, or of something made from one. */
  name: string
}

const deepest = 50

/** Undefined if it cannot be the address of anything. Parts are taken apart before they are decoded: `%2F` is no slash. */
export function readAddress(path: string): Address | undefined {
  const parts = path.split('/').map(decode)
  if (parts.length > deepest || !parts.every(isPart)) return undefined
  const [kind, ...rest] = parts as string[]
  const name = rest.pop()
  const version = rest.pop()
  const owner = rest.join('/')
  if (name === undefined || version === undefined || !/^[0-9a-f]{10}-\d{1,12}$/.test(version)) return undefined
  const isFit = { pages: rest.length > 0, site: rest.length === 0, users: rest.length === 1 }
  return isKind(kind!, isFit) && isFit[kind] ? { kind, owner, version, name } : undefined
}

const isKind = (kind: string, kinds: Record<Address['kind'], boolean>): kind is Address['kind'] =>
  Object.hasOwn(kinds, kind)

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

/** No name is empty, a way to somewhere else, or longer than any that is taken. */
function isPart(part: string | undefined): boolean {
  // oxlint-disable-next-line no-control-regex
  return part !== undefined && /^(?!\.{1,2}$)[^/\\\u0000-\u001f\u007f]{1,255}$/.test(part)
}
