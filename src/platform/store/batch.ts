import type { Store } from './store.ts'

const maxAtOnce = 4
const maxKeys = 100

interface Waiting<Row> {
  key: string
  resolve: (row: Row | undefined) => void
  reject: (error: unknown) => void
}

/**
 * Rows that are requested at the same time are read by one statement: over a network the round trip takes longer than
 * the query. The source is the store, or the request if its rows depend on the caller. A row is never stale, because the statement is sent after the request for it.
 */
export function batched<Row, Source extends object = Store>(
  load: (source: Source, keys: string[]) => Promise<Row[]> | Row[],
  keyOf: (row: Row) => string,
): (source: Source, key: string) => Promise<Row | undefined> {
  const queues = new WeakMap<Source, (waiting: Waiting<Row>) => void>()
  return (source, key) => {
    let ask = queues.get(source)
    if (!ask) {
      ask = createBatch(keys => load(source, keys), keyOf)
      queues.set(source, ask)
    }
    return new Promise((resolve, reject) => ask({ key, resolve, reject }))
  }
}

function createBatch<Row>(load: (keys: string[]) => Promise<Row[]> | Row[], keyOf: (row: Row) => string) {
  const waiting: Waiting<Row>[] = []
  let running = 0
  let scheduled = false

  function schedule(): void {
    if (scheduled || waiting.length === 0 || running >= maxAtOnce) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      void run(waiting.splice(0, maxKeys))
      schedule()
    })
  }

  async function run(batch: Waiting<Row>[]): Promise<void> {
    running++
    try {
      const rows = await load([...new Set(batch.map(({ key }) => key))])
      const found = new Map(rows.map(row => [keyOf(row), row]))
      for (const { key, resolve } of batch) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      running--
      schedule()
    }
  }

  return (one: Waiting<Row>) => {
    waiting.push(one)
    schedule()
  }
}
