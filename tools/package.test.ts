import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { chromium } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { filesIn, guidePages, programsOf } from '../test/guide-samples.ts'
import { isSlow } from '../test/slow.ts'
import { chromiumOptions } from './chromium.ts'
import { freePort } from './free-port.ts'
import { buildPackage } from './package.ts'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'quoin-package-'))
const modules = join(folder, 'node_modules')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Manifest {
  dependencies: Record<string, string>
}

/** A project that uses the package: it is below node_modules, with its dependencies beside it. */
async function install(): Promise<void> {
  mkdirSync(modules)
  const ours = join(root, 'node_modules')
  for (const name of readdirSync(ours)) if (!name.startsWith('.')) symlinkSync(join(ours, name), join(modules, name))
  await buildPackage(join(modules, 'quoin'))
}

/** With the declarations of the package, and the types of the site. */
function mustCompile(): void {
  writeFileSync(
    join(folder, 'typed.ts'),
    `import { createClient, isBroken } from 'quoin/client'
     import type { Blueprints } from './quoin.types.ts'
     const client = createClient<Blueprints>({ url: 'https://example.org' })
     const { content } = await client.pages.get<'note'>({ id: 'a' })
     const text = content?.text ?? []
     if (!isBroken(text)) for (const block of text) if (block.type === 'heading') console.log(block.content.level)
     // @ts-expect-error there is no such field
     console.log(content?.nothing)
     await client.pages.update<'note'>({ id: 'a', ifMatch: 7, strict: true }, { kind: 'story' })
     // @ts-expect-error there is no such kind of note
     await client.pages.update<'note'>({ id: 'a' }, { kind: 'poem' })`,
  )
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2024',
    strict: true,
    skipLibCheck: false, // our declarations must be right by themselves
    noEmit: true,
    allowImportingTsExtensions: true,
    types: ['node'],
  }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['typed.ts', ...writeSamples()] }),
  )
  const compiler = join(modules, 'typescript/bin/tsc')
  // The site has settings of its own for the compiler.
  for (const project of [folder, join(folder, 'site')])
    execFileSync(process.execPath, [compiler, '-p', project], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] })
}

/** All samples of README and guide. What the reader has from elsewhere is declared. */
function writeSamples(): string[] {
  writeFileSync(
    join(folder, 'globals.ts'),
    `import type { Client } from 'quoin/client'
     import type { Blueprints } from './quoin.types.ts'
     declare global {
       const client: Client<Blueprints>
       function render(page: { title?: string }, language: string | null): Response
       function emptyCache(): void
     }`,
  )
  const samples = guidePages.flatMap(page => programsOf(page)).map(code => `${code}\nexport {}\n`)
  expect(samples.length).toBeGreaterThan(25)
  return [
    'globals.ts',
    ...samples.flatMap((code, index) => {
      const name = `sample-${index}.ts`
      if (extensionFiles.some(file => code.startsWith(`// ${file}\n`))) return []
      writeFileSync(join(folder, name), code)
      return [name]
    }),
    ...extensionFiles.map(file => join('site', file)),
  ]
}

const extensionSamples = filesIn('docs/guide/extending.md')
const extensionFiles = Object.keys(extensionSamples)

/** The extensions of the guide become some of the site. */
function writeExtensions(): void {
  for (const [name, code] of Object.entries(extensionSamples)) {
    const file = join(folder, 'site', name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, code)
  }
  cpSync(join(root, 'examples/extensions/isbn/blueprints'), join(folder, 'site/extensions/blueprints'), {
    recursive: true,
  })
  const settings = extensionSamples['quoin.config.ts']!.replace(
    "shop.ts'",
    "shop.ts'\nimport { isbn } from './extensions/isbn.ts'",
  ).replace("'EUR' })", "'EUR' }), isbn()")
  writeFileSync(join(folder, 'site/quoin.config.ts'), settings)
}

