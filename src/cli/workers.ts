import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { type LogSettings, type WorkerMessage, workerVariable } from '../platform/worker-process.ts'
import { isWrapped, whenOrphaned } from './orphan.ts'
import type { ExitCode, Terminal } from './terminal.ts'
import { createTurns } from './turns.ts'

/** How long workers may take to answer a question of another one, in ms. */
const answerTimeoutMs = 1000
/** How long to wait before a worker is started again that could not start or died soon, in ms; twice as long each time. */
const restartDelayMs = 1000
const maxDelayMs = 30_000
const shortLifeMs = 10_000
/** How long the turn of a worker counts, in ms. A password hash takes about 50. */
const maxTurnMs = 2000

/**
 * Serves the site with several processes until it receives a signal: supervises processes that serve the same port. A
 * worker that dies is replaced; SIGHUP replaces all of them one after the other, other signals stop them. Resolves when
 * all have stopped.
 *
 * It loads next to nothing, to stay small: the first worker reads the settings, and reports mistakes in them.
 */
export async function startWorkers(count: number, { env }: Terminal): Promise<ExitCode> {
  const log = createLazyLog()
  // Workers accept connections themselves: with the default, a connection that is being handed to a worker when that is
  // killed hangs without end.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  /** Those that serve, by number. One that is being replaced is no longer among them. */
  const workers = new Map<number, Worker>()
  const processes = new Set<Worker>()
  const forward = createForwarder(() => [...workers.values()])
  const hashing = createTurns<Worker>(Math.max(1, availableParallelism() - 1), maxTurnMs)
  const stopping = new AbortController()
  const ended = Promise.withResolvers<void>()
  /** One change at a time for each number. */
  const turns = new Map<number, Promise<void>>()
  /** Of the supervisor, if the first worker cannot start: it has logged why. */
  let exitCode: ExitCode = 1

  /** Undefined if the process ends before it is ready. */
  async function launch(number: number, suffix = ''): Promise<Worker | undefined> {
    if (stopping.signal.aborted) return undefined
    const worker = cluster.fork({ [workerVariable]: `${number}/${count}${suffix}` })
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const forget = (code?: number | null) => {
      if (code === 2) exitCode = 2
      processes.delete(worker)
      hashing.endAll(worker)
      resolve(false)
      endIfStopped()
    }
    processes.add(worker)
    worker.once('exit', forget)
    worker.on('error', error => {
      log.error({ worker: number, err: error }, 'a worker cannot be reached')
      if (worker.process.pid === undefined) forget() // it could not be created
    })
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'ready') {
        log.settings = message.log
        resolve(true)
      } else if (message.type === 'requestTurn') {
        hashing.request(worker, message.id, () => tell(worker, { type: 'startTurn', id: message.id }))
      } else if (message.type === 'endTurn') hashing.end(worker, message.id)
      else forward(worker, message)
    })
    if (!(await promise)) return undefined
    supervise(number, worker)
    return worker
  }

  function supervise(number: number, worker: Worker): void {
    const since = performance.now()
    workers.set(number, worker)
    worker.once('exit', (code, signal) => {
      if (workers.get(number) !== worker) return // it has a successor
      workers.delete(number)
      if (stopping.signal.aborted) return
      log.error({ worker: number, code, signal }, 'a worker died and is replaced')
      void runInOrder(number, () => replace(number, performance.now() - since < shortLifeMs ? restartDelayMs : 0))
    })
  }

  async function replace(number: number, delayMs = 0): Promise<void> {
    for (let delay = delayMs; !workers.has(number); delay = Math.min(2 * delay || restartDelayMs, maxDelayMs)) {
      await setTimeout(delay)
      if (stopping.signal.aborted || (await launch(number)) || stopping.signal.aborted) return
      log.error({ worker: number }, 'a worker could not start, and is started again')
    }
  }

  /** A worker goes on serving until its successor serves. */
  async function restartOne(number: number): Promise<boolean> {
    const former = workers.get(number)
    if (!(await launch(number))) return false
    if (!former || !processes.has(former)) return true
    former.process.kill('SIGTERM')
    await once(former, 'exit')
    return true
  }

  async function restartAll(): Promise<void> {
    for (let number = 1; number <= count && !stopping.signal.aborted; number++) {
      let hasRestarted = false
      await runInOrder(number, async () => void (hasRestarted = await restartOne(number)))
      if (stopping.signal.aborted) return
      if (!hasRestarted)
        return log.error({ worker: number }, 'a worker could not start: the restart ends, the others go on serving')
    }
    log.info('all workers were restarted')
  }

  function runInOrder(number: number, work: () => Promise<void>): Promise<void> {
    const turn = (turns.get(number) ?? Promise.resolve()).then(work)
    turns.set(number, turn)
    return turn
  }

  function stop(signal: NodeJS.Signals): void {
    stopping.abort()
    for (const { process: child } of processes) child.kill(signal)
    endIfStopped()
  }

  function endIfStopped(): void {
    if (stopping.signal.aborted && processes.size === 0) ended.resolve()
  }

  let restarting = Promise.resolve()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(signal))
  process.on('SIGHUP', () => {
    if (process.stdout.isTTY) stop('SIGINT') // the terminal was closed
    else restarting = restarting.then(restartAll)
  })
  if (isWrapped(env)) whenOrphaned(() => stop('SIGTERM'))

  // The first one migrates the store, and fills it if it is empty.
  if (!(await launch(1, '/first')) && !stopping.signal.aborted) return exitCode
  for (let number = 2; number <= count; number++) void runInOrder(number, () => replace(number))
  endIfStopped()
  await ended.promise
  return 0
}

interface LazyLog {
  settings: LogSettings
  info(message: string): void
  error(facts: object, message: string): void
}

/** Loads the logger with the first line: most supervisors never write one. */
function createLazyLog(): LazyLog {
  const lazy: LazyLog = {
    settings: { level: 'info' },
    info: message => void load().then(log => log.info(message)),
    error: (facts, message) => void load().then(log => log.error(facts, message)),
  }
  const load = async () => (await import('../platform/log.ts')).createLog({ log: lazy.settings })
  return lazy
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
    const timer = globalThis.setTimeout(giveUp, answerTimeoutMs)
    worker.once('exit', giveUp)
    tell(worker, { type: 'question', id, question })
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
      tell(from, { type: 'answers', id: message.id, answers: given })
    })
  }
}

/** A worker that has gone meanwhile needs no message. */
function tell(worker: Worker, message: WorkerMessage): void {
  if (worker.isConnected()) worker.send(message, () => {})
}
