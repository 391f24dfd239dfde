/** As addresses have it: `notes/first` → `notes+first`. */
export const toId = (path: string): string => path.replaceAll('/', '+')

export const toPath = (id: string): string => id.replaceAll('+', '/')

/** What is above it: `notes+first` → `notes`; nothing at the top. */
export function parentId(id: string): string | undefined {
  const at = id.lastIndexOf('+')
  return at < 0 ? undefined : id.slice(0, at)
}
