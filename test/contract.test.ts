import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { api } from '../src/api.ts'
import { errors } from '../src/platform/errors.ts'
import { listEndpoints } from '../src/http/endpoint.ts'
import { openapi } from '../src/openapi.ts'
import { catalogue } from '../src/blueprints/permissions/permissions.ts'
import { release } from '../src/platform/release.ts'
import { isFresh, routesFile, routesOf } from '../tools/generate.ts'
import { problemsOf } from '../tools/lock.ts'
import { createTestApp } from './harness.ts'

interface Document {
  openapi: string
  info: { version: string; description: string }
  servers: { url: string }[]
  tags: { name: string }[]
  security: object[]
  paths: Record<string, { parameters?: NonNullable<Operation['parameters']>; [method: string]: unknown }>
  components: Record<string, Record<string, object>> & {
    schemas: Record<string, { enum?: string[] }>
    parameters: Record<string, Parameter>
  }
}

interface Parameter {
  name: string
  in: string
  required?: boolean
}

interface Operation {
  operationId: string
  tags: string[]
  'x-access': string
  'x-fresh'?: true | 'strong'
  security?: object[]
  description: string
  parameters?: (Parameter & { $ref?: string })[]
  requestBody?: { $ref?: string; content: Record<string, { schema: object }> }
  responses: Record<string, unknown>
}

const root = join(import.meta.dirname, '..')
const site = await createTestApp()
const served = await site.request({ url: '/openapi.json' })
const document = served.json<Document>()
const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, { parameters = [], ...methods }]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      ...operation,
      parameters: [...parameters, ...(operation.parameters ?? [])],
    })),
  )
const operations = operationsOf(document)
/** The parameters of an operation, with those that are shared. */
const parametersOf = ({ parameters = [] }: Pick<Operation, 'parameters'>, { components } = document) =>
  parameters.map(one => (one.$ref === undefined ? one : components.parameters[one.$ref.split('/').at(-1)!]!))
const endpoints = [...listEndpoints(api)]
const groups = ['Authentication', 'Languages', 'Pages', 'Roles', 'Site', 'System', 'Translations', 'Users']
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND'] as const

// ---- what never changes

test('the reference has eight groups, in order', () => {
  expect(document.tags.map(({ name }) => name)).toEqual(groups)
  for (const { tags, operationId } of operations)
    expect([operationId, groups.includes(tags[0]!)]).toEqual([operationId, true])
})

test('the groups of the API are in the order of the reference', () => {
  const keys = ['auth', 'languages', 'pages', 'roles', 'site', 'system', 'translations', 'users']
  expect(Object.keys(api)).toEqual(keys.filter(key => key in api))
})

test('the Authentication group has exactly three operations in the document', () => {
  const inGroup = operations.filter(({ tags, path }) => tags.includes('Authentication') || /^\/api\/auth\b/.test(path))
  expect(inGroup.map(({ method, path, operationId }) => [method, path, operationId])).toEqual([
    ['GET', '/api/auth', 'auth.get'],
    ['POST', '/api/auth/login', 'auth.login'],
    ['POST', '/api/auth/logout', 'auth.logout'],
  ])
})

test('the Authentication group has exactly three operations in the running router', async () => {
  const accepted: string[] = []
  for (const path of ['/api/auth', '/api/auth/login', '/api/auth/logout']) {
    for (const method of methods) {
      const answer = await site.request({ method, url: path })
      if (answer.statusCode !== 405) accepted.push(`${method} ${path} ${answer.statusCode}`)
      else expect(answer.headers['allow']).toBe(path === '/api/auth' ? 'GET, HEAD' : 'POST')
    }
  }
  expect(accepted).toEqual([
    'GET /api/auth 401',
    'HEAD /api/auth 401',
    'OPTIONS /api/auth 204',
    'POST /api/auth/login 400',
    'OPTIONS /api/auth/login 204',
    'POST /api/auth/logout 200',
    'OPTIONS /api/auth/logout 204',
  ])
})

