import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openApp } from '../app.ts'
import { loadConfig } from '../platform/config.ts'
import { migrations } from '../platform/store/migrate.ts'
import { isServerLockHeld } from '../platform/store/server-lock.ts'
import { engine } from '../../test/harness.ts'
import { cleanEnvironment, createSite, openServer, quoin, type Run, type Site, spawnQuoin } from '../../test/program.ts'
import { isFirstEngine, isSlow } from '../../test/slow.ts'

const password = 'a password that is long enough'
/** Commands that open no store are the same on both engines: one run is enough. */
const isOnce = engine === 'sqlite'
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-cli-'))
  folders.push(folder)
  return folder
}

let site: Site
beforeAll(async () => {
  site = await createSite()
})

/** A command on the site of this file. */
const onSite = (args: string[], input = '', environment: Record<string, string> = {}) =>
  quoin([...args, '--site', site.folder], { environment: { ...site.environment, ...environment }, input })

/** With `--json`, read. */
async function json<Value>(args: string[], input = ''): Promise<Value> {
  const run = await onSite([...args, '--json'], input)
  expect(run).toMatchObject({ code: 0, stderr: '' })
  return JSON.parse(run.stdout) as Value
}

/** The command failed with readable lines, without a stack trace. */
function failed({ code, stdout, stderr }: Run, expected: number, ...lines: (string | RegExp)[]): void {
  expect(code, `with ${stdout}${stderr}`).toBe(expected)
  expect(stdout).toBe('')
  expect(stderr).not.toMatch(/^\s+at /m)
  expect(stderr).not.toMatch(/node:internal|file:\/\//)
  const output = stderr.trimEnd().split('\n')
  for (const [index, line] of lines.entries()) expect(output[index]).toMatch(line)
  if (expected === 1) expect(output).toHaveLength(lines.length)
}

const create = (email: string, ...more: string[]) => ['user', 'create', '--email', email, '--password-stdin', ...more]

// ---- asking

const commands = [
  [],
  ['init'],
  ['start'],
  ['check'],
  ['types'],
  ['import'],
  ['export'],
  ['backup'],
  ['restore'],
  ['copy'],
  ['user'],
  ['user', 'create'],
  ['user', 'list'],
  ['user', 'password'],
  ['user', 'invite'],
  ['user', 'reset'],
  ['user', 'enable'],
  ['user', 'disable'],
  ['user', 'delete'],
  ['trash'],
  ['trash', 'restore'],
  ['migrate'],
  ['auth'],
  ['auth', 'calibrate'],
  ['auth', 'revoke-all'],
  ['auth', 'unblock'],
  ['token'],
  ['token', 'create'],
  ['token', 'list'],
  ['token', 'revoke'],
]

test.runIf(isOnce).each(commands.map(words => [words.join(' ') || 'quoin', words] as const))(
  '%s --help prints the usage',
  async (_, words) => {
    const { code, stdout, stderr } = await quoin([...words, '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`Usage: ${['quoin', ...words].join(' ')}`)
  },
)

test.runIf(isOnce)('the help of check says that redirects are checked and deleted', async () => {
  const { stdout } = await quoin(['check', '--help'])
  const help = stdout.replaceAll(/\s+/g, ' ')
  expect(help).toMatch(/--data .*redirects.* --thorough .* --repair .*delete .*redirects/)
})

test.runIf(isOnce)('--version prints the release', async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
    version: string
  }
  const printed = { code: 0, stdout: `${version}\n`, stderr: '' }
  expect(await quoin(['--version'])).toEqual(printed)
  expect(await spawnQuoin(['--version'])).toEqual(printed)
})

test.runIf(isOnce).each([
  ['no command', []],
  ['an unknown command', ['serve']],
  ['an unknown subcommand', ['user', 'promote']],
  ['half a command', ['user']],
  ['an unknown option', ['start', '--colour']],
  ['a missing option', ['user', 'create']],
  ['a missing argument', ['user', 'disable']],
  ['an argument too many', ['user', 'disable', 'a', 'b']],
  ['an invalid port', ['start', '--port', 'http']],
  ['a port that is too large', ['start', '--port', '65536']],
  ['a port that is negative', ['start', '--port=-1']],
  ['the password as an option', ['user', 'create', '--email', 'a@example.org', '--password', 'open sesame 12345']],
  ['the password as an argument', ['user', 'password', 'a@example.org', 'open sesame 12345']],
])('%s is wrong usage', async (_, args) => {
  const run = await quoin(args)
  failed(run, 2)
  expect(run.stderr).toMatch(/--help|Usage/)
  expect(run.stderr).not.toContain('open sesame')
})

test('a folder without a site is distinguished from an empty one', async () => {
  const folder = createFolder()
  for (const args of [
    ['start', folder],
    ['user', 'list', '--site', folder],
    ['migrate', '--site', join(folder, 'nowhere')],
  ]) {
    failed(
      await quoin(args),
      2,
      /^quoin: There is no site in .*: it has no quoin\.config\.ts, blueprints\/ or content\/\.$/,
    )
  }
  const { code, stdout } = await quoin(['start', folder, '--json'])
  expect(code).toBe(2)
  expect(JSON.parse(stdout)).toEqual({ status: 'error', key: null, messages: [expect.stringContaining('no site')] })
  mkdirSync(join(folder, 'blueprints'))
  expect(await quoin(['user', 'list', '--site', folder])).toEqual({
    code: 0,
    stdout: 'There is no account yet.\n',
    stderr: '',
  })
})

// ---- accounts

interface Listed {
  id: string
  email: string
  name: string
  role: string
  status: string
}

test('an account is created, listed, changed and deleted', async () => {
  const created = await onSite(create('Ada@example.org', '--name', 'Ada'), `${password}\n`)
  expect(created).toEqual({ code: 0, stdout: 'Created the account Ada@example.org (admin).\n', stderr: '' })
  const { id } = await json<{ status: string; id: string }>(create('bob@example.org'), password)
  expect(id).toMatch(/^[a-z0-9]{16}$/)

  const users = await json<Listed[]>(['user', 'list'])
  expect(users).toEqual([
    { id: expect.any(String), email: 'ada@example.org', name: 'Ada', role: 'admin', status: 'active' },
    { id, email: 'bob@example.org', name: '', role: 'admin', status: 'active' },
  ])
  const listed = await onSite(['user', 'list'])
  expect(listed.stdout.trimEnd().split('\n')).toHaveLength(2)
  expect(listed.stdout).toContain('bob@example.org')

  expect(await json(['user', 'disable', 'BOB@example.org'])).toEqual({ status: 'ok', id })
  expect((await json<Listed[]>(['user', 'list']))[1]!.status).toBe('disabled')
  expect(await json(['user', 'enable', id])).toEqual({ status: 'ok', id })
  expect((await json<Listed[]>(['user', 'list']))[1]!.status).toBe('active')
  expect(await json(['user', 'password', id, '--password-stdin'], 'another long password')).toEqual({
    status: 'ok',
    id,
  })
  expect(await json(['user', 'delete', 'bob@example.org'])).toEqual({ status: 'ok', id })
  expect(await json<Listed[]>(['user', 'list'])).toHaveLength(1)
  const [entry] = await json<{ id: string }[]>(['trash', 'list'])
  expect(entry).toMatchObject({ kind: 'user', path: 'bob@example.org', by: null })
  const restored = await json(['trash', 'restore', entry!.id, '--email', 'robert@example.org'])
  expect(restored).toEqual({ status: 'ok', kind: 'user', uuid: `user://${id}`, id })
  expect((await json<Listed[]>(['user', 'list']))[1]).toMatchObject({ email: 'robert@example.org', status: 'disabled' })
  expect(await json(['user', 'delete', id])).toEqual({ status: 'ok', id })
  expect(await json(['trash', 'delete', '--all'])).toEqual({ status: 'ok', deleted: 1 })
  failed(await onSite(['trash', 'restore', entry!.id]), 1, /^quoin: This is not in the trash/)
  failed(await onSite(['trash', 'delete']), 2, 'quoin: Name one entry of the trash, or use --all.')
})

test('errors about accounts are one line', async () => {
  await onSite(create('ada@example.org'), password) // perhaps there already
  const refused = async (args: string[], input: string, line: string) => failed(await onSite(args, input), 1, line)
  await refused(
    create('ADA@example.org'),
    password,
    'quoin: There is already an account with the e-mail address “ada@example.org”.',
  )
  await refused(create('not an address'), password, 'quoin: This is not an e-mail address.')
  await refused(
    create('c@example.org'),
    'short',
    'quoin: Please choose another password. It needs at least 15 characters.',
  )
  await refused(create('c@example.org'), '', 'quoin: Please choose another password. It needs at least 15 characters.')
  await refused(create('c@example.org'), 'x'.repeat(513), 'quoin: The password is longer than 512 characters.')
  await refused(create('c@example.org', '--role', 'king'), password, 'quoin: There is no role “king”.')
  for (const name of ['disable', 'enable', 'delete']) {
    await refused(['user', name, 'nobody@example.org'], '', 'quoin: There is no account “nobody@example.org”.')
  }
  await refused(['user', 'password', 'nobody', '--password-stdin'], password, 'quoin: There is no account “nobody”.')
  await refused(
    ['user', 'password', 'ada@example.org', '--password-stdin'],
    'short',
    'quoin: Please choose another password. It needs at least 15 characters.',
  )
  await refused(['user', 'disable', 'ada@example.org'], '', 'quoin: The last administrator cannot be disabled.')
  await refused(['user', 'delete', 'ada@example.org'], '', 'quoin: The last administrator cannot be deleted.')

  const { code, stdout, stderr } = await onSite(['user', 'delete', 'ada@example.org', '--json'])
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(JSON.parse(stdout)).toEqual({
    status: 'error',
    key: 'error.user.delete.lastAdmin',
    messages: ['The last administrator cannot be deleted.'],
  })
  expect(await json<Listed[]>(['user', 'list'])).toHaveLength(1)
})

test('without a terminal the password comes from standard input', async () => {
  failed(await onSite(['user', 'create', '--email', 'd@example.org']), 2, /use --password-stdin/)
})

/** Of util-linux: runs a command on a pseudo terminal. */
const typewriter = 'script'
const hasTypewriter = spawnSync(typewriter, ['--version']).status === 0

/** Types at a pseudo terminal, each answer when its question has appeared. */
async function atTerminal(
  args: string[],
  answers: [question: string, answer: string][],
): Promise<{ code: number | null; screen: string }> {
  const program = join(import.meta.dirname, '../../bin/quoin.mjs')
  const command = [process.execPath, program, ...args].map(word => `'${word}'`).join(' ')
  const child = spawn(typewriter, ['-qec', command, '/dev/null'], { env: cleanEnvironment(site.environment) })
  let screen = ''
  let from = 0
  const waiting = [...answers]
  child.stdout.on('data', chunk => {
    screen += String(chunk)
    const next = waiting[0]
    if (!next || !screen.slice(from).includes(next[0])) return
    from = screen.length
    waiting.shift()
    child.stdin.write(next[1])
  })
  const [code] = (await once(child, 'close')) as [number | null]
  expect(waiting).toEqual([])
  return { code, screen }
}

test.runIf(hasTypewriter && isFirstEngine)('at a terminal the password is asked for twice without echo', async () => {
  const args = ['user', 'create', '--email', 'typed@example.org', '--site', site.folder]
  const typed = await atTerminal(args, [
    ['Password: ', `${password}\r`],
    ['Repeat the password: ', `${password}\r`],
  ])
  expect(typed.code, `with ${typed.screen}`).toBe(0)
  expect(typed.screen).toContain('Created the account typed@example.org (admin).')
  expect(typed.screen).not.toContain(password.slice(0, 6))
  // A control sequence that moves the cursor or erases the line would hide the question.
  expect(typed.screen).toMatch(/Password: \r?\n/)
  expect(typed.screen).toMatch(/Repeat the password: \r?\n/)

  await onSite(['user', 'delete', 'typed@example.org'])
})

test.runIf(hasTypewriter && isFirstEngine)('at a terminal Ctrl-C stops the question for a password', async () => {
  const args = ['user', 'create', '--email', 'typed@example.org', '--site', site.folder]
  const stopped = await atTerminal(args, [['Password: ', '\u0003']])
  expect(stopped.code).toBe(2)
  expect(stopped.screen).toContain('Stopped.')
})

test.runIf(hasTypewriter && isSlow)('at a terminal two different passwords are refused', async () => {
  await onSite(create('typed@example.org'), password)
  const different = await atTerminal(
    ['user', 'password', 'typed@example.org', '--site', site.folder],
    [
      ['Password: ', `${password}\r`],
      ['Repeat the password: ', 'something else entirely\r'],
    ],
  )
  expect(different.code).toBe(2)
  expect(different.screen).toContain('The two passwords are not the same.')
  expect(different.screen).not.toContain('something')
  await onSite(['user', 'delete', 'typed@example.org'])
})

// ---- the store

test('migrate lists what it did, or with --dry-run would do', async () => {
  const fresh = await createSite({}, { migrated: false })
  const run = (...args: string[]) =>
    quoin(['migrate', '--site', fresh.folder, ...args], { environment: fresh.environment })
  const names = migrations.map(([name]) => name)
  expect(await run('--dry-run')).toEqual({
    code: 0,
    stdout: names.map(name => `would run ${name}\n`).join(''),
    stderr: '',
  })
  expect(JSON.parse((await run('--dry-run', '--json')).stdout)).toEqual({
    status: 'ok',
    dryRun: true,
    migrations: names,
    conversions: [],
  })
  expect(await run()).toEqual({ code: 0, stdout: names.map(name => `ran ${name}\n`).join(''), stderr: '' })
  expect(await run()).toEqual({ code: 0, stdout: 'The database is up to date.\n', stderr: '' })
  // As if the program had been stopped while it converted contents.
  const app = await openApp(await loadConfig({ site: fresh.folder, environment: fresh.environment }))
  await app.store.write(tx => tx.insertInto('conversions').values({ name: 'contents', place: '' }).execute())
  await app.close()
  expect((await run('--dry-run')).stdout).toBe('would convert contents\n')
  expect((await run()).stdout).toBe('converted contents\n')
  const done = { status: 'ok', dryRun: true, migrations: [], conversions: [] }
  expect(JSON.parse((await run('--dry-run', '--json')).stdout)).toEqual(done)
})

test('revoke-all prints how many sessions it ended', async () => {
  await onSite(create('ada@example.org'), password)
  const server = await openServer(site)
  const body = { email: 'ada@example.org', password }
  for (let times = 0; times < 2; times++) {
    expect((await server.send({ path: '/api/auth/login', body })).status).toBe(200)
  }
  expect(await json(['auth', 'revoke-all'])).toEqual({ status: 'ok', sessions: 2, tokens: 0 })
  expect((await onSite(['auth', 'revoke-all'])).stdout).toBe(
    'Ended 0 sessions and 0 API tokens. All users must sign in again.\n',
  )
  await server.close()
})

test('tokens of an account are created, shown once, listed and revoked', async () => {
  await onSite(create('service@example.org'), password)
  const account = ['--user', 'service@example.org']
  const args = [
    'token',
    'create',
    ...account,
    '--name',
    'Deployment',
    '--scope',
    'pages.*',
    'site.update',
    '--days',
    '30',
  ]
  const created = await json<{ id: string; token: string; scopes: string[]; expires: string }>(args)
  expect(created).toMatchObject({ scopes: ['pages.*', 'site.update'], token: expect.stringMatching(/^quoin_\w{32}$/) })
  const server = await openServer(site)
  const use = async (bearer: string) => (await server.send({ path: '/api/auth', bearer })).status
  expect(await use(created.token)).toBe(200)
  const listed = await onSite(['token', 'list', ...account, '--json'])
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { id: created.id, name: 'Deployment', email: 'service@example.org' },
  ])
  expect(listed.stdout).not.toContain(created.token)
  expect((await onSite(['token', 'revoke', created.id])).stdout).toBe(`Revoked the API token ${created.id}.\n`)
  expect(await use(created.token)).toBe(401)
  const shown = await onSite(['token', 'create', ...account, '--name', 'x', '--scope', '*'])
  expect(await use(shown.stdout.trim())).toBe(200)
  expect(await json(['token', 'revoke', ...account])).toEqual({ status: 'ok', revoked: 1 })
  expect(await use(shown.stdout.trim())).toBe(401)
  await server.close()
  failed(await onSite(['token', 'revoke']), 2, /--user/)
  failed(await onSite(['token', 'create', ...account, '--name', 'x', '--scope', 'nonsense']), 1, /“nonsense”/)
})

