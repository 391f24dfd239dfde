/** In characters. References, search index and history of a content of this size are written in a few milliseconds. */
const maxCharacters = 50_000
/** Entries of a sent list. */
const maxEntries = 1000

/** Whether writing these values would block the event loop on SQLite. */
export function isLarge(values: Readonly<Record<string, unknown>>): boolean {
  let characters = 0
  for (const name in values) {
    const value = values[name]
    if (typeof value === 'string') characters += value.length
    else if (Array.isArray(value) && value.length > maxEntries) return true
  }
  return characters > maxCharacters
}
