/** Keeps the results for the keys that were used last; what is not asked for falls out. */
export interface Memo<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
}

export function createMemo<Value>(most: number): Memo<Value> {
  let [young, old] = [new Map<string, Value>(), new Map<string, Value>()]

  function set(key: string, value: Value): void {
    if (young.size >= most / 2) [young, old] = [new Map(), young]
    young.set(key, value)
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
