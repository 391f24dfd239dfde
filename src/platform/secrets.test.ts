import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { createTestStorage, createTestApp, engine } from '../../test/harness.ts'
import { rounds } from '../../test/slow.ts'
import { ConfigError, loadConfig, type Settings } from './config.ts'
import { randomToken } from './lib/id.ts'
import { openSecrets } from './secrets.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-secrets-'))
  folders.push(folder)
  return folder
}

const open = async (site: string, options: Settings = {}) => openSecrets(await loadConfig({ site, options }))
const key = (id: string) => `${id}:${randomToken()}`
const configured = () => ({ session: [key('s2'), key('s1')], pepper: [key('p')], vault: [key('v')] })

async function problemOf(work: () => Promise<unknown>): Promise<string> {
  const error = await work().then(
    () => undefined,
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(ConfigError)
  expect((error as ConfigError).problems).toHaveLength(1)
  return (error as ConfigError).message
}

test('the first start creates three rings with one key each, readable by the owner only', async () => {
  const site = createFolder()
  const secrets = await open(site)
  const path = join(site, 'data/secrets.json')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(join(site, 'data')).mode & 0o777).toBe(0o700)
  expect(readdirSync(join(site, 'data'))).toEqual(['secrets.json'])
  const bytes = Object.values(secrets.keys).map(ring => ring.map(each => each.bytes.length))
  expect(bytes).toEqual([[32], [32], [32]])
  const all = Object.values(secrets.keys).flatMap(ring => ring.map(each => each.bytes.toString('hex')))
  expect(new Set(all).size).toBe(3)

  const before = readFileSync(path, 'utf8')
  expect((await open(site)).mac('session', 'x', 'y')).toBe(secrets.mac('session', 'x', 'y'))
  expect(readFileSync(path, 'utf8')).toBe(before)
  expect((await open(createFolder())).mac('session', 'x', 'y')).not.toBe(secrets.mac('session', 'x', 'y'))
})

test('processes that start concurrently share one set', async () => {
  const source = pathToFileURL(import.meta.dirname).href
  const script = `
    const { loadConfig } = await import('${source}/config.ts')
    const { openSecrets } = await import('${source}/secrets.ts')
    const config = await loadConfig({ site: process.argv[1] })
    console.error('ready')
    await new Promise(go => process.stdin.once('data', go).once('end', go))
    console.log(openSecrets(config).mac('session', 'x', 'y'))`
  for (let round = 0; round < rounds(1, 10); round++) {
    const site = createFolder()
    const args = ['--input-type=module', '-e', script, site]
    const children = [1, 2, 3].map(() => spawn(process.execPath, args))
    await Promise.all(children.map(({ stderr }) => once(stderr, 'data')))
    for (const { stdin } of children) stdin.end('go')
    const answers = await Promise.all(children.map(({ stdout }) => textOf(stdout)))
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toMatch(/\S/)
    expect(readdirSync(join(site, 'data'))).toEqual(['secrets.json'])
  }
})

test('secrets of the environment are used, and no file is created', async () => {
  const site = createFolder()
  const secrets = configured()
  const environment = {
    QUOIN_SECRETS_SESSION: secrets.session.join(','),
    QUOIN_SECRETS_PEPPER: secrets.pepper.join(','),
    QUOIN_SECRETS_VAULT: secrets.vault.join(','),
  }
  const opened = openSecrets(await loadConfig({ site, environment }))
  expect(opened.keys.session.map(({ id }) => id)).toEqual(['s2', 's1'])
  expect(opened.keys.vault[0]!.bytes.toString('base64url')).toBe(secrets.vault[0]!.slice(2))
  expect(readdirSync(site)).toEqual([])
})

test('an incomplete set of secrets is refused, naming each missing one', async () => {
  const site = createFolder()
  const error = await open(site, { secrets: { session: [key('s')] } }).catch((caught: unknown) => caught)
  expect((error as ConfigError).problems).toEqual([
    'secrets.pepper: must be given when another one is',
    'secrets.vault: must be given when another one is',
  ])
  expect(readdirSync(site)).toEqual([])
})

