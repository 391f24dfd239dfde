import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { engine } from '../../test/harness.ts'
import { createSite } from '../../test/program.ts'
import { isSlow } from '../../test/slow.ts'

const market = `import { defineExtension } from 'quoin'
export const market = defineExtension({ name: 'market' })`
const shopAsValue = `import { defineExtension } from 'quoin'
export const shop = defineExtension({ name: 'shop' })
export default shop`
const shopAsFunction = shopAsValue.replace('= defineExtension', '= (settings: object) => defineExtension')
const syntaxError = (code: string) => `${code}\nconst = 1`
const throwing = (code: string) => `${code}\nthrow new Error('no shop today')`

function write(folder: string, files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const folders = mkdtempSync(join(tmpdir(), 'quoin-without-'))
afterAll(() => rmSync(folders, { recursive: true, force: true }))

function createFolder(files: Record<string, string>): string {
  return write(mkdtempSync(join(folders, 'site-')), files)
}

const configWith = (imports: string, list: string) => `import { defineConfig } from 'quoin'
import { market } from './extensions/market.ts'
${imports}
export default defineConfig({ extensions: [market, ${list}] })`

interface Loaded {
  names?: string[]
  without?: string[]
  problems?: string[]
}

/** Loads the configuration of sites in a process of its own, where Node imports them. */
function load(sources: readonly { site: string; without?: readonly string[] }[]): Loaded[] {
  return inProcess(`
    const { loadConfig } = await import(${pathOf('../platform/config.ts')})
    const results = []
    for (const source of ${JSON.stringify(sources)})
      results.push(await loadConfig(source).then(
        ({ extensions, withoutExtensions }) => ({ names: extensions.map(({ name }) => name), without: withoutExtensions }),
        ({ problems }) => ({ problems }),
      ))
    console.log(JSON.stringify(results))`) as Loaded[]
}

const pathOf = (file: string) => JSON.stringify(join(import.meta.dirname, file))

function inProcess(program: string): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  return JSON.parse(stdout) as unknown
}

const importStyles: Record<string, [imports: string, list: string, code: string]> = {
  value: [`import { shop } from './extensions/shop.ts'`, 'shop', shopAsValue],
  function: [`import { shop } from './extensions/shop.ts'`, 'shop({ a: 1 })', shopAsFunction],
  default: [`import shop from './extensions/shop.ts'`, 'shop', shopAsValue],
  renamed: [`import { shop as one } from './extensions/shop.ts'`, 'one({})', shopAsFunction],
  namespace: [`import * as all from './extensions/shop.ts'`, 'all.shop({})', shopAsFunction],
  dynamic: [`const { shop } = await import('./extensions/shop.ts')`, 'shop', shopAsValue],
  spread: [
    `import { shop } from './extensions/shop.ts'\nconst list = [shop]`,
    '...list.map(one => one({})), ...(shop ? [shop({})] : [])',
    shopAsFunction,
  ],
  folder: [`import { shop } from './extensions/index.ts'`, 'shop', shopAsValue],
}

const styleSites = Object.entries(importStyles).flatMap(([style, [imports, list, code]]) =>
  [code, syntaxError(code), throwing(code)].map(text => {
    const files = {
      'quoin.config.ts': configWith(imports, list),
      'extensions/shop.ts': text,
      'extensions/market.ts': market,
      'extensions/index.ts': `export * from './market.ts'\nexport * from './shop.ts'`,
    }
    return { style, site: createFolder(files), without: ['shop'] }
  }),
)

const storeSite = (more: Record<string, string> = {}) =>
  createFolder({
    'quoin.config.ts': configWith(`import { shop } from './extensions/store.ts'`, 'shop'),
    'extensions/market.ts': market,
    ...more,
  })
const shopAndOther = throwing(`${shopAsValue}\nexport const other = defineExtension({ name: 'other' })`)
const marketUsingShop = `import { tax } from './shop.ts'\n${market}`
const sitesLeavingOut = [
  { site: storeSite(), without: ['store'] },
  { site: storeSite({ 'extensions/store.ts': throwing(shopAsValue) }), without: ['shop'] },
  { site: storeSite({ 'extensions/store.ts': throwing(shopAsValue) }), without: ['store'] },
  { site: storeSite({ 'extensions/store.ts': shopAndOther }), without: ['shop'] },
  { site: storeSite({ 'extensions/store.ts': shopAndOther }), without: ['shop', 'other'] },
  {
    site: storeSite({
      'quoin.config.ts': configWith('', ''),
      'extensions/market.ts': marketUsingShop,
      'extensions/shop.ts': 'export const tax = 1',
    }),
    without: ['shop'],
  },
]

