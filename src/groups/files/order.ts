/** Stored with the name: the key for lookups, and the key for sorting. */
export function namesOf(filename: string): { name_key: string; name_order: string } {
  const name_key = filename.toLowerCase()
  return { name_key, name_order: naturalKey(name_key) }
}

/** Natural order: `shot-9` comes before `shot-10`. */
function naturalKey(name: string): string {
  return name.replaceAll(/\d+/g, digits => {
    const number = digits.replace(/^0+(?=\d)/, '')
    return String(number.length).padStart(3, '0') + number
  })
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Sorts by name. Computes each key once. */
export function byName<Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] {
  const named = items.map(item => ({ item, name: nameOf(item), key: naturalKey(nameOf(item)) }))
  return named.toSorted((a, b) => compare(a.key, b.key) || compare(a.name, b.name)).map(({ item }) => item)
}

interface Ordered {
  name_key: string
  sort: number | null
}

/** Sorts by sort number; files without one come first, by name. */
export function inOrder<File extends Ordered>(files: readonly File[]): File[] {
  const named = byName(files, ({ name_key }) => name_key)
  return named.toSorted((a, b) => (a.sort ?? -Infinity) - (b.sort ?? -Infinity) || 0)
}
