import type { z } from 'zod'
import type { App } from '../app.ts'
import type { ApiError } from '../platform/errors.ts'
import type { HttpExchange } from '../access/session/exchange.ts'
import type { Caller } from '../access/actor.ts'
import type { Access, AccountPermission, ContentPermission, TargetOf } from '../access/authorize/authorize.ts'
import type { Answer } from './answer.ts'
import type { CallerRequestContext, RequestContext } from './context.ts'
import type { StreamSource } from './event-stream.ts'
import type { Upload } from './upload.ts'

/** `/pages/:id/files/:filename` → `{ id: string; filename: string }` */
export type Params<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [Key in Name]: string } & Params<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { [Key in Name]: string }
    : object

/** A form with files: whether it accepts several files, and the names of its other fields. */
export interface UploadForm {
  multiple?: true
  fields?: readonly string[]
}

/** Anonymous clients call only endpoints with the access `reader` or `public`. */
type ContextOf<Level extends Access> = Level extends 'reader' | 'public' ? RequestContext : CallerRequestContext

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
  /** What it does and what happens to what, one paragraph each, for the reference. Who may call it follows from `access`. */
  description?: string | readonly string[]
  /**
   * Required, so that no endpoint is public by omission. `session` means any account, whether it is identified by a
   * session, an API token or Basic credentials.
   */
  access: Level
  query?: Query
  /** Instead of `query`: optional URL parameters, which the typed client takes after the body. */
  selects?: Selects
  body?: Body
  /** In bytes. */
  bodyLimit?: number
  /** Accepts a form with files instead of JSON. The handler reads it, after authentication and authorisation. */
  upload?: Files
  answer: Answer<Value, Json>
  /** Runs before the caller is identified and before the body is read, so also for requests that fail later. */
  first?: (request: { app: App; exchange: HttpExchange }) => void
  /** `false`: the caller is not identified before the handler; the handler does it if needed. */
  identify?: false
  /** Clients that are not browsers may call it with a session cookie and without `X-CSRF`. */
  withoutCsrfToken?: true
  /** The operation checks the permission inside its transaction, on the locked row; the server does not check it before. */
  authorizedByOperation?: true
  /** Allowed during forced setup: for accounts that must set a new password or second factor first, on themselves. */
  duringForcedSetup?: true
  /**
   * For changes to how an account signs in: the caller must have authenticated recently, in a session. `strong`: with a
   * second factor, if the caller has one.
   */
  fresh?: true | 'strong'
  /** Returns a more specific error than `validation`, if there is one. */
  invalid?: (issues: z.core.$ZodIssue[]) => ApiError | undefined
  /** Cacheable until the database changes. */
  cacheable?: true
  /**
   * Reads the content of everything it searches. For clients without credentials it counts as many requests, and few run
   * at once.
   */
  readsAll?: true
  /** For how many seconds shared caches may keep the answer to an anonymous client, 0 for not at all; by default as the settings say. */
  sharedMaxAge?: number
  /** The cache tags name everything that the answer depends on. Without it, every change of content concerns it. */
  isTagged?: true
  /** Finds the target of the request (404 if the caller may not see it). The permission is checked on it. */
  on?: (request: {
    app: App
    caller: Caller | undefined
    params: Params<Path>
    ctx: ContextOf<Level>
    /** For targets that do not exist yet: the body names the blueprint, whose options apply. */
    body: Output<Body>
  }) => Promise<Target & TargetOf<Level>>
  handler: (request: {
    app: App
    exchange: HttpExchange
    ctx: ContextOf<Level>
    caller: Level extends 'public' | 'reader' ? Caller | undefined : Caller
    params: Params<Path>
    query: Output<Query>
    /** The parsed parameters of `selects`. */
    selection: Output<Selects>
    body: Output<Body>
    upload: Files extends UploadForm ? Upload : undefined
    target: Target
  }) => Promise<NoInfer<Value>>
  /** In place of `handler` for `Accept: text/event-stream`: checks the request and returns what sends the messages. */
  stream?: (request: { exchange: HttpExchange; ctx: RequestContext; query: Output<Query> }) => Promise<StreamSource>
}

/** A permission that depends on a target is checked on it by the server, or by the operation. */
type CheckedBy<Level> = Level extends AccountPermission | ContentPermission
  ? { on: unknown } | { authorizedByOperation: true }
  : unknown

export function endpoint<
  const Path extends string,
  const Level extends Access,
  Value,
  Json,
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  Target = undefined,
  const Files extends UploadForm | undefined = undefined,
  Selects extends z.ZodType | undefined = undefined,
>(
  definition: Endpoint<Path, Level, Query, Body, Value, Json, Target, Files, Selects> & CheckedBy<Level>,
): Endpoint<Path, Level, Query, Body, Value, Json, Target, Files, Selects> {
  return definition
}

/** An endpoint without its type parameters: what the server and the OpenAPI document iterate over. */
export interface AnyEndpoint extends Pick<
  Endpoint<string, Access, z.ZodType | undefined, z.ZodType | undefined, never, unknown, unknown, unknown>,
  | 'method'
  | 'path'
  | 'summary'
  | 'description'
  | 'access'
  | 'bodyLimit'
  | 'first'
  | 'identify'
  | 'invalid'
  | 'cacheable'
  | 'isTagged'
  | 'sharedMaxAge'
  | 'readsAll'
  | 'withoutCsrfToken'
  | 'authorizedByOperation'
  | 'duringForcedSetup'
  | 'fresh'
> {
  query?: z.ZodType | undefined
  selects?: z.ZodType | undefined
  body?: z.ZodType | undefined
  upload?: UploadForm | undefined
  answer: Pick<Answer<never, unknown>, 'schemas' | 'answerViews' | 'wrap'>
  on?: (request: never) => Promise<unknown>
  handler: (request: never) => Promise<unknown>
  stream?: (request: never) => Promise<StreamSource>
}

/** The API is a tree of endpoints. The path of keys is the name of an endpoint: `pages.changeSlug`. */
export interface Api {
  [name: string]: AnyEndpoint | Api
}

export function* listEndpoints(api: Api, prefix = ''): Generator<[name: string, endpoint: AnyEndpoint]> {
  for (const [key, node] of Object.entries(api)) {
    if (isEndpoint(node)) yield [prefix + key, node]
    else yield* listEndpoints(node, `${prefix}${key}.`)
  }
}

/**
 * What the method of the typed client takes, in the order of its arguments. Parameters of the path come first, in one
 * object with the query. A form has files.
 */
export const parametersOf = ({ query, body, upload, selects }: AnyEndpoint): string =>
  [query && 'query', body && 'body', upload && 'form', selects && 'options'].filter(Boolean).join(' ')

export function isEndpoint(node: AnyEndpoint | Api): node is AnyEndpoint {
  return typeof node['handler'] === 'function'
}

/** The same endpoints under a path prefix: files belong to pages, the site and users. */
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

/** The same endpoints, but refused to anonymous clients: files of accounts are read like those of pages. */
export function forAccounts<Tree extends Api>(tree: Tree): Tree {
  return Object.fromEntries(
    Object.entries(tree).map(([name, node]) => [
      name,
      !isEndpoint(node) ? forAccounts(node) : node.access === 'reader' ? { ...node, access: 'session' } : node,
    ]),
  ) as Tree
}

type Mounted<Prefix extends string, Tree> = {
  [Name in keyof Tree]: Tree[Name] extends { path: infer Path extends string }
    ? Omit<Tree[Name], 'path'> & { path: `${Prefix}${Path}` }
    : Mounted<Prefix, Tree[Name]>
}
