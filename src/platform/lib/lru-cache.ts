/** A cache that keeps the most recently used keys and drops the others. */
export interface LruCache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
}

/** `limit` limits the number of entries or, with `weigh`, their total weight. */
export function createLruCache<Value>(
  limit: number,
  weigh: (key: string, value: Value) => number = () => 1,
): LruCache<Value> {
  let [young, old] = [new Map<string, Value>(), new Map<string, Value>()]
  let weight = 0

  function set(key: string, value: Value): void {
    const own = weigh(key, value)
    if (own > limit / 4) return
    if (weight + own > limit / 2) {
      ;[young, old] = [new Map(), young]
      weight = 0
    }
    young.set(key, value)
    weight += own
  }
  return {
    get(key) {
      const value = young.get(key) ?? old.get(key)
      if (value !== undefined && !young.has(key)) set(key, value)
      return value
    },
    set,
    delete(key) {
      young.delete(key)
      old.delete(key)
    },
  }
}
