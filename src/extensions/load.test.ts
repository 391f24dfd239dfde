import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { shop } from '../../test/extension.ts'
import { filesIn } from '../../test/guide-samples.ts'
import { createSite, quoin } from '../../test/program.ts'
import { engine } from '../../test/harness.ts'
import { defineExtension, documents, job, json, on, type Settings, z } from '../index.ts'
import { type ConfigError, loadConfig } from '../platform/config.ts'
import { openExtensions } from './open.ts'
import { peerProblem } from './peer.ts'

function createFolder(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-extensions-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  write(folder, files)
  return folder
}

function write(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

async function problemsOf(...extensions: unknown[]): Promise<string[]> {
  try {
    const site = createFolder()
    await openExtensions(await loadConfig({ site, options: { extensions } as Settings }))
    return []
  } catch (error) {
    return (error as ConfigError).problems
  }
}

/** Without its types, as an author in JavaScript would write it. */
const declared = (definition: object, ...settings: unknown[]) =>
  (defineExtension as (one: object, ...more: unknown[]) => unknown)(
    { file: '/site/extensions/shop.ts', ...definition },
    ...settings,
  )

const anything = (definition: unknown) => {
  const extension = (defineExtension as (one: unknown) => object)(definition)
  return { ...extension, file: '/site/extensions/shop.ts' }
}

const a = documents('a', { value: z.unknown() })
const nothing = async () => {}
const handler = (event: string, options: object = {}) => on(event as 'page.changed', nothing, options)
const answer = json(z.object({}))
const route = { method: 'GET', path: '/orders', summary: 'x', access: 'public', answer, handler: async () => ({}) }
const withRule = (change: object) =>
  declared({ name: 'shop', rules: [{ names: ['pages.publish'], check: () => {}, options: {}, ...change }] })
const withEndpoint = (change: object) => declared({ name: 'shop', endpoints: { list: { ...route, ...change } } })

const withField = (type: object, name = 'isbn') => declared({ name: 'shop', fields: { [name]: type } })

test.each<[problem: string, extensions: () => unknown[]]>([
  ['a name has small letters', () => [declared({ name: 'Shop' })]],
  ['rules: there is no operation "pages.publsh"', () => [withRule({ names: ['pages.publsh'] })]],
  ['rules: a rule needs an operation and a function', () => [withRule({ check: 'x' })]],
  ['rules: timeout must be a whole number between 1 and 10000', () => [withRule({ options: { timeout: 60_000 } })]],
  ['a name has small letters', () => [declared({ name: '../shop' })]],
  ['the name "pages" is taken by Quoin itself', () => [declared({ name: 'pages' })]],
  ['the name "request" is taken by Quoin itself', () => [declared({ name: 'request' })]],
  [
    'the name "shop" is already declared by shop (',
    () => [declared({ name: 'shop' }), declared({ name: 'shop', file: '/site/other.ts' })],
  ],
  [
    'settings: currency: must be a text',
    () => [declared({ name: 'shop', settings: z.strictObject({ currency: z.string() }) }, {})],
  ],
  [
    'settings: colour: there is no such setting',
    () => [declared({ name: 'shop', settings: z.strictObject({}) }, { colour: 1 })],
  ],
  ['there is no folder /nowhere', () => [declared({ name: 'shop', blueprints: new URL('file:///nowhere') })]],
  ['permissions: "See orders" is not a word', () => [declared({ name: 'shop', permissions: { 'See orders': 'x' } })]],
  [
    'errors: "price-missing" is not a word',
    () => [declared({ name: 'shop', errors: { 'price-missing': [422, 'x'] } })],
  ],
  [
    'errors: the status of "closed" must be between 400 and 599',
    () => [declared({ name: 'shop', errors: { closed: [200, 'x'] } })],
  ],
  ['texts: there is no error "open"', () => [declared({ name: 'shop', texts: { de: { open: 'x' } } })]],
  ['texts: the interface has no language "la"', () => [declared({ name: 'shop', texts: { la: {} } })]],
  [
    'texts: "closed" has other placeholders in "de" than in errors',
    () => [declared({ name: 'shop', errors: { closed: [409, '{a}'] }, texts: { de: { closed: '{b}' } } })],
  ],
  ['fields.text: there is already a field type "text"', () => [withField({}, 'text')]],
  ['fields.ISBN: a name has small letters', () => [withField({}, 'ISBN')]],
  ['fields.isbn: shown: there is no built-in field type "txt"', () => [withField({ shown: 'txt' })]],
  ['fields.isbn: shown: the input of "structure" cannot show it', () => [withField({ shown: 'structure' })]],
  ['fields.isbn: shown: the input of "pages" cannot show it', () => [withField({ shown: 'pages' })]],
  ['fields.isbn: shown: the input of "info" cannot show it', () => [withField({ shown: 'info' })]],
  ['fields.isbn: read: must be a function', () => [withField({ shown: 'text', read: 'x' })]],
  ['fields.isbn: storedAs: must be text, list or map', () => [withField({ storedAs: 'blob' })]],
  ['fields.isbn: settings: must be a z.object', () => [withField({ settings: { a: 1 } })]],
  [
    'fields.isbn: settings: every field has a setting "label"',
    () => [withField({ settings: z.object({ label: z.string() }) })],
  ],
  [
    'fields.isbn: settings: "text" has a setting "pattern" already',
    () => [withField({ shown: 'text', settings: z.object({ pattern: z.string() }) })],
  ],
  [
    'the field type "isbn" is already declared by shop (',
    () => [withField({ shown: 'text' }), declared({ name: 'market', fields: { isbn: { shown: 'text' } } })],
  ],
  ['store: there are two collections "a"', () => [declared({ name: 'shop', store: [a, a] })]],
  ['store: "a b" is not a word', () => [declared({ name: 'shop', store: [{ ...a, name: 'a b' }] })]],
  [
    'store: "a" has more than three indexes',
    () => [declared({ name: 'shop', store: [{ ...a, index: ['1', '2', '3', '4'] }] })],
  ],
  ['on page.publish: there is no such event', () => [declared({ name: 'shop', on: [handler('page.publish')] })]],
  ['on *: there is no such event', () => [declared({ name: 'shop', on: [handler('*', { name: 'all' })] })]],
  [
    'on page.changed: there are two handlers "page.changed"',
    () => [declared({ name: 'shop', on: [handler('page.changed'), handler('page.changed')] })],
  ],
  [
    'on page.changed: "a|b" is not a name such as sendMail',
    () => [declared({ name: 'shop', on: [handler('page.changed', { name: 'a|b' })] })],
  ],
  [
    'on page.changed: timeout must be between 1 and 86400000',
    () => [declared({ name: 'shop', on: [handler('page.changed', { timeout: 0 })] })],
  ],
  [
    'on page.changed: needs a function to run',
    () => [declared({ name: 'shop', on: [{ ...handler('page.changed'), run: undefined }] })],
  ],
  [
    'job nightly: at: "60 3 * * *": "60" is not a minute from 0 to 59',
    () => [declared({ name: 'shop', jobs: [job('nightly', { at: '60 3 * * *', run: nothing })] })],
  ],
  [
    'job nightly: there is no time zone "Berlin"',
    () => [declared({ name: 'shop', jobs: [job('nightly', { at: '0 3 * * *', timeZone: 'Berlin', run: nothing })] })],
  ],
  [
    'jobs: there are two jobs "nightly"',
    () => [declared({ name: 'shop', jobs: [job('nightly', { run: nothing }), job('nightly', { run: nothing })] })],
  ],
  [
    'jobs: "every night" is not a name',
    () => [declared({ name: 'shop', jobs: [job('every night', { run: nothing })] })],
  ],
  ['endpoints.list: there is no permission "shop.order"', () => [withEndpoint({ access: 'shop.order' })]],
  ['endpoints.list: "users.update" depends on an account', () => [withEndpoint({ access: 'users.update' })]],
  ['endpoints.list: the path "/../auth" must be such as', () => [withEndpoint({ path: '/../auth' })]],
  ['endpoints.list: the path "/a/:id/:id" has a parameter twice', () => [withEndpoint({ path: '/a/:id/:id' })]],
  ['endpoints.list: the path "/a/:a-b" must be such as', () => [withEndpoint({ path: '/a/:a-b' })]],
  ['endpoints.list: needs a method and a path', () => [withEndpoint({ method: 'TRACE' })]],
  ['endpoints.list: needs an answer and a handler', () => [withEndpoint({ handler: undefined })]],
  ['endpoints.list: perMinute must be a whole number above 0', () => [withEndpoint({ perMinute: 0 })]],
  [
    'endpoints.b: GET /orders/:name is already declared by shop (',
    () => [
      declared({
        name: 'shop',
        endpoints: { a: { ...route, path: '/orders/:id' }, b: { ...route, path: '/orders/:name' } },
      }),
    ],
  ],
  [
    'job nightly: needs a function to run',
    () => [declared({ name: 'shop', jobs: [job('nightly', undefined as never)] })],
  ],
  ['store a: value: must be a schema', () => [declared({ name: 'shop', store: [documents('a', undefined as never)] })]],
  [
    'endpoints.path.list: there is no permission "shop.order"',
    () => [declared({ name: 'shop', endpoints: { path: { list: { ...route, access: 'shop.order' } } } })],
  ],
  ['extensions: call it: shop()', () => [shop]],
  ['extensions: must be an extension, not a promise of one', () => [Promise.resolve(shop({ currency: 'EUR' }))]],
  ['extensions: must be what defineExtension returns', () => [{ name: 'shop' }]],
  ['there is no part "rule" of an extension', () => [declared({ name: 'x', rule: [] })]],
  ['must be an object', () => [anything(null)]],
  ['name: must be a text', () => [declared({})]],
  ['errors.a: must be a status and a text such as', () => [declared({ name: 'x', errors: { a: 422 } })]],
  ['errors.a.1: must be a text', () => [declared({ name: 'x', errors: { a: [422, 5] } })]],
  ['store[0]: must be what documents returns', () => [declared({ name: 'x', store: ['a'] })]],
  ['store a: value: must be a schema', () => [declared({ name: 'x', store: [{ ...a, value: {} }] })]],
  [
    'store a: there is no option "indexes"',
    () => [declared({ name: 'x', store: [documents('a', { value: z.unknown(), ...({ indexes: [] } as object) })] })],
  ],
  ['endpoints: must be an object of endpoints', () => [declared({ name: 'x', endpoints: null })]],
  ['endpoints.a.b: must be an object of endpoints', () => [declared({ name: 'x', endpoints: { a: { b: 5 } } })]],
  ['endpoints.list: there is no option "throttle"', () => [withEndpoint({ throttle: 5 })]],
  ['endpoints.list.query: must be a schema', () => [withEndpoint({ query: { a: 'text' } })]],
  ['panel: must be an object with fields, blocks or screens', () => [declared({ name: 'x', panel: 'x' })]],
  ['panel: there is no option "block"', () => [declared({ name: 'x', panel: { block: {} } })]],
  ['permissions: must be an object such as', () => [declared({ name: 'x', permissions: ['orders'] })]],
  ['texts.de: must be an object such as', () => [declared({ name: 'x', texts: { de: 'x' } })]],
  ['blueprints: must be new URL(', () => [declared({ name: 'x', blueprints: './blueprints' })]],
  ['settings: must be a schema', () => [declared({ name: 'x', settings: {} })]],
  ['fields.isbn: there is no option "show"', () => [withField({ show: 'text' })]],
  ['fields.isbn: must be what fieldType returns', () => [declared({ name: 'x', fields: { isbn: 'text' } })]],
  ['on: must be a list such as', () => [declared({ name: 'x', on: handler('page.changed') })]],
  ['on[0]: must be what on returns', () => [declared({ name: 'x', on: [nothing] })]],
  [
    'on page.changed: there is no option "template"',
    () => [declared({ name: 'x', on: [handler('page.changed', { template: 'a' })] })],
  ],
  [
    'on page.changed: templates: must be a list of texts',
    () => [declared({ name: 'x', on: [handler('page.changed', { templates: 'a' })] })],
  ],
  [
    'job nightly: there is no option "cron"',
    () => [declared({ name: 'x', jobs: [job('nightly', { run: nothing, ...({ cron: '0 3 * * *' } as object) })] })],
  ],
  ['rule pages.publish: there is no option "template"', () => [withRule({ options: { template: ['a'] } })]],
])('refused: %s', async (problem, extensions) => {
  const problems = await problemsOf(...extensions())
  expect(problems).toEqual([expect.stringContaining(problem)])
  if (!problem.startsWith('extensions:')) expect(problems[0]).toMatch(/^\S+ \(\S+\.ts\): /)
})

test('what is right is loaded, and every problem is reported at once', async () => {
  expect(await problemsOf(shop({ currency: 'EUR' }))).toEqual([])
  expect(await problemsOf(shop({ currency: 'Euro' }), declared({ name: 'x', texts: { de: { a: 'a' } } }))).toEqual([
    expect.stringMatching(/^shop \(\S+test\/extension\.ts\): settings: currency: must be at most 3$/),
    expect.stringContaining('texts: there is no error "a"'),
  ])
})

const schema = z.strictObject({ url: z.url(), key: z.string().min(1), fields: z.array(z.string()).default(['text']) })

test('an extension gets its settings with their defaults; if they are wrong, all problems are reported', async () => {
  const seen: unknown[] = []
  const push = (settings: unknown) =>
    defineExtension(
      { name: 'push', settings: schema, permissions: { see: 'See it.' } },
      settings as z.input<typeof schema>,
      given => {
        seen.push(given)
        return { on: [handler('page.*')] }
      },
    )
  const config = await loadConfig({
    site: createFolder(),
    options: { extensions: [push({ url: 'https://a.example', key: 'x' })] },
  })
  expect(seen).toEqual([{ url: 'https://a.example', key: 'x', fields: ['text'] }])
  expect((await openExtensions(config)).list).toMatchObject([
    { permissions: { see: 'See it.' }, handlers: [{ event: 'page.*' }] },
  ])
  expect(await problemsOf(push({ url: 'x', key: '', colour: 1 }))).toEqual([
    expect.stringMatching(/^push \(\S+load\.test\.ts\): settings: url: /),
    expect.stringContaining('settings: key: must not be empty'),
    expect.stringContaining('settings: colour: there is no such setting'),
  ])
  expect(seen).toHaveLength(1)
  const later = z.string().refine(async () => true)
  expect(await problemsOf(declared({ name: 'push', settings: later }, 'x'))).toEqual([
    expect.stringMatching(/push \(\S+\): settings: .*async/i),
  ])
  expect(() =>
    defineExtension({ name: 'push', settings: schema, on: [] }, {} as never, () => ({ on: [] })),
  ).not.toThrow()
  const values = { url: 'https://a.example', key: 'x' }
  expect(() => defineExtension({ name: 'push', settings: schema, on: [] }, values, () => ({ on: [] }))).toThrow(
    'the extension "push" declares "on" twice',
  )
})

test('what two extensions declare is refused with both places: blueprints, previews of blocks', async () => {
  const site = createFolder({
    'one/blueprints/blocks/book.yml': 'fields: { title: { type: text } }',
    'one/panel/book.ts': '',
    'two/blueprints/blocks/book.yml': 'fields: { name: { type: text } }',
    'two/panel/book.ts': '',
  })
  const extension = (name: string) =>
    declared({
      name,
      file: join(site, name, 'extension.ts'),
      blueprints: new URL(`file://${site}/${name}/blueprints`),
      panel: { blocks: { book: './panel/book.ts' } },
    })
  const open = async () => {
    const options = { extensions: [extension('one'), extension('two')] } as Settings
    return openExtensions(await loadConfig({ site, options })).catch((error: ConfigError) => error.problems)
  }
  expect(await open()).toEqual([
    'two (two/extension.ts): the blueprint "blocks/book" is already declared by one (one/extension.ts)',
    'two (two/extension.ts): the preview of the block "book" is already declared by one (one/extension.ts)',
  ])
  write(site, { 'blueprints/blocks/book.yml': 'fields: { title: { type: text } }' })
  expect(await open()).toEqual([expect.stringContaining('the preview of the block "book" is already declared')])
})

test.each<[range: string, current: string, fits: boolean]>([
  ['^0.2.0', '0.2.5', true],
  ['^0.2.0', '0.3.0', false],
  ['^1.2', '1.9.0', true],
  ['~1.2.3', '1.3.0', false],
  ['>=0.1 <0.3', '0.2.0', true],
  ['>=0.1 <0.3', '0.3.0', false],
  ['0.1 || ^0.2', '0.2.4', true],
  ['*', '0.2.0', true],
  ['0.2.0', '0.2.1', false],
  ['>= 0.1.0', '0.2.0', true],
  ['>= 0.3.0 < 1', '0.2.0', false],
  ['0.1.0 - 0.9.0', '0.9.0', true],
  ['0.1 - 0.2', '0.2.7', true],
  ['0.1 - 0.2', '0.3.0', false],
  ['<=0.1', '0.1.5', true],
  ['<=0.1', '0.2.0', false],
  ['>0.1', '0.1.5', false],
  ['>0.1', '0.2.0', true],
  ['>0.2.0-beta.1', '0.2.0', true],
  ['<0.2.0-beta.1', '0.2.0', false],
  ['0.2.x', '0.2.7', true],
  ['0.X', '1.0.0', false],
  ['^0.0', '0.1.0', false],
  ['~> 0.2.1', '0.2.7', true],
  ['=v0.2.0', '0.2.0', true],
  ['', '0.2.0', true],
  ['no version', '0.2.0', false],
  // They say nothing about the release.
  ...['next', 'latest', 'workspace:*', 'workspace:^', 'file:../quoin', 'owner/quoin'].map(
    (range): [string, string, boolean] => [range, '0.2.0', true],
  ),
])('a package that needs %s with %s: %s', (range, current, fits) => {
  const manifest = { name: 'quoin-shop', version: '2.1.0', peerDependencies: { quoin: range } }
  const folder = createFolder({ 'package.json': JSON.stringify(manifest), 'src/shop.ts': '' })
  expect(peerProblem(join(folder, 'src/shop.ts'), current)).toBe(
    fits ? undefined : `quoin-shop 2.1.0 needs Quoin ${range}, this is ${current}`,
  )
})

test.each([
  ['{ "name": ', /package\.json cannot be read: .*JSON/],
  ['null', /package\.json cannot be read: Invalid input/],
  ['{ "peerDependencies": { "quoin": 2 } }', /package\.json cannot be read: peerDependencies: quoin: Invalid/],
])('a package.json that cannot be read is named: %s', (text, problem) => {
  const folder = createFolder({ 'package.json': text, 'shop.ts': '' })
  expect(peerProblem(join(folder, 'shop.ts'))).toMatch(problem)
})

const working = `import { defineExtension } from 'quoin'
export const shop = () => defineExtension({ name: 'shop', permissions: { orders: 'See orders.' } })`
const settings = `import { defineConfig } from 'quoin'
import { shop } from './extensions/shop.ts'
export default defineConfig({ extensions: [shop()] })`

test('the file of an extension is the one that defines it, through type stripping', async () => {
  const site = createFolder({ 'quoin.config.ts': settings, 'extensions/shop.ts': working })
  const config = await loadConfig({ site })
  expect(config.extensions).toMatchObject([{ name: 'shop', file: join(site, 'extensions/shop.ts') }])
  expect((await openExtensions(config)).blueprintParts.permissions.scopes).toContain('shop.orders')
})

/** The names of the extensions of a site, in a process of its own, where Node imports them. */
function loadedIn(site: string): string[] {
  const program = `
    const { loadConfig } = await import(${JSON.stringify(join(import.meta.dirname, '../platform/config.ts'))})
    const config = await loadConfig(${JSON.stringify({ site })})
    await (await import(${JSON.stringify(join(import.meta.dirname, 'open.ts'))})).openExtensions(config)
    console.log(JSON.stringify(config.extensions.map(({ name }) => name)))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  return JSON.parse(stdout) as string[]
}

test('the samples of the guide are an extension that loads', () => {
  expect(loadedIn(createFolder(filesIn('docs/guide/extending.md')))).toEqual(['shop'])
})

test.runIf(engine === 'sqlite')('quoin start ends with 1 and says which extension is wrong', async () => {
  const site = await createSite()
  write(site.folder, {
    'quoin.config.ts': settings,
    'extensions/shop.ts': working.replace("name: 'shop'", "name: 'users'"),
  })
  const run = await quoin(['start', site.folder, '--port', '0'], { environment: site.environment })
  expect(run).toMatchObject({ code: 1, stdout: '' })
  expect(run.stderr).toContain('users (extensions/shop.ts): the name "users" is taken by Quoin itself')
})

const pathOf = (file: string) => JSON.stringify(join(import.meta.dirname, '..', file))

test.runIf(engine === 'sqlite')('without extensions none of their code is loaded, at the start or by requests', () => {
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    const { openApp } = await import(${pathOf('app.ts')})
    const { createServer } = await import(${pathOf('server.ts')})
    const { loadConfig } = await import(${pathOf('platform/config.ts')})
    const app = await openApp(await loadConfig({ site: ${JSON.stringify(createFolder())} }))
    const server = await createServer(app)
    const host = new URL(app.config.url).host
    const page = { method: 'PATCH', url: '/api/pages/home', payload: { text: 'x' } }
    for (const request of [page, ...['/api/pages/home', '/api/site/search?q=x', '/panel', '/openapi.json', '/api/system/extensions'].map(url => ({ method: 'GET', url }))]) {
      const { statusCode } = await server.inject({ ...request, headers: { host } })
      if (statusCode >= 500) throw new Error(request.url + ' ' + statusCode)
    }
    await server.close()
    await app.close()
    console.log(JSON.stringify(loaded))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  // Before it, there may be a line of the log.
  const own = (JSON.parse(stdout.trim().split('\n').at(-1)!) as string[]).filter(url =>
    url.includes('/src/extensions/'),
  )
  expect(own.map(url => url.slice(url.lastIndexOf('/') + 1))).toEqual(['open.ts'])
  expect(stdout).not.toContain('/platform/documents/')
})
