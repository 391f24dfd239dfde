/** The programs that the drill needs, and the packages of Debian that have them. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']

const postgresFolder = '/usr/lib/postgresql'
const versions = ['18', '17', '16', '15']

/** The folder with the programs of PostgreSQL. */
export const findPostgresPrograms = (): string | undefined =>
  versions.map(version => join(postgresFolder, version, 'bin')).find(folder => existsSync(join(folder, 'initdb')))

export const findProgram = (program: string): string | undefined =>
  folders.map(folder => join(folder, program)).find(path => existsSync(path))

const needed: readonly [name: string, isInstalled: () => boolean][] = [
  ['etcd-server', () => findProgram('etcd') !== undefined],
  ['patroni', () => findProgram('patroni') !== undefined],
  ['python3-etcd', () => existsSync('/usr/lib/python3/dist-packages/etcd')],
  ['postgresql', () => findPostgresPrograms() !== undefined],
  ['haproxy', () => findProgram('haproxy') !== undefined],
  ['pgbouncer', () => findProgram('pgbouncer') !== undefined],
]

/** The names of the packages that are not installed. */
export const missingPackages = (): string[] => needed.flatMap(([name, isInstalled]) => (isInstalled() ? [] : [name]))

/** Makes the clock of a program jump. Without it that fault is skipped. */
export const faketimeLibrary = (): string | undefined =>
  ['x86_64', 'aarch64']
    .map(machine => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
    .find(path => existsSync(path))
