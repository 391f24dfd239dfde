import type { Store } from './store.ts'

const maxAtOnce = 4
const maxKeys = 100

interface Waiting<Row> {
  key: string
  resolve: (row: Row | undefined) => void
  reject: (error: unknown) => void
}

interface Queue<Row> {
  waiting: Waiting<Row>[]
  running: number
  isScheduled: boolean
}

/**
 * Rows that are requested at the same time are read by one statement: over a network the round trip takes longer than
 * the query. The source is the store, or the request if its rows depend on the caller. A row is never stale, because the statement is sent after the request for it.
 */
export function batched<Row, Source extends object = Store>(
  load: (source: Source, keys: string[]) => Promise<Row[]> | Row[],
  keyOf: (row: Row) => string,
): (source: Source, key: string) => Promise<Row | undefined> {
  const queues = new WeakMap<Source, Queue<Row>>()

  function schedule(source: Source, queue: Queue<Row>): void {
    if (queue.isScheduled || queue.waiting.length === 0 || queue.running >= maxAtOnce) return
    queue.isScheduled = true
    setImmediate(() => void run(source, queue))
  }

  async function run(source: Source, queue: Queue<Row>): Promise<void> {
    const batch = queue.waiting.splice(0, maxKeys)
    queue.isScheduled = false
    queue.running++
    if (queue.waiting.length > 0) schedule(source, queue)
    try {
      const keys = new Set<string>()
      for (const { key } of batch) keys.add(key)
      const found = new Map<string, Row>()
      for (const row of await load(source, [...keys])) found.set(keyOf(row), row)
      for (const { key, resolve } of batch) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    queue.running--
    if (queue.waiting.length > 0) schedule(source, queue)
  }

  return (source, key) => {
    let queue = queues.get(source)
    if (!queue) queues.set(source, (queue = { waiting: [], running: 0, isScheduled: false }))
    const { promise, resolve, reject } = Promise.withResolvers<Row | undefined>()
    queue.waiting.push({ key, resolve, reject })
    schedule(source, queue)
    return promise
  }
}