test.each([
  'ping',
  'code',
  'refresh',
  'user',
  'me',
  'session',
  'sessions',
  'token',
  'csrf',
  'register',
  'reset',
  'password',
  'verify',
  'callback',
  'passkey',
  'oidc',
  'invite',
  'reauth',
  'login/x',
  'login/',
  'logout/',
  'login/code',
  'logout/all',
  'Login',
  'LOGOUT',
  'login.json',
  '',
  ':id',
  '*',
])('/api/auth/%s does not exist', async path => {
  for (const method of methods) {
    const answer = await site.request({ method, url: `/api/auth/${path}` })
    expect([method, answer.statusCode]).toEqual([method, 404])
  }
})

test('no path has a version segment', async () => {
  for (const [, { path }] of endpoints) expect(path).not.toMatch(/\/v?\d+(\.\d+)*(\/|$)/i)
  for (const { path } of operations) expect(path).not.toMatch(/\/v?\d+(\.\d+)*(\/|$)/i)
  for (const version of ['v1', 'v2', '1', '1.0', release]) {
    expect((await site.request({ url: `/api/${version}/auth` })).statusCode).toBe(404)
    expect((await site.request({ url: `/${version}/api/auth` })).statusCode).toBe(404)
  }
})

// ---- server, document and client come from one declaration

test('client/routes.ts is what `npm run generate` writes', () => {
  expect(isFresh()).toBe(true)
  expect(routesFile()).toContain("'auth.login': ['POST', '/auth/login', 'body'],")
})

test('the OpenAPI document is valid, and the validator rejects an invalid one', async () => {
  const validator = new Validator()
  expect(await validator.validate({ ...structuredClone(document) })).toMatchObject({ valid: true })
  expect(document).toMatchObject({
    openapi: '3.1.1',
    info: { version: release.split('.', 2).join('.') },
    servers: [{ url: site.app.config.url }],
  })
  const broken = { ...structuredClone(document), paths: { '/x': { get: { operationId: 1 } } } }
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false })
})

const atPath = (path: string) =>
  path.split('/').reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document)

test('the document is small: schemas and parameters are named and shared, every reference resolves', () => {
  expect(served.rawPayload.length).toBeLessThan(300_000)
  const references = [...served.payload.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!)
  for (const path of new Set(references)) expect([path, atPath(path)]).toEqual([path, expect.any(Object)])
  for (const [kind, parts] of Object.entries(document.components).filter(([name]) => name !== 'securitySchemes'))
    for (const name of Object.keys(parts)) expect(references).toContain(`components/${kind}/${name}`)
})

test('the document is compressed, and sent again only if it has changed', async () => {
  const { etag } = served.headers
  expect(served.headers).toMatchObject({
    'cache-control': 'no-cache',
    'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    vary: 'Accept-Encoding',
    etag: expect.any(String) as unknown,
  })
  const again = await site.request({ url: '/openapi.json', headers: { 'if-none-match': etag! } })
  expect([again.statusCode, again.body]).toEqual([304, ''])
  const compressed = await site.request({ url: '/openapi.json', headers: { 'accept-encoding': 'br, gzip' } })
  expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip' })
  expect(compressed.headers.etag).not.toBe(etag)
  expect(gunzipSync(compressed.rawPayload).equals(served.rawPayload)).toBe(true)
  expect(compressed.rawPayload.length).toBeLessThan(60_000)
  const plain = await site.request({ url: '/openapi.json', headers: { 'accept-encoding': 'gzip;q=0' } })
  expect(plain.headers['content-encoding']).toBeUndefined()
})

interface WithContent {
  $ref?: string
  required?: boolean
  content?: Record<string, { example?: unknown; examples?: unknown }>
}

const componentOf = (part: WithContent | undefined) =>
  part?.$ref === undefined ? part : (atPath(part.$ref.slice(2)) as WithContent)
const hasExample = (part: WithContent | undefined) =>
  Object.values(part?.content ?? {}).some(({ example, examples }) => (example ?? examples) !== undefined)

