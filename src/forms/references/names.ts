import { knownReferences } from '../../blueprints/fields/pickers.ts'
import { namesInTags } from '../../content/ids/own-files.ts'

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
    return (
      namesInTags(text).some(name => names.has(name.toLowerCase())) ||
      (isList(text) && listIn(text).some(name => names.has(name)))
    )
  })
}

const isList = (text: string) => text.length < 100_000 && (/^\s*-\s/.test(text) || !text.includes('\n'))
const listIn = (text: string) => knownReferences(text).map(name => name.toLowerCase())
