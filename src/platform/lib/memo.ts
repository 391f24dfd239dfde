/** Keeps the results for the keys that were used last; what is not asked for falls out. */
export interface Memo<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
}

/** `most` is how many there may be, or, where they are weighed, how much all of them may weigh. */
export function createMemo<Value>(most: number, weigh: (key: string, value: Value) => number = () => 1): Memo<Value> {
  let [young, old] = [new Map<string, Value>(), new Map<string, Value>()]
  let weight = 0

  function set(key: string, value: Value): void {
    const own = weigh(key, value)
    if (own > most / 4) return
    if (weight + own > most / 2) {
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