const shopSite = (code: string | undefined) => ({
  site: createFolder({
    'quoin.config.ts': configWith(`import { shop } from './extensions/shop.ts'`, 'shop'),
    'extensions/market.ts': market,
    ...(code !== undefined && { 'extensions/shop.ts': code }),
  }),
})
const brokenSites = [
  shopSite(throwing(shopAsValue)),
  shopSite(syntaxError(shopAsValue)),
  shopSite(undefined),
  shopSite(`import 'quoin-nowhere'\n${shopAsValue}`),
  shopSite(`${shopAsValue}\nthrow 'not an Error'`),
  shopSite(`import { z } from 'quoin'\n${shopAsValue}\nz.object({ a: z.string(), b: z.int() }).parse({})`),
  { ...shopSite(shopAsValue), without: ['cinema'] },
]

/** All sites are loaded in one process, which takes a second to start. */
const loaded = load([...styleSites, ...sitesLeavingOut, ...brokenSites])
const leavingOut = loaded.slice(styleSites.length, -brokenSites.length)
const broken = loaded.slice(-brokenSites.length)

const hint = ' (--without <name> leaves an extension out)'
const unknown = (name: string) => ({
  problems: [`--without ${name}: the settings have no extension with this name`],
})

test('an extension is left out however the settings name it, and whether or not it can be loaded', () => {
  expect(styleSites.map(({ style }, index) => [style, loaded[index]])).toEqual(
    styleSites.map(({ style }) => [style, { names: ['market'], without: ['shop'] }]),
  )
})

test('a file that is missing, or not named like its extension, can be left out; a name that nothing has is refused', () => {
  const [missing, byName, byFile, oneOfTwo, bothOfTwo, noExtension] = leavingOut
  expect(missing).toEqual({ names: ['market'], without: ['store'] })
  expect(byName).toEqual({ names: ['market'], without: ['shop'] })
  expect(byFile).toEqual({ names: ['market'], without: ['store', 'shop'] })
  expect(oneOfTwo).toEqual({
    problems: [expect.stringMatching(/^extensions\/store\.ts:\d+: no shop today \(--without/)],
  })
  expect(bothOfTwo).toEqual({ names: ['market'], without: ['shop', 'other'] })
  expect(noExtension).toEqual(unknown('shop'))
})

test('a mistake is reported with the file of the extension, or else of the configuration; an unknown name is refused', () => {
  expect(broken).toEqual([
    { problems: [`extensions/shop.ts:4: no shop today${hint}`] },
    { problems: [expect.stringMatching(/^extensions\/shop\.ts:4: .*=/)] },
    { problems: [`quoin.config.ts: Cannot find module 'extensions/shop.ts'${hint}`] },
    { problems: [`extensions/shop.ts: Cannot find package 'quoin-nowhere'${hint}`] },
    // What is thrown has no stack, so the file is unknown.
    { problems: ['quoin.config.ts: not an Error'] },
    { problems: ['extensions/shop.ts: a: must be a text', 'extensions/shop.ts: b: must be a whole number'] },
    unknown('cinema'),
  ])
})

test.runIf(engine === 'sqlite')('commands that load the configuration can leave out a broken extension', async () => {
  const { folder, environment, storage } = await createSite()
  write(folder, {
    'quoin.config.ts': configWith(`import { shop } from './extensions/shop.ts'`, 'shop'),
    'extensions/shop.ts': throwing(shopAsValue),
    'extensions/market.ts': market,
  })
  const at = (name: string) => join(storage.data, name)
  const site = ['--site', folder, '--without', 'shop']
  const furtherCommands = [
    ['check', folder, '--data', '--without', 'shop'],
    ['export', at('exported'), ...site],
    ['import', at('exported'), ...site],
    ['restore', at('site.tar'), '--dry-run', '--force', ...site],
    ['copy', '--to', at('copy.sqlite'), ...site],
    ['migrate', ...site],
    ...['user', 'token', 'trash', 'extension'].map(group => [group, 'list', ...site]),
    ['auth', 'unblock', '--all', ...site],
  ]
  const commands = [
    ['types', '--without', 'shop', folder],
    ['backup', ...site, at('site.tar')],
    ...(isSlow ? furtherCommands : []),
    // Loads the site and then fails to listen: otherwise it would run until it is stopped.
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