test('every operation has a recorded answer, and a recorded body if it takes one', () => {
  for (const { operationId, responses, requestBody } of operations) {
    const answers = Object.values(responses).map(one => componentOf(one as WithContent))
    expect([operationId, answers.some(hasExample)]).toEqual([operationId, true])
    const body = componentOf(requestBody as WithContent | undefined)
    const isRecorded = body === undefined || hasExample(body) || 'multipart/form-data' in body.content!
    expect([operationId, isRecorded || body.required !== true]).toEqual([operationId, true])
  }
})

test('the reference is served under a policy of its own, with relative links', async () => {
  const start = await site.request({ url: '/reference' })
  expect([start.statusCode, start.headers['location']]).toEqual([308, '/reference/'])
  const index = await site.request({ url: '/reference/' })
  expect(index.statusCode).toBe(200)
  expect(index.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    ) as unknown,
    'cache-control': 'no-cache',
  })
  expect(index.body).not.toMatch(/<script(?! src)|<style|style="|\son\w+="/)
  for (const file of ['users.html', 'reference.css', 'search.js'])
    expect([file, (await site.request({ url: `/reference/${file}` })).statusCode]).toEqual([file, 200])
  for (const file of ['nothing.html', '..%2fpackage.json', 'openapi.ts'])
    expect([file, (await site.request({ url: `/reference/${file}` })).statusCode]).toEqual([file, 404])
})

test('router, document and client have the same endpoints and names', async () => {
  const names = routesOf(api)
  expect(names.map(([name]) => name).toSorted()).toEqual(operations.map(({ operationId }) => operationId).toSorted())
  for (const [name, [method, path]] of names) {
    const shown = operations.find(({ operationId }) => operationId === name)
    expect(shown).toMatchObject({ method, path: `/api${path.replaceAll(/:(\w+)/g, '{$1}')}` })
    const answer = await site.request({ method, url: `/api${path.replaceAll(/:\w+/g, 'x')}` })
    const { key } = answer.json<{ key?: string }>()
    expect([name, key]).not.toEqual([name, expect.stringMatching(/^error\.(notFound|methodNotAllowed)$/)])
  }
})

test('operation ids, methods and paths are unique', () => {
  const names = operations.map(({ operationId }) => operationId)
  expect(new Set(names).size).toBe(names.length)
  const places = endpoints.map(([, { method, path }]) => `${method} ${path.replaceAll(/:\w+/g, ':')}`)
  expect(new Set(places).size).toBe(places.length)
})

test('every endpoint declares its access, and the document repeats it', () => {
  const possibleAccess = new Set([
    'public',
    'session',
    'reader',
    ...Object.entries(catalogue).flatMap(([key, actions]) => actions.map(action => `${key}.${action}`)),
  ])
  expect(endpoints.length).toBeGreaterThanOrEqual(3)
  for (const [name, { access, summary }] of endpoints) {
    expect([name, possibleAccess.has(access)]).toEqual([name, true])
    expect(summary).toMatch(/^[A-Z].*[^.]$/)
    const operation = operations.find(({ operationId }) => operationId === name)!
    expect(operation['x-access']).toBe(access)
    expect(operation.security ?? document.security).toContainEqual(access === 'public' ? {} : { token: [] })
  }
})

