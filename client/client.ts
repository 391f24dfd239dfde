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
type RequestBody<Body, Files> = [NonNullable<Files>] extends [never] ? Body : FormData

type TakesMultiple<Files> = [NonNullable<Files>] extends [never]
  ? false
  : Files extends { multiple: true }
    ? true
    : false

/**
 * A model alone in its envelope is returned without it; any other answer is returned unchanged. No response contains
 * `answerViews`: it exists only as a type.
 */
type Unwrapped<Json> = Json extends { type: 'model'; data: infer Data }
  ? Exclude<keyof Json, 'code' | 'data' | 'answerViews' | 'status' | 'type'> extends never
    ? Data
    : Omit<Json, 'answerViews'>
  : Json extends { type: 'collection' }
    ? Omit<Json, 'answerViews'>
    : Json

/** The model of one uploaded file. `file` exists only as a type: the data is this model, or models by file name. */
type FileIn<Json> = Json extends { readonly file?: infer File } ? NonNullable<File> : never

/** The views of the model in an answer, and which of them is shown without a selection. It exists only as a type. */
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
    ? TakesMultiple<Files> extends true
      ? UploadCall<Params<Path>, FileIn<Json>, Input<NonNullable<Selects>>>
      : Call<
          Url<Path, Input<NonNullable<Query>>>,
          RequestBody<Input<NonNullable<Body>>, Files>,
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

/** An error of the API. Decide by `key`: what `details` contains depends on it, such as the errors of each field. */
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
  /** The public URL of the site: `https://example.org` or `https://example.org/cms`. */
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

/** Creates a client for other routes than those of Quoin, such as those that a test declares. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says which methods there are
export function createClientFor<Methods>(
  apiRoutes: Routes,
  { url, token, fetch = globalThis.fetch }: ClientOptions,
): Methods {
  let csrf: string | undefined

  async function call(name: string, args: unknown[]): Promise<unknown> {
    const route = apiRoutes[name]
    if (!route) throw new TypeError(`There is no endpoint ${name}`)
    const [method, path, clientParameters] = route
    const remaining = [...args]
    const parameters =
      path.includes(':') || clientParameters.includes('query')
        ? { ...(remaining.shift() as Record<string, unknown> | undefined) }
        : {}
    const body = /body|form/.test(clientParameters) ? remaining.shift() : undefined
    if (clientParameters.includes('options')) Object.assign(parameters, remaining.shift())
    const pathname = path.replaceAll(/:(\w+)/g, (_, key: string) => {
      const parameter = parameters[key]
      // The types do not protect JavaScript: `DELETE /pages/undefined` would be requested.
      if (typeof parameter !== 'string' && typeof parameter !== 'number')
        throw new TypeError(`The parameter ${key} is missing`)
      const value = String(parameter)
      delete parameters[key]
      // `fetch` would resolve these as relative path segments and request another URL.
      if (value === '.' || value === '..') throw new TypeError(`${key} cannot be ${value}`)
      return encodeURIComponent(value.replace(/^page:\/\//, '@')) // URLs of the API have `@…` for `page://…`
    })
    const headers: Record<string, string> = { accept: 'application/json' }
    if (typeof parameters['ifMatch'] === 'number') headers['if-match'] = `"${parameters['ifMatch']}"`
    delete parameters['ifMatch']
    // `fetch` sets the content type of a form itself, because only it knows the boundary between the parts.
    const isForm = body instanceof FormData
    if (body !== undefined && !isForm) headers['content-type'] = 'application/json'
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`
    else if (method !== 'GET' && csrf !== undefined) headers['x-csrf'] = csrf
    const init: RequestInit = { method, headers, credentials: 'include' }
    if (body !== undefined) init.body = isForm ? body : JSON.stringify(body)
    const response = await fetch(`${url.replace(/\/+$/, '')}/api${pathname}${queryOf(parameters)}`, init)
    // A proxy may respond with something other than JSON.
    const json = (await response.json().catch(() => ({}))) as Record<string, unknown>
    if (!response.ok)
      throw new QuoinError(response.status, json, Number(response.headers.get('retry-after')) || undefined)
    if (typeof json['csrf'] === 'string') csrf = json['csrf']
    return unwrap(json)
  }

  const methodAt = (name: string): unknown =>
    new Proxy(() => {}, {
      // With a `then` method, `await` would treat the client as a promise.
      get: (_, key) =>
        typeof key === 'symbol' || key === 'then' ? undefined : methodAt(name ? `${name}.${key}` : key),
      apply: (_, __, args: unknown[]) => call(name, args),
    })
  return methodAt('') as Methods
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
