/** Varnish in front of a server, with the configuration in `deploy/`, for tests and benchmarks. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configurationOf, folderFor, hasProgram, replaceParts, startProgram } from './server-program.ts'

export const hasVarnish = (): boolean => hasProgram('varnishd', '-V')

/** The token of `delivery.purge` that the configuration accepts. */
export const purgeToken = 'only-for-tests'

export interface Varnish {
  url: string
  stop(): Promise<void>
}

/** `backend` is the port of the server. */
export async function startVarnish(port: number, backend: number): Promise<Varnish> {
  const folder = folderFor('varnish')
  const file = join(folder, 'varnish.vcl')
  const vcl = configurationOf('varnish.vcl')
  writeFileSync(file, replaceParts(vcl, ['"4080"', `"${backend}"`], ['<token>', purgeToken]))
  // -j none: without a jail, because Varnish's jail needs root.
  const args = ['-j', 'none', '-F', '-a', `127.0.0.1:${port}`, '-f', file, '-n', join(folder, 'work')]
  const program = await startProgram(['varnishd', ...args, '-s', 'malloc,64m'], { port, folder })
  return { url: `http://127.0.0.1:${port}`, stop: () => program.stop() }
}
