import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Logger } from 'pino'
import type { Settings } from '../platform/config.ts'
import { createLog } from '../platform/log.ts'
import { type WorkerMessage, workerVariable } from '../platform/worker.ts'
import { siteConfig } from './site-config.ts'
import type { StartOptions } from './start.ts'
import type { ExitCode, Terminal } from './terminal.ts'

/** How long workers may take to answer a question of another one, in ms. */
const answerTimeoutMs = 1000
/** How long to wait before a worker is replaced that died before it served, in ms. */
const restartDelayMs = 1000

/** Serves the site with several processes until it receives a signal. */
export async function startWorkers(
  site: string,
  count: number,
  options: StartOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const settings = { ...options }
  delete settings.json
  const config = await siteConfig(site, terminal, settings satisfies Settings)
  return superviseWorkers(count, createLog(config))
}

/**
 * Supervises processes that serve the same port. A worker that dies is replaced; SIGHUP replaces all of them one after
 * the other, other signals stop them. Returns the exit code when all have stopped.
 */
async function superviseWorkers(count: number, log: Logger): Promise<ExitCode> {
  // Workers accept connections themselves: with the default, a connection that is being handed to a worker when that is
  // killed hangs without end.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const workers = new Map<number, Worker>()
  const forward = createForwarder(() => Object.values(cluster.workers ?? {}) as Worker[])
  const stopping = new AbortController()
  let restarting: Promise<void> | undefined

  function fork(number: number, suffix = ''): Worker {
    const worker = cluster.fork({ [workerVariable]: `${number}/${count}${suffix}` })
    worker.on('message', (message: WorkerMessage) => forward(worker, message))
    return worker
  }

  /** Replaces the worker when it dies, until another one has its number. */
  function supervise(number: number, worker: Worker): void {
    workers.set(number, worker)
    worker.once('exit', (code, signal) => {
      if (stopping.signal.aborted || workers.get(number) !== worker) return
      log.error({ worker: number, code, signal }, 'a worker died and is replaced')
      void replace(number)
    })
  }

  async function replace(number: number): Promise<void> {
    while (!stopping.signal.aborted) {
      const worker = fork(number)
      if (await hasServed(worker)) return supervise(number, worker)
      if (stopping.signal.aborted) return
      log.error({ worker: number }, 'a worker could not start, and is started again')
      await new Promise(resolve => setTimeout(resolve, restartDelayMs))
    }
  }

  /** A worker goes on serving until the one that replaces it serves. */
  async function restart(): Promise<void> {
    for (const [number, former] of workers) {
      const worker = fork(number)
      if (!(await hasServed(worker)))
        return log.error(
          { worker: number },
          'a worker could not start: the restart ends here, the others go on serving',
        )
      supervise(number, worker)
      former.process.kill('SIGTERM')
      if (!former.isDead()) await once(former, 'exit')
      if (stopping.signal.aborted) return
    }
    log.info('all workers were restarted')
  }

  function stop(signal: NodeJS.Signals): void {
    stopping.abort()
    for (const worker of Object.values(cluster.workers ?? {})) worker!.process.kill(signal)
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(signal))
  process.on('SIGHUP', () => {
    if (process.stdout.isTTY) stop('SIGINT') // the terminal was closed
    else restarting = (restarting ?? Promise.resolve()).then(restart)
  })

  // The first one migrates the store, and fills it if it is empty.
  const first = fork(1, '/first')
  if (!(await hasServed(first))) return first.process.exitCode === 2 ? 2 : 1
  supervise(1, first)
  for (let number = 2; number <= count; number++) void replace(number)
  await untilAllExit(stopping.signal)
  return 0
}

/** False if it has ended before it could serve. */
async function hasServed(worker: Worker): Promise<boolean> {
  const ended = new AbortController()
  const { signal } = ended
  try {
    return await Promise.race([
      once(worker, 'listening', { signal }).then(() => true),
      once(worker, 'exit', { signal }).then(() => false),
    ])
  } finally {
    ended.abort()
  }
}

function untilAllExit(stopping: AbortSignal): Promise<void> {
  return new Promise(resolve =>
    cluster.on('exit', () => {
      if (stopping.aborted && Object.keys(cluster.workers ?? {}).length === 0) resolve()
    }),
  )
}

/** Forwards questions of a worker to all others, and their answers back to it. */
function createForwarder(allWorkers: () => Worker[]): (from: Worker, message: WorkerMessage) => void {
  const answering = new Map<number, (answer: unknown) => void>()
  let lastId = 0

  async function ask(worker: Worker, question: string): Promise<unknown> {
    const id = ++lastId
    const { promise, resolve } = Promise.withResolvers<unknown>()
    answering.set(id, resolve)
    const giveUp = () => resolve(undefined)
    const timer = setTimeout(giveUp, answerTimeoutMs)
    worker.once('exit', giveUp)
    worker.send({ type: 'question', id, question } satisfies WorkerMessage, () => {})
    const answer = await promise
    clearTimeout(timer)
    worker.off('exit', giveUp)
    answering.delete(id)
    return answer
  }

  return (from, message) => {
    if (message.type === 'answer') answering.get(message.id)?.(message.answer)
    if (message.type !== 'ask') return
    const others = allWorkers().filter(worker => worker !== from && worker.isConnected())
    void Promise.all(others.map(other => ask(other, message.question))).then(answers => {
      const given = answers.filter(answer => answer !== undefined)
      if (from.isConnected()) from.send({ type: 'answers', id: message.id, answers: given } satisfies WorkerMessage)
    })
  }
}
