import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { books } from '../../test/books.ts'
import { createTestApp, createTestStorage } from '../../test/harness.ts'
import type { HttpExchange } from '../access/session/exchange.ts'
import { createPanel } from '../server/routes/panel.ts'
import type { ApiError } from '../platform/errors.ts'
import { type ConfigError, loadConfig, type Settings } from '../platform/config.ts'
import { openExtensions } from './open.ts'

const built = `<!doctype html><html><head><title>Quoin</title><link rel="icon" href="./icon.svg" /><script>early()</script></head></html>`

function createFolder(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-parts-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const parts = {
  'books.ts': 'const secret = 1',
  'panel/isbn.ts': `import { QuoinField } from 'quoin/panel'
import type { Settings } from '../books.ts'
import { digits } from './lib/digits.ts'
export default class extends QuoinField { count: number = digits }`,
  'panel/lib/digits.ts': 'export const digits: number = 13\nexport * from "./more.js"',
  'panel/lib/more.js': 'export const more = 1',
  'panel/isbn.test.ts': 'export const test = 1',
  'panel/shelf.ts': `export default class extends HTMLElement {}\nconst later = () => import('./lib/later.ts')`,
  'panel/lib/later.ts': 'export const later = true',
}
const declared = {
  fields: { isbn: './panel/isbn.ts' },
  screens: { shelf: { file: './panel/shelf.ts', label: 'A </script> "shelf"', access: 'books.shelf' } },
} as const

async function openPanel(folder: string, settings: Settings = {}) {
  const file = pathToFileURL(join(folder, 'books.ts')).href
  const { app } = await createTestApp({
    storage: await createTestStorage(),
    settings: { ...settings, extensions: [books({ file, panel: declared })] },
  })
  return showing(app)
}

function showing(app: Parameters<typeof createPanel>[0]) {
  const show = createPanel(app, async () => [], createFolder({ 'index.html': built }))
  return async (path: string) => {
    try {
      return await show(path, { headers: {} } as HttpExchange)
    } catch (error) {
      return { status: (error as ApiError).status, headers: {} as Record<string, string>, body: '' }
    }
  }
}

test('only modules that parts import are served, as JavaScript', async () => {
  const get = await openPanel(createFolder(parts))
  const isbn = await get('/extensions/books/panel/isbn.ts')
  expect(isbn).toMatchObject({ status: 200, headers: { 'content-type': 'text/javascript; charset=utf-8' } })
  expect(isbn.headers['etag']).toMatch(/^"/)
  expect(String(isbn.body)).toContain('count         = digits')
  const statusOf = async (path: string) => (await get(`/extensions/${path}`)).status
  for (const path of ['panel/lib/digits.ts', 'panel/lib/more.js', 'panel/shelf.ts', 'panel/lib/later.ts'])
    expect([path, await statusOf(`books/${path}`)]).toEqual([path, 200])
  for (const path of [
    'books/books.ts',
    'books/panel/isbn.test.ts',
    'books/panel/../books.ts',
    'books/./panel/isbn.ts',
    'books//panel/isbn.ts',
    'books/%2e%2e/package.ts',
    'other/panel/isbn.ts',
    '__proto__/constructor.ts',
    'panel/isbn.ts',
  ])
    expect([path, await statusOf(path)]).toEqual([path, 404])
  expect((await get('/extensions/books/shelf')).headers['content-type']).toContain('text/html')
})

test('only imports of the code count, not those in comments, texts and regular expressions', async () => {
  const shelf = `// An older version: import { html } from 'lit'
/* import 'lit' */ import { /* both */ a, // import 'lit'
  b } from './lib/a.ts'
const text = "import 'lit'" + 'it\\'s import("lit")' + \`
  import x from 'lit' /* \`
const pattern = /["'\`/*]/, address = 'https://example.org' // import('lit')
export default class extends HTMLElement { later = () => import(/* later */ './lib/later.ts') }
`
  const get = await openPanel(
    createFolder({ ...parts, 'panel/shelf.ts': shelf, 'panel/lib/a.ts': 'export const a = 1, b = 2' }),
  )
  for (const path of ['a', 'later']) expect((await get(`/extensions/books/panel/lib/${path}.ts`)).status).toBe(200)
})

const hashOf = (script: string) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`

test('the page names the parts and resolves quoin/panel; without extensions it stays as it was built', async () => {
  const get = await openPanel(createFolder(parts))
  const { app } = await createTestApp()
  const plain = await showing(app)('/site')
  const page = await get('/site')
  const html = String(page.body)
  const [added, map] = /<meta name="quoin-extensions".*?<script type="importmap">(.*?)<\/script>\s*(?=<title>)/s.exec(
    html,
  )!
  expect(JSON.parse(map!)).toEqual({ imports: { 'quoin/panel': '/panel/element.js' } })
  expect(added).not.toContain('A </script>')
  const withoutParts = html.replace(added, '')
  expect(withoutParts).toBe(plain.body)
  expect(plain.body).toBe(built.replace('./icon.svg', '/panel/icon.svg'))
  const policy = page.headers['content-security-policy']!
  expect(policy).toContain(`script-src 'self' ${hashOf(map!)} ${hashOf('early()')};`)
  expect(plain.headers['content-security-policy']).toBe(policy.replace(` ${hashOf(map!)}`, ''))
  expect(policy).not.toContain('unsafe')
})

const writtenIn = (page: { body?: Buffer | string }) => {
  const [, content = ''] = /<meta name="quoin-extensions" content="(.*?)"/.exec(String(page.body)) ?? []
  return JSON.parse(content.replaceAll('&quot;', '"').replaceAll('&#34;', '"')) as Record<string, unknown>
}

test('the page says what the permissions of extensions allow, also if they have no parts', async () => {
  const permissions = { 'books.shelf': 'See the shelf.' }
  const { app } = await createTestApp({ settings: { extensions: [books()] } })
  const page = await showing(app)('/site')
  expect(writtenIn(page)).toEqual({ permissions })
  expect(String(page.body)).not.toContain('importmap')
})

test('a changed file is served during development only', async () => {
  for (const development of [true, false]) {
    const folder = createFolder(parts)
    const get = await openPanel(folder, { development })
    writeFileSync(join(folder, 'panel/shelf.ts'), 'export default 5')
    const { body } = await get('/extensions/books/panel/shelf.ts')
    expect(body === 'export default 5').toBe(development)
  }
})

test.each<[problem: string, files: Record<string, string>, panel: object]>([
  ['panel: there is no file "./panel/none.ts"', {}, { fields: { isbn: './panel/none.ts' } }],
  [
    'panel/isbn.ts: there is no file "panel/none.ts"',
    { 'panel/isbn.ts': 'import "./none.ts"' },
    { fields: { isbn: './panel/isbn.ts' } },
  ],
  [
    'panel/isbn.ts: imports "react"; parts of the panel can import',
    { 'panel/isbn.ts': 'import x from "react"' },
    { fields: { isbn: './panel/isbn.ts' } },
  ],
  [
    'panel/isbn.ts: "../outside.ts" must be a .ts or .js file in the folder',
    { 'panel/isbn.ts': 'export * from "../../outside.ts"' },
    { fields: { isbn: './panel/isbn.ts' } },
  ],
  ['panel: "../isbn.ts" must be a .ts or .js file in the folder', {}, { fields: { isbn: '../isbn.ts' } }],
  [
    'panel: "./panel/isbn.css" must be a .ts or .js file',
    { 'panel/isbn.css': '' },
    { fields: { isbn: './panel/isbn.css' } },
  ],
  ['panel: "./panel/isbn.ts": ', { 'panel/isbn.ts': 'enum A { b }' }, { fields: { isbn: './panel/isbn.ts' } }],
  ['panel.fields: the extension has no field type "text"', { 'a.ts': '' }, { fields: { text: './a.ts' } }],
  ['panel.blocks: "a b" is not the name of a block', { 'a.ts': '' }, { blocks: { 'a b': './a.ts' } }],
  [
    'panel.screens.a b: its name must be a word',
    { 'a.ts': '' },
    { screens: { 'a b': { file: './a.ts', label: 'x' } } },
  ],
  ['panel.blocks: there is no block "boook"', { 'a.ts': '' }, { blocks: { boook: './a.ts' } }],
  ['panel.screens.a: needs a label', { 'a.ts': '' }, { screens: { a: { file: './a.ts' } } }],
  [
    'panel.screens.a: there is no permission "books.none"',
    { 'a.ts': '' },
    { screens: { a: { file: './a.ts', label: 'x', access: 'books.none' } } },
  ],
])('refused: %s', async (problem, files, panel) => {
  const folder = createFolder(files)
  const extensions = [books({ file: join(folder, 'books.ts'), panel })]
  const refused: unknown = await loadConfig({ site: folder, options: { extensions } })
    .then(async config => openExtensions(config))
    .catch((error: unknown) => error)
  expect((refused as ConfigError).problems).toEqual([expect.stringContaining(problem)])
})

test('a link to a file outside of the folder is refused', async () => {
  const outside = createFolder({ 'secret.ts': 'export {}' })
  const folder = createFolder({ 'books.ts': '' })
  symlinkSync(join(outside, 'secret.ts'), join(folder, 'a.ts'))
  const extensions = [books({ file: join(folder, 'books.ts'), panel: { blocks: { image: './a.ts' } } })]
  await expect(openExtensions(await loadConfig({ site: folder, options: { extensions } }))).rejects.toThrow(
    '"./a.ts" leads out of the folder of the extension',
  )
})
