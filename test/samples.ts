/** Sample requests for every endpoint, derived from its declaration. */
import { z } from 'zod'
import type { AnyEndpoint } from '../src/http/endpoint.ts'
import { multipartBody, multipartContentType, createImage } from './files.ts'
import { addUser, password, type TestStorage, type TestApp, writeBlueprints } from './harness.ts'
import { addToken } from './tokens.ts'

/** The keywords of JSON Schema that are used here. */
interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minimum?: number
  minLength?: number
  minItems?: number
  pattern?: string
}

/** Valid values by property name, for all groups or for one. */
const values: Record<string, unknown> = {
  email: 'somebody@example.org',
  password: 'a very long passphrase',
  currentPassword: password,
  role: 'editor',
  language: 'de',
  id: 'somebody',
  code: '123456',
  scopes: 'pages.read',
  operator: '==',
  files: 'note.png',
  parent: null,
  template: 'note',
  'languages.code': 'fr',
  'languages.locale': 'fr_FR',
  'languages.url': '/fr',
  'system.url': 'https://203.0.113.9/hook',
  events: 'page.*',
  'site.page': null,
  'site.path': '/old/address',
  'site.target': 'https://example.org/new',
}

/** Texts in the formats that schemas require. */
const forms = ['AAAA', 'usb', 'x', new Date(Date.now() + 1e9).toISOString(), 'browser-tab', 'file://x']

/** Valid bodies: with the required properties only, and with all, for each variant. `undefined` means no body. */
export function bodiesOf(endpoint: AnyEndpoint): unknown[] {
  const bodies = samples.get(endpoint) ?? createBodies(endpoint)
  samples.set(endpoint, bodies)
  return bodies
}

/** By endpoint, because the conversion to JSON Schema takes long. */
const samples = new WeakMap<AnyEndpoint, unknown[]>()

function createBodies({ path, body }: AnyEndpoint): unknown[] {
  if (!body) return [undefined]
  const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Schema
  const [, group = ''] = path.split('/')
  const found = (schema.oneOf ?? [schema]).flatMap(form => [false, true].map(full => sample(form, '', { full, group })))
  const good = [...new Map(found.map(one => [JSON.stringify(one), one])).values()].filter(
    one => body.safeParse(one).success,
  )
  if (good.length === 0)
    throw new Error('No sample of this body is valid: add values of its properties to test/samples.ts')
  return good
}

interface SampleOptions {
  full: boolean
  group: string
}

function sample(schema: Schema, name: string, options: SampleOptions): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const [first] = schema.anyOf ?? schema.oneOf ?? []
  if (first) return sample(first, name, options)
  switch (schema.type) {
    case 'object':
      return object(schema, options)
    case 'array':
      return options.full || name in values || (schema.minItems ?? 0) > 0
        ? [sample(schema.items ?? {}, name, options)]
        : []
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1)
    case 'boolean':
      return true
    default:
      return text(schema, name, options)
  }
}

function object({ properties = {}, required = [] }: Schema, options: SampleOptions): object {
  const chosen = Object.entries(properties).filter(([key]) => options.full || required.includes(key))
  return Object.fromEntries(chosen.map(([key, inner]) => [key, sample(inner, key, options)]))
}

function text({ pattern, minLength = 1 }: Schema, name: string, { group }: SampleOptions): unknown {
  if (pattern !== undefined) return forms.find(form => new RegExp(pattern, 'u').test(form))
  const sampleKey = [`${group}.${name}`, name].find(key => key in values)
  return sampleKey === undefined ? 'x'.repeat(minLength || 1) : values[sampleKey]
}

/** The path of a value in a body: `['content', 'rows', 0]`. */
export type Path = (string | number)[]

/** Every place in a value, from the outside in. */
export function places(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [path, ...inner.flatMap(([key, one]) => places(one, [...path, key as string]))]
}

/** The same value with something else in that place; `undefined` leaves it out. */
export function put(value: unknown, [key, ...rest]: Path, other: unknown): unknown {
  if (key === undefined) return other
  if (Array.isArray(value)) return value.map((one, index) => (index === key ? put(one, rest, other) : (one as unknown)))
  const map = value as Record<string, unknown>
  return { ...map, [key]: put(map[key], rest, other) }
}

const [red, blue] = await Promise.all(['#c00', '#00c'].map(color => createImage('png', { width: 2, height: 2, color })))