test('every operation says what it does, and who may call it', () => {
  for (const [name, { description, access, fresh }] of endpoints) {
    const [first = '', ...others] = [description ?? ''].flat()
    for (const text of [first, ...others])
      expect([name, text]).toEqual([name, expect.stringMatching(/^[A-Z`2].{10,}[.:]$/)])
    const shown = operations.find(({ operationId }) => operationId === name)!
    const [, same] = /^As `([\w.]+)`\.$/.exec(shown.description) ?? ['', name]
    expect(operations.find(({ operationId }) => operationId === same)!.description).toContain(first)
    expect([name, shown['x-access'], shown['x-fresh']]).toEqual([name, access, fresh])
  }
  for (const keyword of ['`x-access`', '`public`', '`session`', '`reader`', '`x-fresh`', '`strong`', '`x-setup`'])
    expect(document.info.description).toContain(keyword)
})

test('answers with the same schema are one component with one recorded example', () => {
  const models = operations.flatMap(({ operationId, responses }) =>
    (responses['200'] as { $ref?: string }).$ref === '#/components/responses/PagesGet' ? operationId : [],
  )
  expect(models).toEqual(expect.arrayContaining(['pages.get', 'pages.update', 'pages.changeTitle']))
})

test('the document says once that forms are accepted', () => {
  expect(served.payload.split('application/x-www-form-urlencoded')).toHaveLength(2)
})

test('the document shows path and query parameters', () => {
  expect(
    parametersOf(operations.find(({ operationId }) => operationId === 'auth.get')!).map(
      ({ name, in: place, required }) => [name, place, required],
    ),
  ).toEqual([
    ['language', 'query', undefined],
    ['view', 'query', undefined],
    ['select', 'query', undefined],
  ])
  const own = openapi(
    { pages: { file: { ...endpoints[0]![1], path: '/pages/:id/files/:name' } } },
    site.app.config,
  ) as Document
  expect(parametersOf(operationsOf(own)[0]!, own)).toMatchObject([
    { name: 'id', in: 'path', required: true },
    { name: 'name', in: 'path', required: true },
    { name: 'language', in: 'query' },
    { name: 'view', in: 'query' },
    { name: 'select', in: 'query' },
  ])
})

// ---- errors

const sources = globSync('src/**/*.ts', { cwd: root })
  .filter(file => !file.endsWith('.test.ts') && file !== join('src', 'platform', 'errors.ts'))
  .map(file => readFileSync(join(root, file), 'utf8'))
  .join('\n')

/** Refusals of the server, named after the declared permission of the endpoint, and those of handlers with the same name. */
const denials = new Set([
  ...endpoints.map(([, { access }]) => access.replace(/^(\w+?)s?\.(\w+)$/, '$1.$2.permission')),
  'page.publish.permission',
  'page.sort.permission',
  'page.schedule.trashed', // stored as the problem of a schedule
])

test.each(Object.keys(errors))('the error %s is thrown somewhere', key => {
  const isThrown = [`fail('${key}'`, `editOf(ctx, exchange, query, '${key}'`].some(text => sources.includes(text))
  expect(isThrown || denials.has(key)).toBe(true)
})

test('every error has a fitting status and a plain sentence, and the document lists it', () => {
  const keys = document.components.schemas['ErrorKey']!.enum
  expect(keys).toEqual(Object.keys(errors).map(key => `error.${key}`))
  for (const [key, [status, text]] of Object.entries(errors)) {
    expect([key, status >= 400 && status < 600]).toEqual([key, true])
    expect(text).toMatch(/^([A-Z]|“?\{\w+\}).*[.}]$/)
  }
})

// ---- the lock file

const check = (packages: object) => problemsOf({ packages: { '': { version: '1' }, ...packages } })

test('the lock file check finds a missing platform, a registry URL and a missing checksum', () => {
  const good = { version: '1.0.0', integrity: 'sha512-x' }
  const binding = { ...good, optionalDependencies: { '@x/linux-x64-gnu': '1.0.0', '@x/freebsd-x64': '1.0.0' } }
  expect(check({ 'node_modules/x': binding })).toEqual(['node_modules/x@1.0.0 lacks @x/linux-x64-gnu'])
  expect(check({ 'node_modules/x': binding, 'node_modules/@x/linux-x64-gnu': good })).toEqual([])
  expect(check({ 'node_modules/x': { ...good, resolved: 'https://registry.example/x.tgz' } })).toEqual([
    'node_modules/x names where it was downloaded',
  ])
  expect(check({ 'node_modules/x': { version: '1.0.0' } })).toEqual(['node_modules/x has no checksum'])
  expect(check({ 'node_modules/x': { link: true }, 'node_modules/y': { inBundle: true } })).toEqual([])
})
