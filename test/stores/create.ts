/**
 * Writes a store of a release into this folder, for `test/upgrades.test.ts`: `node test/stores/create.ts <clone of the
 * release with node_modules>`, and then the same with the URL of an empty PostgreSQL database after it. The program of
 * that release serves its own starter, and is filled through its API.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gzipSync } from 'node:zlib'

const clone = resolve(process.argv[2]!)
const database = process.argv[3]
const { version } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')) as { version: string }
const folder = mkdtempSync(join(tmpdir(), 'quoin-release-'))
const site = join(folder, 'site')
const data = join(folder, 'data')
const account = { email: 'ada@example.org', password: 'seven quiet herons over water' }

let authHeaders: Record<string, string> = {}

const server = await startServer()
try {
  await createContent(server.url, server.token)
  const answers = await readAll(server.url)
  await stopServer(server.child)
  writeStore(answers)
} finally {
  server.child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}

async function startServer(): Promise<{ child: ChildProcess; url: string; token: string }> {
  for (const part of ['blueprints', 'content', 'quoin.config.ts'])
    cpSync(join(clone, 'starter', part), join(site, part), { recursive: true })
  mkdirSync(join(site, 'node_modules'))
  symlinkSync(clone, join(site, 'node_modules/quoin'))
  const args = [join(clone, 'bin/quoin.mjs'), 'start', site, '--port', '0', '--json', '--data', data]
  const env = { ...process.env, ...(database !== undefined && { QUOIN_DATABASE_URL: database }) }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { url, setup } = JSON.parse(String(line).split('\n')[0]!) as { url: string; setup: string }
  return { child, url, token: setup.split('=')[1]! }
}

async function call(url: string, method: string, path: string, body?: object | FormData): Promise<{ data?: unknown }> {
  const isForm = body instanceof FormData
  const answer = await fetch(`${url}/api/${path}`, {
    method,
    headers: { ...authHeaders, ...(body && !isForm && { 'content-type': 'application/json' }) },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  })
  const json = (await answer.json()) as { data?: unknown }
  if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`)
  return json
}

function textBlocks(text: string) {
  return [{ type: 'text', content: { text: `<p>${text}</p>` } }]
}

async function createContent(url: string, token: string): Promise<void> {
  await call(url, 'POST', 'system/install', { ...account, name: 'Ada Wick', token })
  const answer = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  })
  const { csrf } = (await answer.json()) as { csrf: string }
  const cookie = answer.headers
    .getSetCookie()
    .map(header => header.split(';')[0])
    .join('; ')
  authHeaders = { cookie, 'x-csrf': csrf }

  await call(url, 'POST', 'languages', { code: 'en', name: 'English', default: true })
  await call(url, 'POST', 'languages', { code: 'de', name: 'Deutsch' })
  const kept = { slug: 'kept', template: 'note', content: { title: 'Kept for years', text: textBlocks('As it was.') } }
  await call(url, 'POST', 'pages/notes/children', kept)
  await call(url, 'PATCH', 'pages/notes+kept?language=de', { text: textBlocks('Über Jahre') })
  await call(url, 'PATCH', 'pages/notes+kept/status', { status: 'listed', position: 1 })
  await call(url, 'POST', 'pages/notes/children', { slug: 'binned', template: 'note', content: { title: 'Binned' } })
  await call(url, 'DELETE', 'pages/notes+binned', { force: true })
  const form = new FormData()
  form.set('file', new File(['a,b\n1,2\n'], 'table.csv', { type: 'text/csv' }))
  await call(url, 'POST', 'pages/notes+kept/files', form)
  const ben = { email: 'ben@example.org', password: 'nine grey stones in a row', role: 'editor', name: 'Ben' }
  await call(url, 'POST', 'users', ben)
}

/** The answers of the release. Later releases must answer the same. */
async function readAll(url: string): Promise<Record<string, unknown>> {
  const paths = [
    'site?select=title,content',
    'site/children?status=all&select=id,title,status,template',
    'pages/notes/children?status=all&select=id,title,status,num',
    'languages?select=code,name,default',
    'pages/notes+kept?select=id,uuid,title,status,content,template&language=en',
    'pages/notes+kept?select=title,content&language=de',
    'pages/notes+kept/files?select=filename,size,mime',
    'users?select=email,name',
  ]
  const answers: Record<string, unknown> = {}
  for (const path of paths) answers[path] = (await call(url, 'GET', path)).data
  return answers
}

async function stopServer(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

function writeStore(answers: Record<string, unknown>): void {
  const release = join(import.meta.dirname, version)
  const target = database === undefined ? release : join(release, 'postgres')
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target)
  if (database === undefined) {
    writeFileSync(join(target, 'quoin.db.gz'), gzipSync(compactSqlite(), { level: 9 }))
    cpSync(join(data, 'media'), join(target, 'media'), { recursive: true })
    cpSync(join(site, 'blueprints'), join(target, 'blueprints'), { recursive: true })
  } else writeFileSync(join(target, 'dump.sql.gz'), gzipSync(dumpPostgres(database), { level: 9 }))
  writeJson(join(target, 'secrets.json'), JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8')))
  writeJson(join(target, 'answers.json'), answers)
}

/** The database as one file: without the write-ahead log, and without free pages. */
function compactSqlite(): Buffer {
  const path = join(data, 'quoin.db')
  const db = new DatabaseSync(path)
  db.exec('pragma journal_mode = delete; vacuum')
  db.close()
  return readFileSync(path)
}

/** Statements that any client can send: without those of psql, and with INSERT instead of COPY. */
function dumpPostgres(url: string): string {
  const args = ['--inserts', '--rows-per-insert=100', '--no-owner', '--no-privileges', '--dbname', url]
  const dump = execFileSync('pg_dump', args, { encoding: 'utf8', maxBuffer: 1e9 })
  return dump.replaceAll(/^(?:--.*|\\.*)?\n/gm, '')
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`)
}
