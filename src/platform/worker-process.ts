/** The place of this process among the workers of `quoin start --workers`. */
export interface WorkerProcess {
  /** 1 for the first. A worker that replaces another one has its number. */
  number: number
  count: number
  /** The first worker of all: it fills an empty store and tells the operator where the site is. */
  isFirst: boolean
  /**
   * Does work that occupies a core when it is this worker's turn: all workers together leave one core for requests.
   * After a second it no longer waits, for the supervisor may have been stopped.
   */
  inTurn<Value>(work: () => Promise<Value>): Promise<Value>
  /** Sends a question to all other workers. Those that do not answer in time are missing. */
  askOthers(question: string): Promise<unknown[]>
  /** Tells the supervisor that this worker serves, that it ends in order at a signal, and how to log. */
  ready(log: LogSettings): void
  /** Ends the connection to the supervisor, which keeps the process running. */
  leave(): void
  /** Sets how this worker answers a question of another one. */
  onQuestion(question: string, answer: () => Promise<unknown>): void
}

/** What the supervisor needs of the settings, which it does not read itself. */
export interface LogSettings {
  level: string
}

/** Messages between a worker and the process that supervises the workers, which forwards them. */
export type WorkerMessage =
  | { type: 'ready'; log: LogSettings }
  | { type: 'requestTurn'; id: number }
  | { type: 'startTurn'; id: number }
  | { type: 'endTurn'; id: number }
  | { type: 'ask'; id: number; question: string }
  | { type: 'question'; id: number; question: string }
  | { type: 'answer'; id: number; answer: unknown }
  | { type: 'answers'; id: number; answers: unknown[] }

/** Set by the supervisor: `2/4` is the second of four workers, `1/4/first` the one that was started before all others. */
export const workerVariable = 'SERVER_WORKER' // without QUOIN_: those are settings

/** How long a worker waits for its turn, in ms. */
const turnTimeoutMs = 1000

const send = (message: WorkerMessage) => void process.send!(message)

/** Undefined if this process is no worker. */
export function openWorkerProcess(environment: NodeJS.ProcessEnv): WorkerProcess | undefined {
  const [, number, count, first] = /^(\d+)\/(\d+)(\/first)?$/.exec(environment[workerVariable] ?? '') ?? []
  if (number === undefined || count === undefined || !process.send) return undefined
  const handlers = new Map<string, () => Promise<unknown>>()
  const waiting = new Map<number, (answers: unknown[]) => void>()
  const turns = new Map<number, () => void>()
  let lastId = 0

  process.on('message', (message: WorkerMessage) => {
    if (message.type === 'answers') {
      waiting.get(message.id)?.(message.answers)
      waiting.delete(message.id)
    } else if (message.type === 'startTurn') {
      turns.get(message.id)?.()
    } else if (message.type === 'question') {
      void handlers
        .get(message.question)?.()
        .then(answer => send({ type: 'answer', id: message.id, answer }))
    }
  })

  async function turn(id: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    turns.set(id, resolve)
    const timer = setTimeout(resolve, turnTimeoutMs)
    send({ type: 'requestTurn', id })
    await promise
    clearTimeout(timer)
    turns.delete(id)
  }

  return {
    number: Number(number),
    count: Number(count),
    isFirst: first !== undefined,
    async inTurn(work) {
      if (!process.connected) return work() // it has left
      const id = ++lastId
      await turn(id)
      try {
        return await work()
      } finally {
        if (process.connected) send({ type: 'endTurn', id })
      }
    },
    askOthers: question =>
      new Promise(resolve => {
        waiting.set(++lastId, resolve)
        send({ type: 'ask', id: lastId, question })
      }),
    ready: ({ level }) => send({ type: 'ready', log: { level } }),
    leave: () => process.disconnect?.(),
    onQuestion: (question, answer) => void handlers.set(question, answer),
  }
}
