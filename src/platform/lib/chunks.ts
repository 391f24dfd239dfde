const usual = 500

/** Statements have room for so many values only. */
export function* chunks<Item>(items: readonly Item[], size = usual): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
