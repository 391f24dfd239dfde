/** One signal, one graceful stop, no process left behind: whichever process of the tree receives the signal. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { beforeCleanUp } from './harness.ts'
import { cleanEnvironment, createSite } from './program.ts'
import { isSlow } from './slow.ts'

const root = join(import.meta.dirname, '..')
const program = join(root, 'bin/quoin.mjs')
const ownNode = join(root, 'node_modules/.bin')
const timeout = 300_000

interface Started {
  child: ChildProcess
  port: number
  output: () => string
}

/** Starts a command that ends up as `quoin start`, in a process group of its own as a terminal would. */
async function start(command: string, args: string[], path = process.env['PATH']): Promise<Started> {
  const { folder, environment } = await createSite()
  const child = spawn(command, [...args, 'start', folder, '--port', '0', '--json'], {
    cwd: projectIn(folder),
    env: cleanEnvironment({ ...environment, PATH: path }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  beforeCleanUp(() => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // The process group has ended.
    }
    return Promise.resolve()
  })
  let output = ''
  const port = await new Promise<number>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', chunk => {
        output += String(chunk)
        const found = /"port":(\d+)/.exec(output)?.[1]
        if (found !== undefined) resolve(Number(found))
      })
    child.once('exit', code => reject(new Error(`ended with ${code}: ${output}`)))
  })
  return { child, port, output: () => output }
}

/** A project that has Quoin installed, as far as npm needs to see it. */
function projectIn(folder: string): string {
  const bin = join(folder, 'node_modules/.bin')
  mkdirSync(bin, { recursive: true })
  symlinkSync(program, join(bin, 'quoin'))
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  const script = scripts.start.replace('bin/quoin.mjs start starter', 'node_modules/.bin/quoin')
  expect(script).not.toBe(scripts.start)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, scripts: { start: script } }))
  return folder
}

/** A request whose headers have been read by the server, and whose body is only sent by `finish`. */
async function requestInFlight(port: number): Promise<{ finish: () => Promise<number | undefined> }> {
  const body = JSON.stringify({ email: 'ada@example.org', password: 'a password that is long enough' })
  const sent: ClientRequest = request({
    port,
    path: '/api/auth/login',
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), expect: '100-continue' },
  })
  sent.flushHeaders()
  await once(sent, 'continue')
  return {
    async finish() {
      sent.end(body)
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      answer.resume()
      return answer.statusCode
    },
  }
}

const accepts = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

async function refuses(port: number): Promise<void> {
  while (await accepts(port)) await sleep(20)
}

/** Whether a process of the group is left. */
function isAlive(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch {
    return false
  }
}

/** The signal arrives while a request is in flight: it is answered, nothing listens any more, no process is left. */
async function stopsGracefully({ child, port, output }: Started, send: (pid: number) => void): Promise<void> {
  const ended = once(child, 'exit')
  const inFlight = await requestInFlight(port)
  send(child.pid!)
  await refuses(port)
  expect(await inFlight.finish(), `with ${output()}`).toBe(401)
  await ended
  while (isAlive(child.pid!)) await sleep(20)
}

const toProcess = (signal: NodeJS.Signals) => (pid: number) => void process.kill(pid, signal)
const toGroup = (signal: NodeJS.Signals) => (pid: number) => void process.kill(-pid, signal)

test.runIf(isSlow).each(['SIGTERM', 'SIGHUP'] as const)(
  '%s received three times is one stop',
  { timeout },
  async signal => {
    const server = await start(process.execPath, [program])
    await stopsGracefully(server, pid => {
      for (let times = 0; times < 3; times++) process.kill(pid, signal)
    })
    expect(server.child.exitCode).toBe(0)
  },
)

const hasNpm = canRun('npm')

test.runIf(hasNpm && isSlow)('npm start: SIGTERM to npm alone ends the server', { timeout }, async () => {
  await stopsGracefully(await start('npm', ['start', '--silent', '--']), toProcess('SIGTERM'))
})

test.runIf(hasNpm && isSlow)('npm start: Ctrl-C reaches the whole process group', { timeout }, async () => {
  await stopsGracefully(await start('npm', ['start', '--silent', '--']), toGroup('SIGINT'))
})

test.runIf(hasNpm && isSlow)('npx quoin: SIGTERM to npx alone ends the server', { timeout }, async () => {
  await stopsGracefully(await start('npx', ['--no', '--', 'quoin']), toProcess('SIGTERM'))
})

// ---- an older Node, which starts the Node of Quoin's dependency and forwards signals to it

const oldNode = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter(folder => !folder.includes('node_modules'))
  .map(folder => join(folder, 'node'))
  .find(existsSync)
const isOld =
  oldNode !== undefined &&
  Number(execFileSync(oldNode, ['--version'], { encoding: 'utf8' }).slice(1).split('.')[0]) < 24 &&
  existsSync(join(ownNode, 'node'))

test.runIf(isOld && isSlow)(
  'an older Node: a signal to the wrapper or to its group is one stop',
  { timeout },
  async () => {
    const first = await start(oldNode!, [program])
    await stopsGracefully(first, toProcess('SIGTERM'))
    expect(first.child.exitCode).toBe(0)
    const second = await start(oldNode!, [program])
    await stopsGracefully(second, toGroup('SIGINT'))
    expect(second.child.exitCode).toBe(0)
    await stopsGracefully(await start(oldNode!, [program]), toProcess('SIGKILL'))
  },
)

function canRun(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
