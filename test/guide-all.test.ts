/**
 * Checks every sample of the README and the guide: blueprints by the loader, settings by their schema, commands by the
 * command line, requests by the list of endpoints. Other tests also run most of them.
 */
import { stripTypeScriptTypes } from 'node:module'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { routes } from '../client/routes.ts'
import { defineConfig, loadConfig, type Settings } from '../src/platform/config.ts'
import { shop } from './extension.ts'
import { schema } from '../src/platform/config/settings.ts'
import { createBlueprints, problemsOf, readAll } from './blueprints.ts'
import { commandsOf, guidePages, type Sample, samplesOf, wordsOf } from './guide-samples.ts'
import { quoin } from './program.ts'

const site = createBlueprints()

// ---- requests

const endpoints = Object.values(routes).map(([method, path]) => ({ method, parts: path.split('/').slice(1) }))
const isParameter = (part: string) => /^(?::|<|…)/.test(part)

/** Whether there is such an endpoint. `:id` and `<id>` stand for anything; `/account` and `/files` are short forms. */
function isEndpoint(method: string, path: string): boolean {
  const full = path.replace(/^\/account\b/, '/users/account').replace(/^\/files\b/, '/site/files')
  const parts = full.split('/').slice(1)
  return endpoints.some(
    endpoint =>
      endpoint.method === method &&
      endpoint.parts.length === parts.length &&
      endpoint.parts.every((part, index) => part === parts[index] || part.startsWith(':')),
  )
}

const otherPaths = /^\/(?:health\/(?:live|ready)|metrics|reference|openapi\.json|panel|media)?(?:\/|$)/

function checkCurl(words: string[]): void {
  const url = words.find(word => /^(?:https?:\/\/|\$SITE)/.test(word))!
  const path = url.replace(/^(?:https?:\/\/[^/]+|\$SITE)/, '').replace(/\?.*$/, '')
  if (!path.startsWith('/api')) return expect(path).toMatch(otherPaths)
  const given = words[words.indexOf('-X') + 1]!
  const method = words.includes('-X') ? given : words.some(word => /^-d|^--data/.test(word)) ? 'POST' : 'GET'
  expect([method, path, isEndpoint(method, path.slice('/api'.length))]).toEqual([method, path, true])
}

// ---- commands

/** Programs other than `quoin` and `curl`. */
const otherPrograms = new Set(
  '. cd chmod chown cp createdb createuser docker find install journalctl ls mkdir node npm openssl pg_dump printf psql runuser set systemctl systemd-analyze useradd'.split(
    ' ',
  ),
)

const commandGroups = new Set(['auth', 'extension', 'token', 'trash', 'user'])

/** The help of a command has all of its options; the number of arguments is as in its usage. */
async function checkCommand(words: string[]): Promise<void> {
  const isGroup = commandGroups.has(words[0]!)
  const name = words.slice(0, isGroup ? 2 : 1)
  const { stdout } = await quoin([...name, '--help'])
  const usage = /^Usage: quoin (.*)$/m.exec(stdout)?.[1] ?? ''
  expect(usage.startsWith(`${name.join(' ')} [options]`), `quoin ${name.join(' ')}`).toBe(true)
  const rest = words.slice(name.length)
  const plain: string[] = []
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index]!
    if (!word.startsWith('--')) {
      plain.push(word)
      continue
    }
    const option = new RegExp(`^  ${word}( <[^>]+>)?\\s`, 'm').exec(stdout)
    expect(option, `quoin ${name.join(' ')} ${word}`).not.toBeNull()
    if (option![1]?.endsWith('...>')) while (rest[index + 1] && !rest[index + 1]!.startsWith('--')) index++
    else if (option![1] !== undefined) index++
  }
  const required = usage.match(/ <[^>]+>/g)?.length ?? 0
  const possible = required + (usage.match(/ \[(?!options\])[^\]]+\]/g)?.length ?? 0)
  expect([required <= plain.length, plain.length <= possible], `arguments of ${words.join(' ')}`).toEqual([true, true])
}

