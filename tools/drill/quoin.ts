/** Two instances of Quoin with two workers each, on the same database and the same S3 bucket. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { treeOf } from './processes.ts'
import { Service, waitUntil } from './service.ts'

const program = join(import.meta.dirname, '../../bin/quoin.mjs')

export const account = { email: 'drill@example.org', password: 'a lantern in the fog 42' }

export interface Instance {
  name: string
  port: number
  service: Service
  /** The process ids of its workers. */
  workers(): number[]
  isReady(): Promise<boolean>
  /** Starts the instance if it does not run, and waits until it is ready. */
  start(environment?: NodeJS.ProcessEnv): Promise<void>
}

export interface Site {
  instances: readonly [Instance, Instance]
  /** An API token with all scopes. */
  token: string
}

const note = 'title: Note\nfields:\n  text:\n    type: textarea\n'

export async function startSite(folder: string, logs: string, settings: Record<string, string>): Promise<Site> {
  const site = join(folder, 'site')
  mkdirSync(join(site, 'blueprints/pages'), { recursive: true })
  mkdirSync(join(site, 'content'))
  writeFileSync(join(site, 'blueprints/pages/note.yml'), note)
  const others = Object.entries(process.env).filter(([name]) => !/^(?:QUOIN_|NODE_)/.test(name))
  const env = { ...Object.fromEntries(others), ...settings }
  const [first, second] = [join(folder, 'a'), join(folder, 'b')]

  const run = (words: string[], input = '') => {
    const done = spawnSync(process.execPath, [program, ...words, '--site', site, '--json'], {
      env: { ...env, QUOIN_DATA: first, QUOIN_LOG_LEVEL: 'silent' },
      input,
      encoding: 'utf8',
    })
    if (done.status !== 0) throw new Error(`quoin ${words.join(' ')}: ${done.stdout}${done.stderr}`)
    return JSON.parse(done.stdout) as { token?: string }
  }
  run(['user', 'create', '--email', account.email, '--password-stdin'], `${account.password}\n`)
  const { token } = run(['token', 'create', '--user', account.email, '--name', 'drill', '--scope', '*'])
  mkdirSync(second, { recursive: true })
  if (existsSync(join(first, 'secrets.json'))) copyFileSync(join(first, 'secrets.json'), join(second, 'secrets.json'))

  const create = async (name: string, data: string): Promise<Instance> => {
    const port = await freePort()
    const service = new Service({
      name: `quoin-${name}`,
      command: [process.execPath, program, 'start', site, '--workers', '2', '--port', String(port), '--data', data],
      logs,
      cwd: folder,
      env,
    })
    const isReady = async () => {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(2000) })
        await answer.body?.cancel()
        return answer.status === 200
      } catch {
        return false
      }
    }
    const instance: Instance = {
      name,
      port,
      service,
      workers: () => (service.isRunning ? treeOf(service.pid).slice(1) : []),
      isReady,
      async start(more = {}) {
        if (!service.isRunning) service.start(more)
        await waitUntil(
          `the instance ${name} is ready`,
          60,
          async () => (await isReady()) && instance.workers().length >= 2,
        )
      },
    }
    return instance
  }
  const instances = [await create('a', first), await create('b', second)] as const
  for (const instance of instances) await instance.start()
  return { instances, token: token! }
}