/** The payload for an endpoint: a form with a file, JSON, or nothing. */
export function sentTo(
  { upload }: AnyEndpoint,
  body: unknown,
): { payload?: string | Buffer; headers: Record<string, string> } {
  if (upload)
    return {
      payload: multipartBody([{ filename: 'other.png', bytes: blue! }]),
      headers: { 'content-type': multipartContentType },
    }
  if (body === undefined) return { headers: {} }
  return { payload: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}

// ---- URLs

/** The targets of endpoints: an account, a page, and the ids of content versions, by path. */
export interface SampleModels {
  user: string
  page: string
  versions: Readonly<Record<string, string>>
  /** Values of other path parameters, by the path up to them, for tests whose targets must exist. */
  others?: Readonly<Record<string, string>>
}

/** Values of other path parameters, by the end of the path up to them. */
const parts: Record<string, string> = {
  '/languages/:code': 'de',
  '/roles/:name': 'admin',
  '/translations/:id': 'en',
  '/files/:filename': 'note.png',
  '/sections/:name': 'words',
  '/fields/:name': 'related',
  '/comments/:comment': 'x',
  '/sessions/:session': 'x',
  '/tokens/:token': 'x',
  '/redirects/:id': '0',
  '/releases/:release': 'x',
  '/trash/:id': 'x',
  '/extensions/:name': 'x',
  '/webhooks/:id': 'x',
  '/deliveries/:delivery': 'x',
  '/passkeys/:passkey': 'x',
}

/** The URL of an endpoint. */
export function urlOf({ path }: AnyEndpoint, { user, page, versions, others = {} }: SampleModels): string {
  const filled = path.replaceAll(/:\w+/g, (part, at: number) => {
    const upTo = path.slice(0, at) + part
    if (upTo === '/users/:id') return user
    if (upTo === '/pages/:id') return page
    if (others[upTo] !== undefined) return others[upTo]
    if (upTo.endsWith('/history/:version')) return versions[upTo.replace('/history/:version', '')] ?? '1'
    const [, value] = Object.entries(parts).find(([end]) => upTo.endsWith(end)) ?? []
    if (value === undefined) throw new Error(`test/samples.ts has no value for ${upTo}`)
    return value
  })
  return `/api${filled}`
}

// ---- targets

const content = `
sections:
  words:
    type: fields
    fields:
      text: { type: textarea }
      alt: { type: text }
      related: { type: pages }
      pictures: { type: files }
      people: { type: users }
      more: { type: structure, fields: { one: { type: link }, two: { type: date } } }
      parts: { type: blocks }
`

/**
 * Writes blueprints with content and a section `words` for all kinds of models. The role `roomless` may see halls, but
 * not the rooms in them.
 */
export function describeModels({ data }: TestStorage): void {
  writeBlueprints(data, {
    'site.yml': `title: Site${content}`,
    'pages/default.yml': `title: Page\noptions: { changeTemplate: [note], access: { roomless: false } }${content}`,
    'pages/note.yml': `title: Note${content}`,
    'files/default.yml': `title: File\noptions: { changeTemplate: [note] }${content}`,
    'files/note.yml': `title: Note${content}`,
    'users/member.yml': `title: Member\npermissions: { '*': false, access: { panel: true, account: true } }${content}`,
  })
}

let count = 0

/**
 * Creates an account, a page below a page, and the site. Each has published content, a draft, and a file with the same.
 * The page has a schedule, and there are two languages. `isWanted` selects by path what is created. The actor has every
 * permission.
 */
export async function createModels(
  site: TestApp,
  isWanted = (_path: string) => true,
  by?: Record<string, string>,
): Promise<SampleModels> {
  const send = await sender(site, by)
  const others: Record<string, string> = {}
  const { id: user } = await addUser(site, { role: 'member', hash: null })
  const hall = `hall-${++count}`
  const page = `${hall}+room`
  const versions: Record<string, string> = {}
  const owners = { '/site': 'site', '/pages/:id': `pages/${page}`, '/users/:id': `users/${user}` }
  if (isWanted('/languages/:code'))
    for (const code of ['en', 'de']) await send('POST', 'languages', { code, name: code })
  if (isWanted('/pages/:id')) {
    await send('POST', 'site/children', { slug: hall, title: 'Hall', template: 'note', draft: false })
    await send('POST', `pages/${hall}/children`, { slug: 'room', title: 'Room', draft: false })
  }
  if (isWanted('/pages/:id/schedule'))
    await send('PATCH', `pages/${page}/schedule`, { status: 'listed', at: new Date(Date.now() + 1e9).toISOString() })
  for (const [path, place] of Object.entries(owners)) {
    for (const at of [path, `${path}/files/:filename`].filter(isWanted)) {
      const model = at.replace(path, place).replace(':filename', 'note.png')
      if (at !== path) {
        if (place === 'site') await send('DELETE', model) // the site is shared, so its file may be left over
        await send('POST', `${place}/files`, multipartBody([{ filename: 'note.png', bytes: red! }]))
      }
      if (place === 'site') await send('POST', `${model}/changes/unlock`)
      if (isWanted(`${at}/history`)) {
        await send('PATCH', model, { text: `Text ${count}` })
        versions[at] = String((await send('GET', `${model}/history`))[0]!.id)
      }
      if (isWanted(`${at}/changes`)) await send('POST', `${model}/changes/save`, { text: 'Another text' })
      if (at === '/pages/:id' && isWanted(`${at}/review`)) {
        await send('POST', `${model}/changes/save`, { text: 'Another text' })
        await send('POST', `${model}/review`, { note: 'Please' })
      }
    }
  }
  if (isWanted('/site/library/:file')) {
    await send('DELETE', 'site/files/library.png')
    await send('POST', 'site/files', multipartBody([{ filename: 'library.png', bytes: red! }]))
    const [file] = await send('GET', 'site/files?select=uuid,filename&sortBy=filename')
    others['/site/library/:file'] = file!.uuid!.replace('file://', '')
  }
  return { user, page, versions, others }
}

/** A client with every permission. It ignores the errors of a language that exists already and of a file that does not exist. */
async function sender(site: TestApp, by?: Record<string, string>) {
  const host = new URL(site.app.config.url).host
  const who = by ?? (await withToken(site))
  return async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => {
    const type = Buffer.isBuffer(body) ? multipartContentType : 'application/json'
    const answer = await site.request({
      method,
      url: `/api/${path}`,
      headers: { host, ...who, ...(body && { 'content-type': type }) },
      ...(body && { payload: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
    })
    const summary = `${answer.statusCode} ${method} ${path} ${answer.body}`
    if (answer.statusCode !== 200 && !/language\.duplicate|file\.notFound/.test(summary)) throw new Error(summary)
    return answer.json<{ data: { id: unknown; uuid?: string }[] }>().data
  }
}

async function withToken(site: TestApp): Promise<Record<string, string>> {
  const { id } = await addUser(site, { hash: null })
  const { token } = await addToken(site.app, { userId: id, name: 'x', scopes: ['*'] })
  return { authorization: `Bearer ${token}` }
}