async function checkShell(sample: Sample): Promise<void> {
  const environment: Record<string, string> = {}
  for (const line of commandsOf(sample)) {
    for (const command of line.split(/ && | \| |; /)) {
      const words = wordsOf(command.replaceAll(/^\(|\)$/g, ''))
      const quoinAt = words.findIndex(word => /bin\/quoin(?:\.mjs)?$/.test(word))
      const [, variable, value] = /^(QUOIN_[A-Z\d_]+)=(.*)$/.exec(command) ?? []
      if (variable !== undefined) environment[variable] = value!
      else if (words[0] === 'npx' && words[1] === 'quoin') await checkCommand(words.slice(2))
      else if (quoinAt > -1) await checkCommand(words.slice(quoinAt + 1))
      else if (words[0] === 'curl') checkCurl(words)
      else expect(otherPrograms, `the program of ${command}`).toContain(words[0])
    }
  }
  if (Object.keys(environment).length > 0) await expect(loadConfig({ site, environment })).resolves.toBeDefined()
}

// ---- TypeScript

async function checkTypeScript({ code }: Sample): Promise<void> {
  const plain = stripTypeScriptTypes(code)
  for (const [, method] of plain.matchAll(/\b(?:client|cms)\.((?:\w+\.)*\w+)(?=\()/g))
    if (!method!.startsWith('extensions.'))
      expect([...Object.keys(routes), 'asSystem', 'mail', 'store', 'with', 'write']).toContain(method)
  if (!code.includes('defineConfig(')) return
  const body = plain.replaceAll(/^import .*$/gm, '').replace('export default', 'return')
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the samples are ours
  const run = new Function('defineConfig', 'process', 'shop', body) as (...given: unknown[]) => Settings
  const secret = `whsec_${Buffer.alloc(24).toString('base64')}`
  const env = new Proxy({}, { get: () => secret })
  await expect(loadConfig({ site, options: run(defineConfig, { env }, shop) })).resolves.toBeDefined()
}

// ---- YAML

/** A form and its settings; anything else is a list of fields. */
const settingsOfForms = new Set(['extends', 'fields', 'options', 'sections', 'tabs', 'title'])
/** Files of other programs. */
const isForeign = (value: object) => ['groups', 'scrape_configs', 'services'].some(name => name in value)

/** The blueprints of a page, by their files. A fragment becomes a form; fields with different names share one. */
function blueprintsOf(samples: Sample[]): Record<string, string> {
  const files: Record<string, string> = {}
  const fields: Record<string, unknown>[] = []
  for (const { code, line } of samples) {
    const value = parse(code) as Record<string, unknown>
    const path = /^# blueprints\/(\S+\.yml)/.exec(code)?.[1]
    if (path !== undefined) files[path] = code
    else if (Object.keys(value).some(name => settingsOfForms.has(name))) files[`pages/line-${line}.yml`] = code
    else if (!isForeign(value)) {
      const form = fields.find(others => Object.keys(value).every(name => !Object.hasOwn(others, name)))
      if (form) Object.assign(form, value)
      else fields.push(value)
    }
  }
  for (const [index, form] of fields.entries()) files[`pages/fields-${index}.yml`] = stringify({ fields: form })
  return files
}

// ---- all of them

const checks: Record<string, (sample: Sample) => void | Promise<void>> = {
  ts: checkTypeScript,
  sh: checkShell,
  json: ({ code }) => void JSON.parse(code),
  yaml: () => {}, // the blueprints of a page are read together
  text: () => {},
}

test.each(guidePages)('%s', async page => {
  const samples = samplesOf(page)
  for (const sample of samples) {
    const where = `${page}:${sample.line}`
    expect(Object.keys(checks), `${where} has the language "${sample.language}"`).toContain(sample.language)
    try {
      await checks[sample.language]!(sample)
    } catch (error) {
      throw new Error(`${where}: ${(error as Error).message}`, { cause: error })
    }
  }
  expect(problemsOf(readAll(blueprintsOf(samples.filter(({ language }) => language === 'yaml'))))).toEqual([])
})

const textOf = (page: string) => readFileSync(join(import.meta.dirname, '..', page), 'utf8')

test.each(guidePages)('%s names only endpoints that exist', page => {
  const named = [...textOf(page).matchAll(/`(GET|POST|PUT|PATCH|DELETE) \/api(\/[^`?\s]*)/g)]
  const wrong = named.filter(([, method, path]) => {
    const parts = path!.split('/').map(part => (isParameter(part) ? ':any' : part))
    return !isEndpoint(method!, parts.join('/'))
  })
  expect(wrong.map(([text]) => text)).toEqual([])
})

