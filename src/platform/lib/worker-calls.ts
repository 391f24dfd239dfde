import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads'

/** Requests to a worker thread and their results, which may come in any order. */
export interface WorkerCalls<Request extends object, Result> {
  call(request: Request): Promise<Result>
  close(): Promise<void>
}

interface Answer<Result> {
  id: number
  result?: Result
  problem?: { message: string; code: string | undefined; errcode: number | undefined }
}

interface Options extends WorkerOptions {
  /** Called once, when the thread takes no more requests. */
  onEnd: () => void
  /** The thread ends after this idle time, in ms, if `isIdle` agrees. */
  idleMs?: number
  /** Whether the thread may end now, e.g. because no transaction is open. */
  isIdle?: () => boolean
}

/** Starts a worker thread that keeps the process alive only while it is busy. */
export function openWorkerThread<Request extends object, Result>(
  file: string | URL,
  { onEnd, idleMs = 10_000, isIdle = () => true, ...options }: Options,
): WorkerCalls<Request, Result> {
  const waiting = new Map<number, { resolve: (result: Result) => void; reject: (error: Error) => void }>()
  const worker = new Worker(new URL(file), options)
  let last = 0
  let isOver = false
  let idle: NodeJS.Timeout | undefined

  function end(error?: Error): void {
    // Only once: its successor may be running when this thread exits.
    if (!isOver) onEnd()
    isOver = true
    for (const { reject } of waiting.values()) reject(error ?? new Error('the worker thread has ended'))
    waiting.clear()
  }

  async function close(): Promise<void> {
    end()
    await worker.terminate()
  }

  function endWhenIdle(): void {
    idle = setTimeout(() => (isIdle() ? void close() : endWhenIdle()), idleMs).unref()
  }

  worker.unref()
  worker.on('message', ({ id, result, problem }: Answer<Result>) => {
    const request = waiting.get(id)
    if (!request) return // rejected by `close`
    const { resolve, reject } = request
    waiting.delete(id)
    if (waiting.size === 0) {
      worker.unref()
      endWhenIdle()
    }
    if (problem) reject(Object.assign(new Error(problem.message), problem))
    else resolve(result as Result)
  })
  worker.on('error', end)
  worker.on('exit', () => end())

  return {
    call: request =>
      new Promise((resolve, reject) => {
        clearTimeout(idle)
        waiting.set(++last, { resolve, reject })
        worker.ref()
        worker.postMessage({ id: last, ...request }) // oxlint-disable-line unicorn/require-post-message-target-origin
      }),
    close,
  }
}

// ---- runs in the thread

/** Answers a request: what `call` sent, and its `id`. */
export function sendResult(id: number, result?: unknown): void {
  parentPort!.postMessage({ id, result } satisfies Answer<unknown>) // oxlint-disable-line unicorn/require-post-message-target-origin
}

export function sendProblem(id: number, error: unknown): void {
  const { message, code, errcode } = error as NodeJS.ErrnoException & { errcode?: number }
  parentPort!.postMessage({ id, problem: { message, code, errcode } } satisfies Answer<unknown>) // oxlint-disable-line unicorn/require-post-message-target-origin
}
