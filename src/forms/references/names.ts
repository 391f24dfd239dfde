import { knownReferences } from '../../blueprints/fields/pickers.ts'

/**
 * Whether stored content refers to a file by filename or id, as the content of its parent may: `(image: coast.jpg)`,
 * or a list of files. `id` is the id of the parent with the filename.
 */
export function isNamedIn(data: string, { filename, id }: { filename: string; id: string }): boolean {
  const names = new Set([filename.toLowerCase(), id.toLowerCase()])
  if (![...names].some(name => data.toLowerCase().includes(name))) return false
  const content = JSON.parse(data) as Record<string, unknown>
  return Object.values(content).some(value => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return tagsIn(text).some(name => names.has(name)) || (isList(text) && listIn(text).some(name => names.has(name)))
  })
}

/** Filenames in KirbyTags: `(image: coast.jpg alt: The coast)` → `coast.jpg`. */
function tagsIn(text: string): string[] {
  return [...text.matchAll(/\((?:image|file|video|audio|gallery)\s*:\s*([^\s()]+)/gi)].map(([, name]) =>
    name!.toLowerCase(),
  )
}

const isList = (text: string) => text.length < 100_000 && (/^\s*-\s/.test(text) || !text.includes('\n'))
const listIn = (text: string) => knownReferences(text).map(name => name.toLowerCase())
