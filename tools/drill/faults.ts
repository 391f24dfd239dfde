/** The faults that the drill causes, one after the other. Each repairs what it broke, as a supervisor or an operator would. */
import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresProcesses } from './cluster.ts'
import { faketimeLibrary } from './packages.ts'
import { signalAll } from './processes.ts'
import { waitUntil } from './service.ts'
import type { System } from './system.ts'

export interface Fault {
  name: string
  description: string
  run(system: System): Promise<void>
  /** Why it cannot be caused on this machine. */
  skip?(system: System): string | undefined
}

/** How long something is stopped, in ms. */
const stoppedMs = 20_000

async function pause(processes: readonly number[]): Promise<void> {
  signalAll(processes, 'SIGSTOP')
  await sleep(stoppedMs)
  signalAll(processes, 'SIGCONT')
}

/** A supervisor such as systemd starts a program again after this time, in ms. */
const restartMs = 2000

export const faults: readonly Fault[] = [
  {
    name: 'primary',
    description: 'kill -9 of the primary',
    async run({ cluster }) {
      signalAll(postgresProcesses(await cluster.primary()).slice(0, 1), 'SIGKILL')
    },
  },
  {
    name: 'node',
    description: 'kill -9 of the node of the primary: PostgreSQL and Patroni',
    async run({ cluster }) {
      const node = await cluster.primary()
      const processes = postgresProcesses(node)
      node.patroni.signal('SIGKILL', 'group')
      signalAll(processes, 'SIGKILL')
      await waitUntil('another node is the primary', 60, async () => (await cluster.primary()).name !== node.name)
    },
  },
  {
    name: 'worker',
    description: 'kill -9 of a worker',
    async run({ site: { instances } }) {
      signalAll(instances[0].workers().slice(0, 1), 'SIGKILL')
    },
  },
  {
    name: 'process',
    description: 'kill -9 of a Quoin: the process that supervises the workers',
    async run({ site: { instances } }) {
      const [instance] = instances
      const workers = instance.workers()
      await instance.service.stop('SIGKILL')
      await waitUntil('its workers have ended', 30, () => workers.every(pid => !isAlive(pid)))
      await sleep(restartMs)
      await instance.start()
    },
  },
  {
    name: 'backend',
    description: 'kill -9 of a backend of HAProxy: all processes of a Quoin at once',
    async run({ site: { instances } }) {
      const [, instance] = instances
      const workers = instance.workers()
      instance.service.signal('SIGKILL')
      signalAll(workers, 'SIGKILL')
      await sleep(restartMs)
      await instance.start()
    },
  },
  {
    name: 'pooler',
    description: 'kill -9 of PgBouncer',
    async run({ pooler: { service } }) {
      await service.stop('SIGKILL')
      await sleep(restartMs)
      service.start()
    },
  },
  {
    name: 'switchover',
    description: 'switchover to the synchronous standby',
    run: ({ cluster }) => cluster.switchover(),
  },
  {
    name: 'stopped-quoin',
    description: 'SIGSTOP of a Quoin with its workers for 20 s',
    async run({ site: { instances } }) {
      const [instance] = instances
      const processes = [instance.service.pid, ...instance.workers()]
      await pause(processes)
    },
  },
  {
    name: 'stopped-primary',
    description: 'SIGSTOP of the primary for 20 s',
    async run({ cluster }) {
      await pause(postgresProcesses(await cluster.primary()))
    },
  },
  {
    name: 'restart',
    description: 'pg_ctl restart of the primary',
    async run({ cluster }) {
      cluster.control(await cluster.primary(), 'restart', '--mode', 'fast', '--no-wait')
    },
  },
  {
    name: 'disk',
    description: 'full disk of the primary',
    skip: ({ cluster }) =>
      cluster.nodes.every(({ hasDisk }) => hasDisk) ? undefined : 'only root can mount a small disk',
    async run({ cluster }) {
      const node = await cluster.primary()
      const ballast = join(node.data, '..', 'ballast')
      try {
        await fillDisk(ballast)
        await sleep(stoppedMs)
      } finally {
        rmSync(ballast, { force: true })
      }
    },
  },
  {
    name: 's3',
    description: 'S3 does not answer for 20 s (SIGSTOP)',
    async run({ s3: { service } }) {
      service.signal('SIGSTOP')
      await sleep(stoppedMs)
      service.signal('SIGCONT')
    },
  },
  {
    name: 'clock',
    description: 'the clock of a Quoin jumps by an hour, back by two, and forward again',
    skip: () => (faketimeLibrary() === undefined ? 'apt-get install libfaketime' : undefined),
    async run({ site: { instances }, folder }) {
      const [, instance] = instances
      const file = join(folder, 'clock')
      const jump = (hours: number) => writeFileSync(file, `${hours < 0 ? '' : '+'}${hours}h\n`)
      jump(0)
      await instance.service.stop('SIGTERM')
      await instance.start({
        LD_PRELOAD: faketimeLibrary(),
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_CACHE_DURATION: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      })
      for (const hours of [1, -1, 0]) {
        jump(hours)
        await sleep(5000)
      }
      await instance.service.stop('SIGTERM')
      await instance.start()
    },
  },
  {
    name: 'rolling',
    description: 'rolling restart of everything: standbys, primary by switchover, PgBouncer, HAProxy, both Quoin',
    async run({ cluster, pooler, databaseProxy, webProxy, site: { instances } }) {
      const first = await cluster.primary()
      for (const node of cluster.nodes.filter(({ name }) => name !== first.name)) {
        await node.patroni.stop('SIGTERM')
        await cluster.heal(60)
      }
      await cluster.switchover()
      await waitUntil('another node is the primary', 60, async () => (await cluster.primary()).name !== first.name)
      await cluster.heal(60)
      await first.patroni.stop('SIGTERM')
      await cluster.heal(60)
      await pooler.service.stop('SIGINT')
      pooler.service.start()
      databaseProxy.service.signal('SIGUSR2')
      webProxy.service.signal('SIGUSR2')
      for (const instance of instances) {
        await instance.service.stop('SIGTERM')
        await instance.start()
      }
    },
  },
]

/** Writes until no byte is left, although PostgreSQL writes at the same time. */
async function fillDisk(file: string): Promise<void> {
  const megabyte = 2 ** 20
  const { bavail, bsize } = statfsSync(dirname(file))
  execFileSync('fallocate', ['--length', String(bavail * bsize - 32 * megabyte), file])
  for (let size = megabyte; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) await appendFile(file, Buffer.alloc(size))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