test('unblock resets the throttle of one address or of all', async () => {
  await onSite(create('slow@example.org'), password)
  const server = await openServer(site)
  const attempt = async (typed: string) =>
    (await server.send({ path: '/api/auth/login', body: { email: 'slow@example.org', password: typed } })).status
  for (const args of [['--email', 'slow@example.org'], ['--all']]) {
    for (let count = 0; count < 5; count++) await attempt('a wrong password')
    expect(await attempt(password)).toBe(429)
    expect(await json(['auth', 'unblock', ...args])).toMatchObject({ status: 'ok' })
    expect(await attempt(password)).toBe(200)
  }
  await server.close()
  failed(await onSite(['auth', 'unblock']), 2, /--email/)
  failed(await onSite(['auth', 'unblock', '--email', 'nonsense']), 2, /nonsense/)
})

test.runIf(isOnce && isSlow)('calibrate suggests a hashing cost for this machine', { timeout: 300_000 }, async () => {
  const { code, stdout, stderr } = await quoin(['auth', 'calibrate', '--json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const answer = JSON.parse(stdout) as {
    measured: { memory: number; passes: number; milliseconds: number }[]
    suggested: { memory: number; passes: number }
  }
  expect(answer.measured.length).toBeGreaterThan(0)
  for (const { milliseconds } of answer.measured) expect(milliseconds).toBeGreaterThan(0)
  expect(answer.measured).toContainEqual(expect.objectContaining(answer.suggested))
  expect(answer.suggested.memory).toBeGreaterThanOrEqual(19_456)
})

// ---- starting

// All tests with `serve` read it as JSON.
test.runIf(isFirstEngine)('a started server prints its URL as text', async () => {
  const empty = await createSite({}, { migrated: false })
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../bin/quoin.mjs'), 'start', empty.folder, '--port', '0'],
    {
      env: cleanEnvironment(empty.environment),
    },
  )
  onTestFinished(() => void child.kill())
  let text = ''
  for await (const chunk of child.stdout) {
    text += String(chunk)
    if (text.includes('Ctrl-C')) break
  }
  expect(text).toMatch(/API {8}http:\/\/127\.0\.0\.1:\d+\/api/)
  expect(text).toContain(engine === 'postgres' ? '(PostgreSQL)' : '(SQLite in ')
  expect(text).toContain('There is no account yet.')
  expect(text).toMatch(/http:\/\/127\.0\.0\.1:\d+\/panel\/install#token=[\w-]{43}\n/)
  expect(text).toContain('npx quoin user create --email you@example.org')
  expect(text).toMatch(/Panel {6}http:\/\/127\.0\.0\.1:\d+\/panel\n/)
  const [, url] = /(http:\S+)\/api/.exec(text)!
  expect(await (await fetch(`${url}/health/live`)).json()).toEqual({ status: 'ok' })
  expect(isServerLockHeld(empty.storage)).toBe(true)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(isServerLockHeld(empty.storage)).toBe(false)
})

test('a port in use is reported in one line', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const run = await quoin(['start', site.folder, '--port', String(port)], { environment: site.environment })
  failed(run, 1, 'quoin: This address is in use by another program. Choose another port with --port.')
  other.close()
})

