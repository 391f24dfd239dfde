/** Starts the server programs that tests use with Quoin: nginx, Caddy, HAProxy, Varnish … */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The folder with the configuration files for operators. */
export const deployFolder = join(import.meta.dirname, '../deploy')

/** The text of one of these files. */
export const configurationOf = (name: string) => readFileSync(join(deployFolder, name), 'utf8')

/** Replaces parts of a configuration, each of which must occur: otherwise the test would not test the file in `deploy/`. */
export function replaceParts(text: string, ...pairs: readonly (readonly [from: string, to: string])[]): string {
  return pairs.reduce((all, [from, to]) => {
    if (!all.includes(from)) throw new Error(`The configuration has no "${from}"`)
    return all.replaceAll(from, to)
  }, text)
}

/** Whether a program is installed: runs it, for example with `--version`. */
export const hasProgram = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0

/** A new folder for the files of a program. */
export const folderFor = (name: string): string => mkdtempSync(join(tmpdir(), `quoin-${name}-`))

export interface ServerProgram {
  stop(): Promise<void>
}

/** Starts a program, and waits until it listens on the port. `stop` ends it and removes its folder. */
export async function startProgram(
  [command, ...args]: readonly [string, ...string[]],
  { port, folder, env }: { port: number; folder: string; env?: Record<string, string> },
): Promise<ServerProgram> {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  let stderr = ''
  child.stderr.on('data', chunk => (stderr = (stderr + String(chunk)).slice(-5000)))
  while (!(await isListening(port))) {
    if (hasEnded()) throw new Error(`${command} has ended: ${stderr}`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  return {
    async stop() {
      child.kill('SIGTERM')
      if (!hasEnded()) await once(child, 'exit')
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
