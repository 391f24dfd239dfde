/** Query parameters as they came: a name may occur once or several times. */
export type FlatQuery = Record<string, string | string[]>

const bracket = /^([^[\]]+)(?:\[\]|\[([^[\]]+)\](\[\])?)$/

/** `select[]=a&select[]=b` → `{ select: ['a', 'b'] }`; `select[role]=compact` → `{ select: { role: 'compact' } }`. */
export function nestQuery(flat: FlatQuery): Record<string, unknown> {
  const nested: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [name, value] of Object.entries(flat)) {
    const [, root, key, list] = bracket.exec(name) ?? []
    if (root === undefined) nested[name] = value
    else if (key === undefined) nested[root] = [value].flat()
    else {
      const group = (typeof nested[root] === 'object' ? nested[root] : {}) as Record<string, unknown>
      group[key] = list === undefined ? value : [value].flat()
      nested[root] = group
    }
  }
  return nested
}
