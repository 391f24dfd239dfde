/** A cache that keeps the most recently used keys and drops the others. */
export interface LruCache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
}

/**
 * `limit` is the maximum number of entries or, with `sizeOf`, of their total size. An entry larger than a quarter of it
 * is not kept. There are two generations: when the young one has reached half of the limit it becomes the old one, and
 * the former old one is dropped. That needs no list of uses.
 */
export function createLruCache<Value>(
  limit: number,
  sizeOf: (key: string, value: Value) => number = () => 1,
): LruCache<Value> {
  let [young, old] = [new Map<string, Value>(), new Map<string, Value>()]
  let youngSize = 0

  function removeYoung(key: string): void {
    const value = young.get(key)
    if (value === undefined) return
    youngSize -= sizeOf(key, value)
    young.delete(key)
  }

  function remove(key: string): void {
    removeYoung(key)
    old.delete(key)
  }

  function set(key: string, value: Value): void {
    const size = sizeOf(key, value)
    if (size > limit / 4) return remove(key)
    removeYoung(key)
    if (youngSize + size > limit / 2) {
      ;[young, old] = [new Map(), young]
      youngSize = 0
    }
    young.set(key, value)
    youngSize += size
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
