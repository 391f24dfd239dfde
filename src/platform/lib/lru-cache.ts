/** A cache that keeps the most recently used keys and drops the others. */
export interface LruCache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
}

/**
 * `limit` limits the number of entries or, with `weigh`, their total weight. There are two generations: when the young
 * one has half of the weight it becomes the old one, and the former old one is dropped. That needs no list of uses.
 */
export function createLruCache<Value>(
  limit: number,
  sizeOf: (key: string, value: Value) => number = () => 1,
): LruCache<Value> {
  let [young, old] = [new Map<string, Value>(), new Map<string, Value>()]
  let weight = 0

  const weightOf = (key: string, value: Value | undefined) => (value === undefined ? 0 : sizeOf(key, value))

  function remove(key: string): void {
    weight -= weightOf(key, young.get(key))
    young.delete(key)
    old.delete(key)
  }

  function set(key: string, value: Value): void {
    const added = sizeOf(key, value)
    if (added > limit / 4) return remove(key)
    weight += added - weightOf(key, young.get(key))
    if (weight > limit / 2) {
      ;[young, old] = [new Map(), young]
      weight = added
    }
    young.set(key, value)
  }
  return {
    get(key) {
      const recent = young.get(key)
      if (recent !== undefined) return recent
      const value = old.get(key)
      if (value !== undefined) set(key, value)
      return value
    },
    set,
    delete: remove,
  }
}
