import type { z } from 'zod'
import type { App } from '../app.ts'
import type { ApiError } from '../platform/errors.ts'
import type { Option, Permission } from '../blueprints/permissions/permissions.ts'
import type { HttpExchange } from '../access/session/exchange.ts'
import type { Caller } from '../access/session/identify.ts'
import type { Answer } from './answer.ts'
import type { RequestContext } from './context.ts'
import type { Upload } from './upload.ts'

/** `/pages/:id/files/:filename` → `{ id: string; filename: string }` */
export type Params<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [Key in Name]: string } & Params<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { [Key in Name]: string }
    : object

/** What the endpoint asks of its caller: nothing, a session, or a permission on the thing the request is about. */
export type Access = 'public' | 'session' | Permission

/** What a permission is asked on: a thing whose blueprint may say more about it than the role. */
export interface PermissionTarget {
  options: Readonly<Record<string, Option>>
  /** The caller's own account: the rights over it are those of the category `user`. */
  own?: boolean
  /** The role of the account that it is: what is done to another account needs every right of its role. */
  accountRole?: string
}

/** A form with files: whether it may have several of them, and what fields there are besides. */
export interface Form {
  several?: true
  fields?: readonly string[]
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

export interface Endpoint<
  Path extends string,
  Level extends Access,
  Query,
  Body,
  Value,
  Json,
  Target,
  Files,
  Selects = undefined,
> {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: Path
  summary: string
  /** Required: nothing becomes public by forgetting. */
  access: Level
  query?: Query
  /** Instead of `query`: parameters of the URL that the client takes after the body, as all of them may be left out. */
  selects?: Selects
  body?: Body
  /** In bytes. */
  bodyLimit?: number
  /** Takes a form with files instead of JSON. It is read by the handler, after everything that may refuse it. */
  upload?: Files
  answer: Answer<Value, Json>
  /** Happens at the door, before the body is read and whatever comes of the request. */
  first?: (request: { app: App; exchange: HttpExchange }) => void
  /** `false`: the door does not look who comes; the handler does. */
  identify?: false
  /** Programs that are no browsers may call it with a cookie and without `X-CSRF`. */
  withoutToken?: true
  /** Open to accounts that must set a new password or a second factor before anything else, for themselves. */
  duringForcedSetup?: true
  /**
   * Changes how an account signs in: the caller must have proved who they are a short while ago, in a session. `strong`:
   * with a second factor, if the caller has one.
   */
  fresh?: true | 'strong'
  /** A clearer error than `validation`, where there is one. */
  invalid?: (issues: z.core.$ZodIssue[]) => ApiError | undefined
  /** The answer follows from the store, the caller and the address alone: it may be given again while none has changed. */
  cacheable?: true
  /** Finds what the request is about (404 if the caller may not see it). The permission is asked on it. */
  on?: (request: {
    app: App
    caller: Caller | undefined
    params: Params<Path>
    ctx: RequestContext
    /** For what is about to be made: its blueprint says who may. */
    body: Output<Body>
  }) => Promise<Target>
  handler: (request: {
    app: App
    exchange: HttpExchange
    /** Its caller is missing where nobody has to be known. */
    ctx: RequestContext
    caller: Level extends 'public' ? Caller | undefined : Caller
    params: Params<Path>
    query: Output<Query>
    /** What `selects` has read. */
    selection: Output<Selects>
    body: Output<Body>
    upload: Files extends Form ? Upload : undefined
    target: Target
  }) => Promise<NoInfer<Value>>
}

export function endpoint<
  const Path extends string,
  const Level extends Access,
  Value,
  Json,
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  Target = undefined,
  const Files extends Form | undefined = undefined,
  Selects extends z.ZodType | undefined = undefined,
>(
  definition: Endpoint<Path, Level, Query, Body, Value, Json, Target, Files, Selects>,
): Endpoint<Path, Level, Query, Body, Value, Json, Target, Files, Selects> {
  return definition
}

/** An endpoint whose types are forgotten: what the server and the OpenAPI document iterate over. */
export interface AnyEndpoint extends Pick<
  Endpoint<string, Access, z.ZodType | undefined, z.ZodType | undefined, never, unknown, unknown, unknown>,
  | 'method'
  | 'path'
  | 'summary'
  | 'access'
  | 'bodyLimit'
  | 'first'
  | 'identify'
  | 'invalid'
  | 'cacheable'
  | 'withoutToken'
  | 'duringForcedSetup'
  | 'fresh'
> {
  query?: z.ZodType | undefined
  selects?: z.ZodType | undefined
  body?: z.ZodType | undefined
  upload?: Form | undefined
  answer: { schemas: Readonly<Record<number, z.ZodType>>; wrap: (value: never) => { status: number; json: unknown } }
  on?: (request: never) => Promise<unknown>
  handler: (request: never) => Promise<unknown>
}

/** The API is a tree of endpoints. The keys that lead to an endpoint are its name: `pages.changeSlug`. */
export interface Api {
  [name: string]: AnyEndpoint | Api
}

export function* list(api: Api, prefix = ''): Generator<[name: string, endpoint: AnyEndpoint]> {
  for (const [key, node] of Object.entries(api)) {
    if (isEndpoint(node)) yield [prefix + key, node]
    else yield* list(node, `${prefix}${key}.`)
  }
}

function isEndpoint(node: AnyEndpoint | Api): node is AnyEndpoint {
  return typeof node['handler'] === 'function'
}

/** The same endpoints under a longer path: files belong to pages, to the site and to users. */
export function mount<const Prefix extends string, Tree extends Api>(
  prefix: Prefix,
  tree: Tree,
): Mounted<Prefix, Tree> {
  return Object.fromEntries(
    Object.entries(tree).map(([name, node]) => [
      name,
      isEndpoint(node) ? { ...node, path: prefix + node.path } : mount(prefix, node),
    ]),
  ) as Mounted<Prefix, Tree>
}

type Mounted<Prefix extends string, Tree> = {
  [Name in keyof Tree]: Tree[Name] extends { path: infer Path extends string }
    ? Omit<Tree[Name], 'path'> & { path: `${Prefix}${Path}` }
    : Mounted<Prefix, Tree[Name]>
}
