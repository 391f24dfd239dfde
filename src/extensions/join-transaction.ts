import type { App } from '../app.ts'
import type { Store, Tx } from '../platform/store/store.ts'

/**
 * The app for one operation, whose transaction also runs `within`, after its own statements: either all is committed or
 * nothing. Operations make their change in one transaction, so the first that is no preparation is the one.
 */
export function joinTransaction(
  app: App,
  within: (tx: Tx) => Promise<void>,
): { app: App; /** For an operation that had nothing to write. */ finish(): Promise<void> } {
  const { store } = app
  let isCommitted = false
  const write: Store['write'] = async (work, options) => {
    if (isCommitted || options?.isPreparation) return store.write(work, options)
    const value = await store.write(async tx => {
      const result = await work(tx)
      await within(tx)
      return result
    }, options)
    isCommitted = true
    return value
  }
  return {
    app: { ...app, store: { ...store, write } },
    finish: async () => {
      if (!isCommitted) await store.write(within)
    },
  }
}
