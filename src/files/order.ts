/** What of a name is kept beside it: by what it is found, and by what it is sorted. */
export function namesOf(filename: string): { name_key: string; name_order: string } {
  const name_key = filename.toLowerCase()
  return { name_key, name_order: naturalKey(name_key) }
}

/** What the order of files is made of. */
interface Ordered {
  name_key: string
  sort: number | null
}

/** Digits count as numbers: `shot-9` comes before `shot-10`. */
export function naturalKey(name: string): string {
  return name.replaceAll(/\d+/g, digits => {
    const number = digits.replace(/^0+(?=\d)/, '')
    return String(number.length).padStart(3, '0') + number
  })
}

const keys = new WeakMap<object, string>()

function keyOf(file: Ordered): string {
  let key = keys.get(file)
  if (key === undefined) keys.set(file, (key = naturalKey(file.name_key)))
  return key
}

function compareNames(a: Ordered, b: Ordered): number {
  const [one, other] = [keyOf(a), keyOf(b)]
  return one < other ? -1 : one > other ? 1 : a.name_key < b.name_key ? -1 : 1
}

/** By their names. */
export function byName<File extends Ordered>(files: readonly File[]): File[] {
  return files.toSorted(compareNames)
}

/** As somebody has sorted them; what nobody has sorted comes first, by name. */
export function inOrder<File extends Ordered>(files: readonly File[]): File[] {
  return files.toSorted((a, b) => (a.sort ?? -Infinity) - (b.sort ?? -Infinity) || compareNames(a, b))
}
