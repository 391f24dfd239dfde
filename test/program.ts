/** The command line program, also in separate processes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, globSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { createProgram } from '../src/cli/program.ts'
import { beforeCleanUp, createTestStorage, createTestApp, type TestStorage } from './harness.ts'

const program = join(import.meta.dirname, '../bin/quoin.mjs')

export interface Site {
  storage: TestStorage
  folder: string
  /** Environment variables for the processes of this site. */
  environment: Record<string, string>
}

/** A site without content on the engine of this run; with `migrated: false` its database has no tables yet. */
export async function createSite(
  environment: Record<string, string> = {},
  { migrated = true }: { migrated?: boolean } = {},
): Promise<Site> {
  const storage = await createTestStorage({ migrated })
  const folder = join(storage.data, 'site')
  mkdirSync(join(folder, 'content'), { recursive: true })
  cpSync(join(storage.data, 'blueprints'), join(folder, 'blueprints'), { recursive: true })
  const url = storage.settings.database?.url
  return {
    storage,
    folder,
    environment: { QUOIN_DATA: storage.data, ...(url !== undefined && { QUOIN_DATABASE_URL: url }), ...environment },
  }
}

/** The environment of this process without variables for the tests. */
export function cleanEnvironment(more: Record<string, string | undefined> = {}): NodeJS.ProcessEnv {
  const variables = Object.entries(process.env).filter(
    ([name]) => !/^(QUOIN_|VITEST|STORE$|NODE_)/.test(name) || name === 'NODE_COMPILE_CACHE',
  )
  return { ...Object.fromEntries(variables), ...more }
}

export interface Run {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  environment?: Record<string, string>
  input?: string
}

/** Runs a command inside this process, with its own streams and environment. This saves half a second of start-up. */
export async function quoin(args: string[], { environment = {}, input = '' }: RunOptions = {}): Promise<Run> {
  const output = { stdout: '', stderr: '' }
  const collect = (name: keyof typeof output) =>
    new Writable({
      decodeStrings: false,
      write: (text: string, _encoding, done) => {
        output[name] += text
        done()
      },
    })
  const terminal = {
    stdin: Readable.from([input], { objectMode: false }),
    stdout: collect('stdout'),
    stderr: collect('stderr'),
    env: cleanEnvironment(environment),
  }
  const code = await createProgram(terminal).run(args)
  return { code, ...output }
}

/** Runs a command in a separate process, for tests that depend on the working directory or on processes. */
export async function spawnQuoin(
  args: string[],
  { environment = {}, input = '', cwd }: RunOptions & { cwd?: string } = {},
): Promise<Run> {
  const child = spawn(process.execPath, [program, ...args], { env: cleanEnvironment(environment), cwd })
  const run: Run = { code: null, stdout: '', stderr: '' }
  child.stdout.on('data', chunk => (run.stdout += String(chunk)))
  child.stderr.on('data', chunk => (run.stderr += String(chunk)))
  child.stdin.on('error', () => {}) // the command may have exited without reading its input
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return { ...run, code }
}

export interface Server {
  port: number
  /** The link that sets up a site without an account. */
  setup: string | undefined
  child: ChildProcess
  /** Its output, without the first line. */
  output: () => string
  send(options: Sent): Promise<Received>
  /** Sends the signal and waits for the exit. */
  stop(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

let warm: Promise<void> | undefined

/** Runs `quoin start` and waits until it listens. */
export async function serve(
  site: Site,
  environment: Record<string, string> = {},
  flags: string[] = [],
): Promise<Server> {
  await (warm ??= fillCompileCache())
  return start(site, environment, flags)
}

/**
 * Node writes its compile cache only on a normal exit. So one server runs and stops first, once for these sources, and
 * servers that are killed later start faster.
 */
async function fillCompileCache(): Promise<void> {
  const root = join(import.meta.dirname, '..')
  const sources = globSync('src/**/*.ts', { cwd: root }).map(name => statSync(join(root, name)).mtimeMs)
  const state = createHash('sha1')
    .update(`${root} ${process.version} ${Math.max(...sources)}`)
    .digest('hex')
  const done = join(process.env['NODE_COMPILE_CACHE']!, `quoin-${state}`)
  if (existsSync(done)) return
  const server = await start(await createSite({}, { migrated: false }))
  await server.stop('SIGTERM')
  mkdirSync(dirname(done), { recursive: true })
  writeFileSync(done, '')
}

async function start(site: Site, environment: Record<string, string> = {}, flags: string[] = []): Promise<Server> {
  const args = [program, 'start', site.folder, '--port', '0', '--json', '--data', site.storage.data, ...flags]
  const child = spawn(process.execPath, args, {
    env: cleanEnvironment({ ...site.environment, ...environment }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const first = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', chunk => {
        output += String(chunk)
        const end = output.indexOf('\n')
        if (end >= 0) resolve(output.slice(0, end))
      })
    }
    void exited.then(([code]) => reject(new Error(`quoin start ended with ${code}: ${output}`)))
  })
  const { port, setup } = JSON.parse(first) as Pick<Server, 'port' | 'setup'>
  const server: Server = {
    port,
    setup,
    child,
    output: () => output.slice(first.length + 1),
    send: options => send(port, options),
    async stop(signal) {
      child.kill(signal)
      const [code, by] = await exited
      return { code, signal: by }
    },
  }
  beforeCleanUp(async () => void (await server.stop('SIGKILL')))
  return server
}

/** Serves the site from this process, for tests about the result of a command. */
export async function openServer({ storage }: Site): Promise<Pick<Server, 'send'> & { close(): Promise<void> }> {
  const site = await createTestApp({ storage, expensive: true })
  const port = await site.listen()
  return { send: options => send(port, options), close: () => site.close() }
}

// ---- requests

export interface Sent {
  path: string
  body?: object
  token?: string | undefined
  /** An API token. */
  bearer?: string
  /** The client address, sent as by a trusted proxy. */
  ip?: string
}

export interface Received {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** The session cookie in the response, if any. */
  token: string | undefined
}

function send(port: number, { path, body, token, bearer, ip }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        path,
        method: body ? 'POST' : 'GET',
        agent: false,
        headers: {
          ...(body && { 'content-type': 'application/json' }),
          ...(token !== undefined && { cookie: `quoin_insecure=${token}` }),
          ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
          ...(ip !== undefined && { 'x-forwarded-for': ip }),
        },
      },
      answer => {
        let text = ''
        answer.on('data', chunk => (text += String(chunk)))
        answer.on('error', reject)
        answer.on('end', () => {
          const { statusCode: status = 0, headers } = answer
          const cookies = headers['set-cookie']?.map(cookie => /^quoin_insecure=([\w-]+);/.exec(cookie)?.[1])
          resolve({ status, headers, body: text, token: cookies?.find(value => value !== undefined) })
        })
      },
    )
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}
