const defaultSize = 500

/** Splits a list, because a statement takes a limited number of parameters. */
export function* chunks<Item>(items: readonly Item[], size = defaultSize): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
