/** Server programs of the system that tests put in front of Quoin, or behind it: nginx, Caddy, HAProxy, Varnish … */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The folder with the configuration files that operators take. */
export const deploy = join(import.meta.dirname, '../deploy')

/** The text of one of these files. */
export const configurationOf = (name: string) => readFileSync(join(deploy, name), 'utf8')

/** Fails if the text is not there, so that the configuration that is tried is the one of the operator. */
export function replaced(text: string, ...pairs: readonly (readonly [from: string, to: string])[]): string {
  return pairs.reduce((all, [from, to]) => {
    if (!all.includes(from)) throw new Error(`The configuration has no "${from}"`)
    return all.replaceAll(from, to)
  }, text)
}

/** Whether a program is installed; it is asked for its version. */
export const hasProgram = (command: string, ...words: string[]): boolean => spawnSync(command, words).status === 0

/** A new folder for the files of a program. */
export const folderFor = (name: string): string => mkdtempSync(join(tmpdir(), `quoin-${name}-`))

export interface ServerProgram {
  stop(): Promise<void>
}

/** Starts a program, and waits until it listens on the port. `stop` ends it and removes its folder. */
export async function startProgram(
  [command, ...words]: readonly [string, ...string[]],
  { port, folder, env }: { port: number; folder: string; env?: Record<string, string> },
): Promise<ServerProgram> {
  const child = spawn(command, words, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let problem = ''
  child.stderr.on('data', chunk => (problem = (problem + String(chunk)).slice(-5000)))
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${command} has ended: ${problem}`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  return {
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Whether a program listens on the port of this machine. */
export const isListening = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
