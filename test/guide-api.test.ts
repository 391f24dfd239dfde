/**
 * The samples of the guide's chapters about the API. Those of a chapter are one program, and `console.log(…) // text`
 * says what it prints.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { inspect, promisify } from 'node:util'
import { expect, test } from 'vitest'
import * as clientModule from '../client/client.ts'
import { fillFromFolder } from '../src/cli/fill/fill.ts'
import { addUser, createTestApp, type TestStorage } from './harness.ts'
import { quoin } from './program.ts'
import { createStarterStorage } from './starter.ts'
import { addToken } from './tokens.ts'

test.each(['api.md', 'queries.md', 'languages.md', 'tokens.md'])('%s', async page => {
  const text = readFileSync(join(import.meta.dirname, '../docs/guide', page), 'utf8')
  const samples = (language: string) =>
    [...text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^ *\`\`\`$`, 'gm'))].map(([, indent, code]) =>
      code!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    )
  const storage = await createStarterStorage()
  for (const code of samples('yaml')) {
    const path = join(storage.data, /^# (\S+)/.exec(code)![1]!)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, code)
  }
  const site = await createTestApp({ storage, settings: { api: { public: true } } })
  await fillFromFolder(site.app)
  const { id: owner } = await addUser(site, { email: 'ada@example.org', role: 'admin' })
  const { token } = await addToken(site.app, { owner, name: 'guide', scopes: ['*'] })
  const url = `http://127.0.0.1:${await site.listen()}`

  const code = samples('ts').join('\n')
  const expected = [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, line]) => line)
  expect(await output(code.replaceAll('https://cms.example.org', url), { url, token })).toEqual(expected)
  for (const command of samples('sh').flatMap(lines => lines.trim().split('\n')))
    if (command.startsWith('curl'))
      await promisify(execFile)(
        'sh',
        ['-c', command.replace('curl', 'curl --fail').replace('https://cms.example.org', url)],
        {
          env: { ...process.env, CMS_TOKEN: token },
        },
      )
    else if (!command.includes('<')) await runCommand(command, storage)
})

/** What a program prints. */
async function output(code: string, { url, token }: { url: string; token: string }): Promise<string[]> {
  const lines: string[] = []
  const print = (...values: unknown[]) =>
    lines.push(
      values
        .map(value =>
          typeof value === 'string' ? value : inspect(value, { breakLength: Infinity, compact: true, depth: 5 }),
        )
        .join(' '),
    )
  const body = stripTypeScriptTypes(code).replaceAll(/^import (\{[^}]+\}) from 'quoin\/client'/gm, 'const $1 = library')
  const names = ['library', 'process', 'console', 'client']
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the samples are ours
  const run = new Function(...names, `return (async () => { { ${body} } })()`) as (
    ...values: unknown[]
  ) => Promise<void>
  const client = clientModule.createClient({ url, token })
  await run(clientModule, { env: { CMS_TOKEN: token } }, { log: print }, client)
  return lines
}

async function runCommand(command: string, { data, settings }: TestStorage): Promise<void> {
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, plain]) => a ?? b ?? plain!)
  const isNewUser = words.includes('user') && words.includes('create')
  const database = settings.database?.url
  const { code, stderr } = await quoin(
    [...words.slice(2), '--site', data, ...(isNewUser ? ['--password-stdin'] : [])],
    {
      input: 'pale-ochre-quarry-lantern',
      environment: { QUOIN_DATA: data, ...(database !== undefined && { QUOIN_DATABASE_URL: database }) },
    },
  )
  expect({ command, code, stderr }).toMatchObject({ code: 0 })
}
