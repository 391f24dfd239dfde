/** Programs that the drill starts, each in a process group of its own, so that all processes of a program can be killed or stopped. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ServiceOptions {
  /** The name of its log file. */
  name: string
  command: readonly [string, ...string[]]
  /** The folder of all log files. */
  logs: string
  cwd?: string
  env?: NodeJS.ProcessEnv
  /** The user of the program, if it is not that of the drill. */
  identity?: Identity
}

export interface Identity {
  uid?: number
  gid?: number
}

export class Service {
  readonly #options: ServiceOptions
  #child: ChildProcess | undefined

  constructor(options: ServiceOptions) {
    this.#options = options
    services.add(this)
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  get log(): string {
    const { logs, name } = this.#options
    const file = join(logs, `${name}.log`)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  start(more: NodeJS.ProcessEnv = {}): void {
    const { name, command, logs, cwd = logs, env = process.env, identity = {} } = this.#options
    const file = openSync(join(logs, `${name}.log`), 'a')
    const [program, ...words] = command
    this.#child = spawn(program, words, {
      cwd,
      env: { ...env, ...more },
      ...identity,
      detached: true,
      stdio: ['ignore', file, file],
    })
    this.#child.on('error', () => {}) // a program that cannot be started is noticed because it never listens
    closeSync(file)
  }

  /** Sends a signal to the program, or to all processes of its group. */
  signal(signal: NodeJS.Signals, target: 'program' | 'group' = 'program'): void {
    if (this.pid === 0) return
    try {
      process.kill(target === 'group' ? -this.pid : this.pid, signal)
    } catch {
      // it has ended
    }
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM', target: 'program' | 'group' = 'program'): Promise<void> {
    if (!this.isRunning) return
    const ended = once(this.#child!, 'exit')
    this.signal(signal, target)
    await ended
  }
}

const services = new Set<Service>()

/** Ends everything that was started. */
export function killServices(): void {
  for (const service of services) service.signal('SIGKILL', 'group')
}

/** Polls until the condition is true. Fails after so many seconds, with the description of the condition. */
export async function waitUntil(
  condition: string,
  seconds: number,
  isTrue: () => Promise<boolean> | boolean,
): Promise<void> {
  const end = performance.now() + seconds * 1000
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`waited ${seconds} seconds in vain until ${condition}`)
    await sleep(100)
  }
}