test.runIf(isOnce)('invalid settings stop the start, with one line each', async () => {
  const folder = createFolder()
  writeFileSync(
    join(folder, 'quoin.config.ts'),
    "export default { prot: 80, auth: { password: { minLength: 'long' } } }",
  )
  const run = await quoin(['start', folder], { environment: { QUOIN_PORT: '70000', QUOIN_NONSENSE: '1' } })
  failed(
    run,
    1,
    'quoin: QUOIN_NONSENSE: there is no such setting',
    'quoin: QUOIN_PORT: must be at most 65535',
    'quoin: auth.password.minLength: must be a whole number',
    'quoin: prot: there is no such setting',
  )
  const failing = createFolder() // a process loads a file of settings once
  writeFileSync(join(failing, 'quoin.config.ts'), "throw new Error('not today')")
  failed(await quoin(['user', 'list', '--site', failing]), 1, 'quoin: quoin.config.ts:1: not today')
})

test.runIf(isOnce).each([
  ['a host that is not here', { QUOIN_HOST: '192.0.2.77', QUOIN_API_ALLOW_INSECURE: '1' }, /EADDRNOTAVAIL/],
  ['an invalid host', { QUOIN_HOST: 'a b' }, /^quoin: host: must be/],
  ['data where no folder can be', { QUOIN_DATA: '/dev/null/data' }, /ENOTDIR/],
  [
    'a database that is not there',
    { QUOIN_DATABASE_URL: 'postgres://127.0.0.1:1/x' },
    /^quoin: The database cannot be reached \(connect ECONNREFUSED/,
  ],
  [
    'a database host that is not there',
    { QUOIN_DATABASE_URL: 'postgres://nowhere.invalid/x' },
    /^quoin: The database cannot be reached/,
  ],
  ['damaged secrets', { QUOIN_SECRETS_SESSION: 'a:b' }, /secrets\.pepper/, /secrets\.vault/],
] as [string, Record<string, string>, ...RegExp[]][])(
  '%s: one line, no stack trace',
  async (_, environment, ...lines) => {
    const run = await quoin(['start', site.folder, '--port', '0'], {
      environment: { ...site.environment, ...environment },
    })
    failed(run, 1, ...lines)
  },
)

test('an unusable store is reported in one line', async () => {
  const broken = await createSite()
  const run = (environment: Record<string, string>) =>
    quoin(['user', 'list', '--site', broken.folder], { environment: { ...broken.environment, ...environment } })
  if (engine === 'postgres') {
    const url = new URL(broken.environment['QUOIN_DATABASE_URL']!)
    failed(
      await run({ QUOIN_DATABASE_URL: Object.assign(new URL(url), { pathname: '/nowhere' }).href }),
      1,
      /database "nowhere" does not exist/,
    )
    failed(
      await run({ QUOIN_DATABASE_URL: Object.assign(new URL(url), { username: 'nobody' }).href }),
      1,
      /role "nobody" does not exist/,
    )
  } else {
    writeFileSync(join(broken.storage.data, 'quoin.db'), 'this is not a database, '.repeat(100))
    failed(await run({}), 1, /file is not a database/)
  }
})
