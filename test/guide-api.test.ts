/**
 * The samples of the guide's chapters about the API. Those of a chapter are one program, and `console.log(…) // text`
 * says what it prints.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { inspect, promisify } from 'node:util'
import { expect, test } from 'vitest'
import * as clientModule from '../client/client.ts'
import { importSiteFolder } from '../src/cli/initial-import/initial-import.ts'
import { commandsOf, programPages, programsOf, samplesOf, wordsOf } from './guide-samples.ts'
import { addUser, createTestApp } from './harness.ts'
import { quoin } from './program.ts'
import { createStarterStorage } from './starter.ts'
import { addToken } from './tokens.ts'

const storage = await createStarterStorage()
for (const { code } of programPages.flatMap(samplesOf).filter(({ language }) => language === 'yaml')) {
  const path = join(storage.data, /^# (\S+)/.exec(code)![1]!)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, code)
}
const site = await createTestApp({ storage, settings: { api: { public: true } } })
await importSiteFolder(site.app)
const password = 'pale-ochre-quarry-lantern'
const { id: owner } = await addUser(site, { email: 'ada@example.org', role: 'admin', password })
const { token } = await addToken(site.app, { userId: owner, name: 'guide', scopes: ['*'] })
const url = `http://127.0.0.1:${await site.listen()}`
const env = { ...process.env, CMS_TOKEN: token }

/** One after the other on the same site. */
test.each(programPages)('%s', async page => {
  const [code] = programsOf(page)
  const expected = [...code!.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, line]) => line)
  expect(await output(code!)).toEqual(expected)
  for (const command of samplesOf(page).flatMap(sample => (sample.language === 'sh' ? commandsOf(sample) : [])))
    if (command.startsWith('curl') && command.includes('https://cms.example.org')) await request(command)
    else if (command.startsWith('npx quoin') && !/<|--media/.test(command)) await runCommand(command)
})

/** What a program prints. */
async function output(code: string): Promise<string[]> {
  const lines: string[] = []
  const print = (...values: unknown[]) =>
    lines.push(
      values
        .map(value =>
          typeof value === 'string' ? value : inspect(value, { breakLength: Infinity, compact: true, depth: 5 }),
        )
        .join(' '),
    )
  const body = stripTypeScriptTypes(code.replaceAll('https://cms.example.org', url)).replaceAll(
    /^import (\{[^}]+\}) from 'quoin\/client'/gm,
    'const $1 = library',
  )
  const names = ['library', 'process', 'console', 'client']
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the samples are ours
  const run = new Function(...names, `return (async () => { { ${body} } })()`) as (
    ...values: unknown[]
  ) => Promise<void>
  const client = clientModule.createClient({ url, token })
  await run(clientModule, { env: { CMS_TOKEN: token } }, { log: print }, client)
  return lines
}

async function request(command: string): Promise<void> {
  const line = command.replace('curl', 'curl --fail').replace('https://cms.example.org', url)
  await promisify(execFile)('sh', ['-c', line], { env, cwd: storage.data })
}

async function runCommand(command: string): Promise<void> {
  const words = wordsOf(command)
  const isNewUser = words.includes('user') && words.includes('create')
  const database = storage.settings.database?.url
  const { code, stderr } = await quoin(
    [...words.slice(2), '--site', storage.data, ...(isNewUser ? ['--password-stdin'] : [])],
    {
      input: password,
      environment: { QUOIN_DATA: storage.data, ...(database !== undefined && { QUOIN_DATABASE_URL: database }) },
    },
  )
  expect({ command, code, stderr }).toMatchObject({ code: 0 })
}
