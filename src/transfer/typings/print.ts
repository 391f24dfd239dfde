/** The TypeScript types that blueprints need. A string is printed unchanged. */
export type Type = string | { members: readonly Member[] } | { union: readonly string[] } | { list: Type } | Generic

interface Generic {
  name: string
  of: Type
}

export interface Member {
  name: string
  type: Type
  optional?: boolean
}

const width = 120
const indentOf = (depth: number) => '  '.repeat(depth)

/** Prints the members of an interface or object, one per line, sorted by name. */
export function printMembers(members: readonly Member[], depth: number): string {
  return members
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(member => `${printMember(member, depth)}\n`)
    .join('')
}

function printMember({ name, type, optional = false }: Member, depth: number): string {
  const start = `${indentOf(depth)}${isPlain(name) ? name : quoted(name)}${optional ? '?' : ''}:`
  const line = `${start} ${print(type, depth)}`
  if (typeof type === 'string' || line.length <= width) return line
  if ('union' in type) return `${start}${alternatives(type.union, depth + 1)}`
  const [before, inner, after] = 'of' in type ? [`${type.name}<`, type.of, '>'] : ['', type, '']
  if (typeof inner === 'object' && 'list' in inner && typeof inner.list === 'object' && 'union' in inner.list)
    return `${start} ${before}(${alternatives(inner.list.union, depth + 1)}\n${indentOf(depth)})[]${after}`
  return line
}

const alternatives = (union: readonly string[], depth: number) =>
  union.map(one => `\n${indentOf(depth)}| ${one}`).join('')

function print(type: Type, depth: number): string {
  if (typeof type === 'string') return type
  if ('union' in type) return type.union.length === 0 ? 'never' : type.union.join(' | ')
  if ('members' in type) {
    if (type.members.length === 0) return 'Record<string, never>'
    return `{\n${printMembers(type.members, depth + 1)}${indentOf(depth)}}`
  }
  if ('list' in type) {
    const item = print(type.list, depth)
    return typeof type.list === 'object' && 'union' in type.list && type.list.union.length > 1
      ? `(${item})[]`
      : `${item}[]`
  }
  const inner = print(type.of, depth)
  if (!inner.includes('\n') || isMembers(type.of)) return `${type.name}<${inner}>`
  return `${type.name}<\n${indentOf(depth + 1)}${print(type.of, depth + 1)}\n${indentOf(depth)}>`
}

const isMembers = (type: Type) => typeof type === 'object' && 'members' in type

export const isPlain = (name: string) => /^[a-z_$][\w$]*$/i.test(name)

/** A string literal. Strings from blueprints are untrusted and must be escaped. */
export function quoted(text: string): string {
  const inner = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
  if (!inner.includes("'")) return `'${inner}'`
  return inner.includes('"') ? `'${inner.replaceAll("'", String.raw`\'`)}'` : `"${inner}"`
}