test.each([
  ['too short', `a:${randomToken().slice(1)}`],
  ['too long', `a:${randomToken()}A`],
  ['without a name', randomToken()],
  ['with an empty name', `:${randomToken()}`],
  ['with other characters', `a:${randomToken().slice(1)}+`],
  ['empty', ''],
])('a key that is %s is refused without being shown', async (_, wrong) => {
  const problem = await problemOf(() => open(createFolder(), { secrets: { ...configured(), pepper: [wrong] } }))
  expect(problem).toBe('secrets.pepper: each must be <name>:<43 characters of base64url>')
})

test.each([
  ['cut off', '{ "session": ["a'],
  ['empty', ''],
  ['something else', '[]'],
  ['null', 'null'],
  ['without a ring', JSON.stringify({ session: [key('a')], pepper: [key('b')] })],
  ['with an empty ring', JSON.stringify({ session: [key('a')], pepper: [], vault: [key('b')] })],
])('a file that is %s is reported and never replaced', async (_, text) => {
  const site = createFolder()
  await open(site)
  const path = join(site, 'data/secrets.json')
  writeFileSync(path, text)
  const problem = await problemOf(() => open(site))
  expect(problem).toContain(path)
  expect(problem).toContain('restore it from a backup')
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test('a file with an invalid key is reported', async () => {
  const site = createFolder()
  await open(site)
  const path = join(site, 'data/secrets.json')
  writeFileSync(path, JSON.stringify({ session: [5], pepper: [key('a')], vault: [key('b')] }))
  expect(await problemOf(() => open(site))).toContain('secrets.session')
})

test('an unreadable file is an error, not a reason for new secrets', async ({ skip }) => {
  if (process.getuid?.() === 0) skip() // may read everything
  const site = createFolder()
  await open(site)
  const path = join(site, 'data/secrets.json')
  chmodSync(path, 0)
  await expect(open(site)).rejects.toThrow('EACCES')
})

test('equal values differ by purpose, ring and key', async () => {
  const secrets = await open(createFolder(), { secrets: configured() })
  const macs = [
    secrets.mac('session', 'a', 'x'),
    secrets.mac('session', 'b', 'x'),
    secrets.mac('vault', 'a', 'x'),
    secrets.mac('session', 'a', 'y'),
    ...secrets.macs('session', 'a', 'x').slice(1),
  ]
  expect(new Set(macs).size).toBe(5)
  for (const mac of macs) expect(mac).toMatch(/^[\w-]{43}$/)
  expect(secrets.macs('session', 'a', 'x')[0]).toBe(macs[0])
  expect(secrets.derived('session', 'a', 's1')).toHaveLength(32)
  expect(secrets.derived('session', 'a', 's1')).not.toEqual(secrets.derived('session', 'a', 's2'))
  expect(secrets.derived('session', 'a', 'p')).toBeUndefined()
})

// ---- one store, one set of secrets

test('a store refuses the secrets of another one', async () => {
  const storage = await createTestStorage()
  const own = configured()
  const site = await createTestApp({ storage, settings: { secrets: own } })
  for (const foreign of [
    configured(), // other keys of the same names
    { ...own, pepper: [key('other')] }, // a ring of which no key is known
    { ...own, vault: [own.vault[0]!.replace(/.$/, last => (last === 'A' ? 'E' : 'A'))] },
  ]) {
    const problem = await problemOf(() => createTestApp({ storage, settings: { secrets: foreign } }))
    expect(problem).toMatch(/are not the ones that this store was created with/)
    expect(problem).toContain('data/secrets.json')
    for (const text of Object.values(foreign).flat()) expect(problem).not.toContain(text.split(':')[1])
  }
  // A key ring may grow, be reordered and shrink again.
  const next = key('s3')
  for (const session of [[...own.session, next], [next, ...own.session], [next]]) {
    await (await createTestApp({ storage, settings: { secrets: { ...own, session } } })).close()
  }
  await site.close()
})

test.runIf(engine === 'postgres')(
  'of machines with different secrets that start on a new store one is accepted',
  async () => {
    for (let round = 0; round < 10; round++) {
      const storage = await createTestStorage()
      const secrets = () => ({
        session: [key(`s${randomToken()}`.slice(0, 8))],
        pepper: [key(`p${randomToken()}`.slice(0, 8))],
        vault: [key(`v${randomToken()}`.slice(0, 8))],
      })
      const results = await Promise.allSettled(
        Array.from({ length: 3 }, () => createTestApp({ storage, settings: { secrets: secrets() } })),
      )
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    }
  },
)
