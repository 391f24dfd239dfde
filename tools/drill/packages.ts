/** The programs that the drill needs, and the packages of Debian that have them. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']

const postgresPrograms = '/usr/lib/postgresql'
const versions = ['18', '17', '16', '15']

/** The folder with the programs of PostgreSQL. */
export const postgresFolder = (): string | undefined =>
  versions.map(version => join(postgresPrograms, version, 'bin')).find(folder => existsSync(join(folder, 'initdb')))

export const pathOf = (program: string): string | undefined =>
  folders.map(folder => join(folder, program)).find(path => existsSync(path))

const needed: readonly [name: string, isInstalled: () => boolean][] = [
  ['etcd-server', () => pathOf('etcd') !== undefined],
  ['patroni', () => pathOf('patroni') !== undefined],
  ['python3-etcd', () => existsSync('/usr/lib/python3/dist-packages/etcd')],
  ['postgresql', () => postgresFolder() !== undefined],
  ['haproxy', () => pathOf('haproxy') !== undefined],
  ['pgbouncer', () => pathOf('pgbouncer') !== undefined],
]

/** The names of the packages that are not installed. */
export const missingPackages = (): string[] => needed.flatMap(([name, isInstalled]) => (isInstalled() ? [] : [name]))

/** For the clock that jumps; that fault is skipped without it. */
export const faketimeLibrary = (): string | undefined =>
  ['x86_64', 'aarch64']
    .map(machine => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
    .find(path => existsSync(path))
