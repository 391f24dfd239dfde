import type { api } from '../src/api.ts'
import type { BrokenValue, Call, OneFileForm, UploadCall } from './content.ts'
import { type Routes, routes } from './routes.ts'

// ---- types, derived from the API and erased at run time

type Flat<Type> = { [Key in keyof Type]: Type[Key] }
type Input<Schema> = [Schema] extends [never]
  ? undefined
  : Schema extends { _zod: { input: infer Value } }
    ? Value
    : undefined
type Params<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [Key in Name]: string } & Params<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { [Key in Name]: string }
    : object
type Url<Path extends string, Query> = Flat<Params<Path> & (Query extends object ? Query : object)>

/** Files are sent as a form, everything else as JSON. */
type Sent<Body, Files> = [NonNullable<Files>] extends [never] ? Body : FormData

type TakesSeveral<Files> = [NonNullable<Files>] extends [never] ? false : Files extends { several: true } ? true : false

/** A plain model is returned without its envelope; everything else as it was sent. `answerViews` exists only as a type. */
type Unwrapped<Json> = Json extends { type: 'model'; data: infer Data }
  ? Exclude<keyof Json, 'code' | 'data' | 'answerViews' | 'status' | 'type'> extends never
    ? Data
    : Omit<Json, 'answerViews'>
  : Json extends { type: 'collection' }
    ? Omit<Json, 'answerViews'>
    : Json

/** The model of an uploaded file. Several files are answered by their names. */
type FileIn<Json> = Json extends { readonly file?: infer File } ? NonNullable<File> : never

/** Which views the model of an answer has, and which one without a selection. */
type AnswerViewsOf<Json> = Json extends { readonly answerViews?: infer AnswerViews }
  ? NonNullable<AnswerViews>
  : unknown

/**
 * One method per endpoint, with the name of the endpoint: `client.pages.changeSlug({ id }, { slug })`. `Site` describes
 * the blueprints of a site, as `quoin types` writes it.
 */
export type ClientOf<Tree, Site = object> = {
  [Name in keyof Tree]: Tree[Name] extends {
    path: infer Path extends string
    access: infer Level
    query?: infer Query
    selects?: infer Selects
    body?: infer Body
    upload?: infer Files
    answer: { wrap: (value: never) => { json: infer Json } }
  }
    ? TakesSeveral<Files> extends true
      ? UploadCall<Params<Path>, FileIn<Json>, Input<NonNullable<Selects>>>
      : Call<
          Url<Path, Input<NonNullable<Query>>>,
          Sent<Input<NonNullable<Body>>, Files>,
          Unwrapped<Json>,
          Site,
          Input<NonNullable<Selects>>,
          Level,
          AnswerViewsOf<Json>
        >
    : ClientOf<Tree[Name], Site>
}

/** `Site` also has the endpoints of extensions, if there are any. */
export type Client<Site = object> = ClientOf<typeof api, Site> &
  (Site extends { extensions: infer Own } ? { extensions: Own } : unknown)

export type { BrokenValue, FileEntry, OrBroken, OrEmpty, PageEntry, Reference, UserEntry } from './content.ts'
export type { OneFileForm } from './content.ts'

// ---- run time

/** Whether a field has a value that cannot be read, as `{ $broken, length, text }`. */
export const isBroken = (value: unknown): value is BrokenValue =>
  typeof value === 'object' && value !== null && typeof (value as Partial<BrokenValue>).$broken === 'string'

/** An error of the API. Decide by `key`; `details` says which fields are wrong. */
export class QuoinError extends Error {
  readonly status: number
  readonly key: string | null
  readonly details: Record<string, unknown>
  /** Seconds to wait, from the `Retry-After` header. */
  readonly retryAfter: number | undefined

  constructor(
    status: number,
    body: { message?: string; key?: string | null; details?: Record<string, unknown> },
    retryAfter?: number,
  ) {
    super(body.message ?? `The server answered with ${status}.`)
    this.name = 'QuoinError'
    this.status = status
    this.key = body.key ?? null
    this.details = body.details ?? {}
    this.retryAfter = retryAfter
  }
}

/** A form with one file, for `files.upload`. `name` replaces the name of the file. */
export function fileForm(
  file: Blob,
  { name, template }: { name?: string | undefined; template?: string | undefined } = {},
): OneFileForm {
  const form = new FormData()
  if (template !== undefined) form.set('template', template) // before the file, so that it is known when the file is read
  if (name === undefined) form.set('file', file)
  else form.set('file', file, name)
  return form as OneFileForm
}

