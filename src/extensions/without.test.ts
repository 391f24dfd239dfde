import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { engine } from '../../test/harness.ts'
import { createSite } from '../../test/program.ts'

const market = `import { defineExtension } from 'quoin'
export const market = defineExtension({ name: 'market' })`
const value = `import { defineExtension } from 'quoin'
export const shop = defineExtension({ name: 'shop' })
export default shop`
const made = value.replace('= defineExtension', '= (settings: object) => defineExtension')
const syntaxError = (code: string) => `${code}\nconst = 1`
const throwing = (code: string) => `${code}\nthrow new Error('no shop today')`

function write(folder: string, files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

function createFolder(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-without-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return write(folder, files)
}

const settings = (imports: string, list: string) => `import { defineConfig } from 'quoin'
import { market } from './extensions/market.ts'
${imports}
export default defineConfig({ extensions: [market, ${list}] })`

interface Loaded {
  names?: string[]
  without?: string[]
  problems?: string[]
}

/** Loads the settings of sites in a process of its own, where Node imports them. */
function load(sources: readonly { site: string; without?: readonly string[] }[]): Loaded[] {
  return inProcess(`
    const { loadConfig } = await import(${pathOf('../platform/config.ts')})
    const found = []
    for (const source of ${JSON.stringify(sources)})
      found.push(await loadConfig(source).then(
        ({ extensions, withoutExtensions }) => ({ names: extensions.map(({ name }) => name), without: withoutExtensions }),
        ({ problems }) => ({ problems }),
      ))
    console.log(JSON.stringify(found))`) as Loaded[]
}

const pathOf = (file: string) => JSON.stringify(join(import.meta.dirname, file))

function inProcess(program: string): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  return JSON.parse(stdout) as unknown
}

const styles: Record<string, [imports: string, list: string, code: string]> = {
  value: [`import { shop } from './extensions/shop.ts'`, 'shop', value],
  function: [`import { shop } from './extensions/shop.ts'`, 'shop({ a: 1 })', made],
  default: [`import shop from './extensions/shop.ts'`, 'shop', value],
  renamed: [`import { shop as one } from './extensions/shop.ts'`, 'one({})', made],
  namespace: [`import * as all from './extensions/shop.ts'`, 'all.shop({})', made],
  dynamic: [`const { shop } = await import('./extensions/shop.ts')`, 'shop', value],
  spread: [
    `import { shop } from './extensions/shop.ts'\nconst list = [shop]`,
    '...list.map(one => one({})), ...(shop ? [shop({})] : [])',
    made,
  ],
  folder: [`import { shop } from './extensions/index.ts'`, 'shop', value],
}

test('an extension is left out however the settings name it, and whether or not it can be loaded', () => {
  const sites = Object.entries(styles).flatMap(([style, [imports, list, code]]) =>
    [code, syntaxError(code), throwing(code)].map(text => {
      const files = {
        'quoin.config.ts': settings(imports, list),
        'extensions/shop.ts': text,
        'extensions/market.ts': market,
        'extensions/index.ts': `export * from './market.ts'\nexport * from './shop.ts'`,
      }
      return { style, site: createFolder(files), without: ['shop'] }
    }),
  )
  const loaded = load(sites)
  expect(sites.map(({ style }, at) => [style, loaded[at]])).toEqual(
    sites.map(({ style }) => [style, { names: ['market'], without: ['shop'] }]),
  )
})

test('a file that is missing, or not named like its extension, can be left out, and others with its name stay', () => {
  const imports = `import { shop } from './extensions/store.ts'`
  const files = { 'quoin.config.ts': settings(imports, 'shop'), 'extensions/market.ts': market }
  const both = throwing(`${value}\nexport const other = defineExtension({ name: 'other' })`)
  const helper = `import { tax } from './shop.ts'\n${market.replace("'market' }", '`market` }')}`
  const site = (more: Record<string, string>) => createFolder({ ...files, ...more })
  const [missing, byName, byFile, one, all, kept] = load([
    { site: site({}), without: ['store'] },
    { site: site({ 'extensions/store.ts': throwing(value) }), without: ['shop'] },
    { site: site({ 'extensions/store.ts': throwing(value) }), without: ['store'] },
    { site: site({ 'extensions/store.ts': both }), without: ['shop'] },
    { site: site({ 'extensions/store.ts': both }), without: ['shop', 'other'] },
    {
      site: site({
        'quoin.config.ts': settings('', ''),
        'extensions/market.ts': helper,
        'extensions/shop.ts': 'export const tax = 1',
      }),
      without: ['shop'],
    },
  ])
  expect(missing).toEqual({ names: ['market'], without: ['store'] })
  expect(byName).toEqual({ names: ['market'], without: ['shop'] })
  expect(byFile).toEqual({ names: ['market'], without: ['store', 'shop'] })
  expect(one).toEqual({ problems: ['extensions/store.ts: no shop today'] })
  expect(all).toEqual({ names: ['market'], without: ['shop', 'other'] })
  expect(kept).toEqual({ names: ['market'], without: ['shop'] })
})

