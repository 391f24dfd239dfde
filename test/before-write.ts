import type { App } from '../src/app.ts'

/**
 * Runs `request` with a change that is committed before each of its transactions, so after everything that it reads
 * before them. The change must be idempotent.
 */
export async function withChangeBeforeWrites<Answer>(
  { store }: App,
  change: () => Promise<unknown>,
  request: () => Promise<Answer>,
): Promise<Answer> {
  const write = store.write.bind(store)
  store.write = async (...parameters) => {
    await change()
    return write(...parameters)
  }
  try {
    return await request()
  } finally {
    store.write = write
  }
}