export interface ClientOptions {
  /** The public address of the site: `https://example.org` or `https://example.org/cms`. */
  url: string
  /** An API token. Without it the browser's session is used. */
  token?: string | undefined
  /** The endpoints of extensions: `extensionRoutes`, as `quoin types` writes them. */
  routes?: Routes | undefined
  fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** `createClient<Blueprints>({ url })` has types for the content of a site; `quoin types` writes `Blueprints`. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says which site it is
export function createClient<Site = object>(options: ClientOptions): Client<Site> {
  return createClientFor<Client<Site>>(options.routes ? { ...routes, ...options.routes } : routes, options)
}

/** For an API other than Quoin's own, such as one that a test declares. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says which methods there are
export function createClientFor<Methods>(
  apiRoutes: Routes,
  { url, token, fetch = globalThis.fetch }: ClientOptions,
): Methods {
  let csrf: string | undefined

  async function call(name: string, input: unknown[]): Promise<unknown> {
    const route = apiRoutes[name]
    if (!route) throw new TypeError(`There is no endpoint ${name}`)
    const [method, path, clientParameters] = route
    const rest = [...input]
    const inUrl =
      path.includes(':') || clientParameters.includes('query')
        ? { ...(rest.shift() as Record<string, unknown> | undefined) }
        : {}
    const body = /body|form/.test(clientParameters) ? rest.shift() : undefined
    if (clientParameters.includes('options')) Object.assign(inUrl, rest.shift())
    const filled = path.replaceAll(/:(\w+)/g, (_, key: string) => {
      const parameter = inUrl[key]
      // The types do not protect JavaScript: `DELETE /pages/undefined` would be requested.
      if (parameter === undefined || parameter === null) throw new TypeError(`The parameter ${key} is missing`)
      const value = String(parameter as string | number)
      delete inUrl[key]
      // `fetch` would resolve these as relative path segments and request another URL.
      if (value === '.' || value === '..') throw new TypeError(`${key} cannot be ${value}`)
      return encodeURIComponent(value.replace(/^page:\/\//, '@')) // the form that a uuid has in URLs
    })
    const headers: Record<string, string> = { accept: 'application/json' }
    if (typeof inUrl['ifMatch'] === 'number') headers['if-match'] = `"${inUrl['ifMatch']}"`
    delete inUrl['ifMatch']
    // Without a content type, the browser adds that of the form with its boundary.
    const isForm = body instanceof FormData
    if (body !== undefined && !isForm) headers['content-type'] = 'application/json'
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`
    else if (method !== 'GET' && csrf !== undefined) headers['x-csrf'] = csrf
    const init: RequestInit = { method, headers, credentials: 'include' }
    if (body !== undefined) init.body = isForm ? body : JSON.stringify(body)
    const response = await fetch(`${url.replace(/\/+$/, '')}/api${filled}${queryOf(inUrl)}`, init)
    // A proxy may respond with something other than JSON.
    const json = (await response.json().catch(() => ({}))) as Record<string, unknown>
    if (!response.ok)
      throw new QuoinError(response.status, json, Number(response.headers.get('retry-after')) || undefined)
    if (typeof json['csrf'] === 'string') csrf = json['csrf']
    return unwrap(json)
  }

  const at = (name: string): unknown =>
    new Proxy(() => {}, {
      // With a `then` method, `await` would treat the client as a promise.
      get: (_, key) => (typeof key === 'symbol' || key === 'then' ? undefined : at(name ? `${name}.${key}` : key)),
      apply: (_, __, input: unknown[]) => call(name, input),
    })
  return at('') as Methods
}

/** `{ select: ['a', 'b'], view: 'compact' }` → `?select[]=a&select[]=b&view=compact` */
function queryOf(values: Record<string, unknown>): string {
  const pairs: [string, string][] = []
  const add = (name: string, value: unknown): void => {
    if (value === undefined) return
    if (Array.isArray(value)) for (const item of value) add(`${name}[]`, item)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) add(`${name}[${key}]`, inner)
    } else pairs.push([name, `${value as string | number | boolean | null}`])
  }
  for (const [name, value] of Object.entries(values)) add(name, value)
  return pairs.length > 0 ? `?${new URLSearchParams(pairs).toString()}` : ''
}

function unwrap(json: Record<string, unknown>): unknown {
  return json['type'] === 'model' && Object.keys(json).length === 4 ? json['data'] : json
}