test('a mistake in the file of an extension is named with the file', () => {
  const imports = `import { shop } from './extensions/shop.ts'`
  const files = { 'quoin.config.ts': settings(imports, 'shop'), 'extensions/market.ts': market }
  const site = (code: string) => ({ site: createFolder({ ...files, 'extensions/shop.ts': code }) })
  const found = load([
    site(throwing(value)),
    site(syntaxError(value)),
    { site: createFolder(files) },
    site(`import 'quoin-nowhere'\n${value}`),
    site(`${value}\nthrow 'no error'`),
    site(`import { z } from 'quoin'\n${value}\nz.object({ a: z.string(), b: z.int() }).parse({})`),
    { ...site(value), without: ['cinema'] },
  ])
  expect(found).toEqual([
    { problems: ['extensions/shop.ts: no shop today'] },
    { problems: [expect.stringMatching(/^extensions\/shop\.ts: .*=/)] },
    { problems: ["quoin.config.ts: Cannot find module 'extensions/shop.ts'"] },
    { problems: ["extensions/shop.ts: Cannot find package 'quoin-nowhere'"] },
    { problems: ['quoin.config.ts: no error'] },
    { problems: ['extensions/shop.ts: a: must be a text', 'extensions/shop.ts: b: must be a whole number'] },
    { names: ['market', 'shop'], without: ['cinema'] },
  ])
})

test.runIf(engine === 'sqlite')('every command can leave out a broken extension', async () => {
  const { folder, environment, storage } = await createSite()
  write(folder, {
    'quoin.config.ts': settings(`import { shop } from './extensions/shop.ts'`, 'shop'),
    'extensions/shop.ts': throwing(value),
    'extensions/market.ts': market,
  })
  const at = (name: string) => join(storage.data, name)
  const site = ['--site', folder, '--without', 'shop']
  const commands = [
    ['check', folder, '--data', '--without', 'shop'],
    ['types', '--without', 'shop', folder],
    ['export', at('exported'), ...site],
    ['import', at('exported'), ...site],
    ['backup', ...site, at('site.tar')],
    ['restore', at('site.tar'), '--dry-run', '--force', ...site],
    ['copy', '--to', at('copy.sqlite'), ...site],
    ['migrate', ...site],
    ...['user', 'token', 'trash', 'extension'].map(group => [group, 'list', ...site]),
    ['auth', 'unblock', '--all', ...site],
    ['start', folder, '--without', 'shop', '--host', 'nowhere.invalid'],
  ]
  const ran = inProcess(`
    import { Readable, Writable } from 'node:stream'
    const { createProgram } = await import(${pathOf('../cli/program.ts')})
    const ran = []
    for (const args of ${JSON.stringify(commands)}) {
      let output = ''
      const stream = new Writable({ decodeStrings: false, write: (text, _encoding, done) => (output += text, done()) })
      const terminal = { stdin: Readable.from(['']), stdout: stream, stderr: stream, env: ${JSON.stringify(environment)} }
      ran.push({ code: await createProgram(terminal).run(args), output })
    }
    console.log(JSON.stringify(ran))`) as { code: number; output: string }[]
  expect(ran.map(({ code, output }, index) => [commands[index]![0], code, code === 0 ? '' : output])).toEqual(
    commands.map(([name]) =>
      name === 'start' ? [name, 1, expect.stringContaining('nowhere.invalid')] : [name, 0, ''],
    ),
  )
})
