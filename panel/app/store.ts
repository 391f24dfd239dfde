import { useSyncExternalStore } from 'react'

/** A value outside of React that components can subscribe to. */
export interface Store<Value> {
  get: () => Value
  set: (value: Value) => void
  use: () => Value
  /** Returns the function that unsubscribes. */
  subscribe: (listener: () => void) => () => void
}

export function createStore<Value>(initial: Value): Store<Value> {
  let current = initial
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const get = () => current
  return {
    get,
    set(value) {
      current = value
      for (const listener of listeners) listener()
    },
    use: () => useSyncExternalStore(subscribe, get),
    subscribe,
  }
}
