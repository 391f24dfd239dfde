/** The id as in URLs: `notes/first` → `notes+first`. */
export const toId = (path: string): string => path.replaceAll('/', '+')

export const toPath = (id: string): string => id.replaceAll('+', '/')

/** The id of the parent: `notes+first` → `notes`; undefined at the top level. */
export function parentId(id: string): string | undefined {
  const index = id.lastIndexOf('+')
  return index < 0 ? undefined : id.slice(0, index)
}
