/** A Varnish in front of a server, with the configuration of the guide. For the test and the bench. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const configuration = join(import.meta.dirname, '../docs/guide/varnish.vcl')

export function hasVarnish(): boolean {
  try {
    execFileSync('varnishd', ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The token of `delivery.purge` that the configuration accepts. */
export const purgeToken = 'only-for-tests'

export interface Varnish {
  url: string
  stop(): Promise<void>
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** `backend` is the port of the server. */
export async function startVarnish(port: number, backend: number): Promise<Varnish> {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-varnish-'))
  const file = join(folder, 'varnish.vcl')
  const vcl = readFileSync(configuration, 'utf8').replace('"4080"', `"${backend}"`)
  writeFileSync(file, vcl.replaceAll('<token>', purgeToken))
  const words = ['-F', '-a', `127.0.0.1:${port}`, '-f', file, '-n', join(folder, 'work'), '-s', 'malloc,64m']
  // Without jail: the test may run as any user.
  const child = spawn('varnishd', ['-j', 'none', ...words], { stdio: ['ignore', 'ignore', 'pipe'] })
  let problem = ''
  child.stderr.on('data', chunk => (problem += String(chunk)))
  const url = `http://127.0.0.1:${port}`
  while (!(await isListening(url))) {
    if (child.exitCode !== null) throw new Error(`varnishd has ended: ${problem}`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  return { url, stop: () => stop(child, folder) }
}

const isListening = (url: string) =>
  fetch(url, { method: 'HEAD' }).then(
    () => true,
    () => false,
  )

async function stop(child: ChildProcess, folder: string): Promise<void> {
  child.kill('SIGTERM')
  if (child.exitCode === null) await once(child, 'exit')
  rmSync(folder, { recursive: true, force: true })
}