test('the index has every chapter', () => {
  const index = textOf('docs/guide/README.md')
  const chapters = guidePages.filter(page => page.startsWith('docs/') && !page.endsWith('README.md'))
  expect(chapters.filter(page => !index.includes(`](${page.slice('docs/guide/'.length)})`))).toEqual([])
})

test('the samples are found', () => {
  expect(guidePages.length).toBeGreaterThan(20)
  expect(guidePages.flatMap(samplesOf).length).toBeGreaterThan(100)
})

/** The commands in the help of `quoin`, or of a group of commands. */
async function commandsIn(...group: string[]): Promise<string[]> {
  const { stdout } = await quoin([...group, '--help'])
  const names = [...stdout.slice(stdout.indexOf('\nCommands:')).matchAll(/^  ([\w-]+)/gm)].map(([, name]) => name!)
  return names.filter(name => name !== 'help')
}

test('the chapter about the start has every command', async () => {
  const table = textOf('docs/guide/start.md').split('## All commands')[1]!
  const documented = [...table.matchAll(/`quoin (\w+)(?: ([\w\\|-]+))?/g)].flatMap(([, name, subcommands]) => [
    name!,
    ...(subcommands ?? '').split('\\|').map(subcommand => `${name} ${subcommand}`),
  ])
  for (const name of await commandsIn()) {
    expect(documented).toContain(name)
    if (!commandGroups.has(name)) continue
    for (const subcommand of await commandsIn(name)) expect(documented).toContain(`${name} ${subcommand}`)
  }
})

// ---- settings

interface JsonSchema {
  properties?: Record<string, JsonSchema>
  default?: unknown
}

function settingsOf({ properties, default: value }: JsonSchema, path = ''): [name: string, value: unknown][] {
  if (!properties) return [[path, value]]
  return Object.entries(properties).flatMap(([name, inner]) =>
    settingsOf(inner, path === '' ? name : `${path}.${name}`),
  )
}

test('the chapter about configuration has every setting with its default', () => {
  const rows = [...textOf('docs/guide/configuration.md').matchAll(/^\| (`[\w.]+`(?:, `[\w.]+`)*) \| (.*?) \|/gm)]
  const documented = new Map(
    rows.flatMap(([, names, defaults]) => {
      const given = names!.split(', ').map(name => name.slice(1, -1))
      const values = defaults!.split(', ')
      const prefix = given[0]!.slice(0, given[0]!.lastIndexOf('.'))
      return given.map((name, index) => {
        const value = (values.length === given.length ? values[index]! : defaults!).replaceAll('`', '')
        return [name.startsWith('.') ? prefix + name : name, value] as const
      })
    }),
  )
  const settings = settingsOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema)
  for (const [name, value] of settings) {
    const text = documented.get(name)
    expect(text, `${name} is described`).toBeDefined()
    const isNone = value === undefined || (Array.isArray(value) && value.length === 0)
    // Without a default, the text says what happens.
    if (isNone) expect(text).not.toMatch(/^(?:\d+|true|false)$/)
    else expect([name, text]).toEqual([name, String(value as string | number | boolean)])
  }
  expect([...documented.keys()].filter(name => !settings.some(([known]) => known === name))).toEqual([])
})