test.runIf(isSlow)(
  'the published package creates a site and serves it from node_modules, with configuration and client',
  async () => {
    await install()
    expect(readdirSync(join(modules, 'quoin/dist/panel/assets')).filter(name => name.startsWith('gallery'))).toEqual([])
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(
      join(folder, 'program.ts'),
      `import { createClient, QuoinError } from 'quoin/client'
     const client = createClient({ url: process.argv[2]! })
     const error = await client.auth.get().catch((error: unknown) => error)
     const { data: words } = await client.translations.get({ id: 'de' })
     console.log(error instanceof QuoinError && words![error.key])`,
    )
    const command = join(modules, 'quoin/bin/quoin.mjs')
    expect(execFileSync(process.execPath, [command, '--version'], { cwd: folder, encoding: 'utf8' })).toMatch(
      /^\d+\.\d+\.\d+\n$/,
    )

    const created = execFileSync(process.execPath, [command, 'init', 'site', '--with-extension', '--json'], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(JSON.parse(created)).toMatchObject({ status: 'ok', next: ['cd site', 'npm install', 'npx quoin start'] })
    const manifest = JSON.parse(readFileSync(join(folder, 'site/package.json'), 'utf8')) as Manifest
    expect(manifest.dependencies).toEqual({ quoin: expect.stringMatching(/^\^\d+\.\d+\.\d+$/) as string })

    writeExtensions()
    execFileSync(process.execPath, [command, 'types', 'site', '--out', 'quoin.types.ts'], { cwd: folder })
    mustCompile()
    const shop = join(folder, 'site/extensions/shop.ts')
    writeFileSync(shop, 'const = 1')
    const check = (...args: string[]) =>
      execFileSync(process.execPath, [command, 'check', 'site', ...args], {
        cwd: folder,
        encoding: 'utf8',
        stdio: 'pipe',
      })
    expect(check('--without', 'shop')).toContain('The blueprints are in order.')
    expect(() => check()).toThrow('extensions/shop.ts')
    writeFileSync(shop, extensionSamples['extensions/shop.ts']!)

    const server = spawn(process.execPath, [command, 'start', 'site', '--port', '0', '--json'], {
      cwd: folder,
      env: { ...process.env, QUOIN_LOG_LEVEL: 'silent' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const [line] = (await once(server.stdout, 'data')) as [Buffer]
      const { url, filled } = JSON.parse(String(line)) as { url: string; filled: unknown }
      expect(filled).toEqual({ pages: 8, files: 5, skipped: [] })
      const program = execFileSync(process.execPath, ['program.ts', url], { cwd: folder, encoding: 'utf8' })
      expect(program).toBe('Bitte melden Sie sich an.\n')
      const panel = await fetch(`${url}/panel`)
      expect(panel.headers.get('content-type')).toBe('text/html; charset=utf-8')
      const html = await panel.text()
      const [, element] = /<script type="importmap">\{"imports":\{"quoin\/panel":"([^"]+)"\}\}/.exec(html) ?? []
      for (const [path, text] of [
        [element, 'attachShadow'],
        ['/panel/extensions/isbn/panel/isbn.ts', 'class Isbn extends QuoinField'],
      ])
        expect(await (await fetch(`${url}${path}`)).text()).toContain(text)
    } finally {
      server.kill('SIGTERM')
      await once(server, 'exit')
    }
  },
  600_000,
)

// ---- from the registry

/** In bytes, without Node itself. */
const maxInstalled = 80_000_000
const maxPackages = 150

/** The search path without the programs of this repository, with the given Node first. */
function pathWith(node?: string): string {
  const others = (process.env['PATH'] ?? '').split(delimiter).filter(one => !one.includes('node_modules'))
  return [...(node === undefined ? [] : [dirname(node)]), ...others].join(delimiter)
}

function sizeOf(path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

/** Once with the Node of the system, which may be older, and once with this one. */
test.runIf(isSlow).each([
  { name: 'Node of the system', node: undefined },
  { name: 'this Node', node: process.execPath },
])(
  'from the tarball in an empty folder: install, init, start, first account, a page, read it ($name)',
  async ({ node }) => {
    const home = mkdtempSync(join(tmpdir(), 'quoin-empty-'))
    const port = await freePort()
    const environment = { ...process.env, PATH: pathWith(node), QUOIN_LOG_LEVEL: 'silent' }
    const run = (cwd: string, command: string, ...words: string[]) =>
      execFileSync(command, words, { cwd, env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    const built = await buildPackage(join(home, 'package'))
    run(home, 'npm', 'pack', built, '--silent')
    const tarball = readdirSync(home).find(name => name.endsWith('.tgz'))!
    const empty = join(home, 'empty')
    mkdirSync(empty)
    run(empty, 'npm', 'install', '--silent', '--no-audit', '--no-fund', join(home, tarball))

    const installed = JSON.parse(readFileSync(join(empty, 'node_modules/.package-lock.json'), 'utf8')) as {
      packages: Record<string, unknown>
    }
    const nodes = Object.keys(installed.packages).filter(path => /node_modules\/node-\w+-\w+$/.test(path))
    expect(Object.keys(installed.packages).length).toBeLessThanOrEqual(maxPackages)
    const size = sizeOf(join(empty, 'node_modules')) - nodes.reduce((sum, path) => sum + sizeOf(join(empty, path)), 0)
    expect(size).toBeLessThanOrEqual(maxInstalled)

    expect(run(empty, 'npx', 'quoin', 'init', 'my-site')).toContain('  cd my-site\n  npx quoin start\n')
    const site = join(empty, 'my-site')
    const server = spawn('npx', ['quoin', 'start', '--port', String(port)], {
      cwd: site,
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const browser = await chromium.launch(chromiumOptions())
    try {
      let output = ''
      for await (const chunk of server.stdout) if (/\n  Stop with/.test((output += String(chunk)))) break
      const url = `http://127.0.0.1:${port}`
      const page = await browser.newPage()
      await page.goto(/http\S+#token=\S+/.exec(output)![0])
      await page.getByLabel('Your name').fill('Ada')
      await page.getByLabel('E-mail address').fill('ada@example.org')
      await page.getByLabel('Password', { exact: true }).fill('seven quiet herons over water')
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.waitForURL('**/panel/today')
      await page.goto(`${url}/panel/pages/notes`)
      await page.getByRole('button', { name: 'Add' }).last().click()
      await page.getByRole('dialog').getByRole('textbox', { name: 'Title' }).fill('My first note')
      await page.getByRole('button', { name: 'Create draft' }).click()
      await page.waitForURL('**/panel/pages/notes+my-first-note')

      const scope = ['--user', 'ada@example.org', '--name', 'test', '--scope', 'pages.read', 'access.panel']
      const created = run(site, 'npx', 'quoin', 'token', 'create', ...scope)
      const program = `import { createClient } from 'quoin/client'
        const client = createClient({ url: process.argv[2], token: process.argv[3] })
        console.log((await client.pages.get({ id: 'notes+my-first-note' })).title)`
      writeFileSync(join(site, 'read.mjs'), program)
      const token = /[\w-]{30,}/.exec(created)![0]
      expect(run(site, 'node', 'read.mjs', url, token)).toBe('My first note\n')
    } finally {
      await browser.close()
      server.kill('SIGTERM')
      await once(server, 'exit')
      rmSync(home, { recursive: true, force: true })
    }
  },
  900_000,
)
