import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { type Client, createClientFor, QuoinError } from '../../client/client.ts'
import type { Routes } from '../../client/routes.ts'
import type { Actor, Caller, Cause, Anonymous, System, Visitor } from '../access/actor.ts'
import { authorize } from '../access/authorize/authorize.ts'
import { checkCaller } from '../access/authorize/callers.ts'
import { mustPreview } from '../access/authorize/pages.ts'
import { recordDenial, anonymousError } from '../access/authorize/denials.ts'
import type { HttpExchange } from '../access/session/exchange.ts'
import { api } from '../api.ts'
import type { App } from '../app.ts'
import { describeLockHolder } from '../content/drafts/draft-lock.ts'
import { createRequestContext } from '../forms/request-context.ts'
import { type AnyEndpoint, listEndpoints, parametersOf } from '../http/endpoint.ts'
import { failure } from '../http/failure.ts'
import { checkedQuery, type FlatQuery } from '../http/query.ts'
import { readForm, type Upload } from '../http/upload.ts'
import { validate } from '../http/validate.ts'
import { ApiError, fail } from '../platform/errors.ts'
import type { Tx } from '../platform/store/store.ts'
import type { DocumentChange, DocumentCollection, DocumentStore } from './collections.ts'
import { openDocuments, prepareChanges } from './documents.ts'
import { joinTransaction } from './join-transaction.ts'
import { type ExtensionMail, sendMail } from './mail.ts'
import type { WritingName } from './writing-names.ts'
import { translatorFor } from '../platform/translations/translations.ts'

/**
 * The typed client in process: the same names, types, rules and permissions as over HTTP. Signing in and out is left
 * out: an extension acts as the caller of its endpoint, or as itself.
 */
export type Cms = Omit<Client, 'auth'> & {
  /** The same with every permission. The audit log names the extension. */
  asSystem(): Cms
  /** The documents of a collection that the extension declares in `store`. */
  store<Value, Field extends string>(documents: DocumentCollection<Value, Field>): DocumentStore<Value, Field>
  /** Writes and deletes documents in one transaction: all of them, or none with `error.document.changed`. */
  write(changes: readonly DocumentChange[]): Promise<void>
  /**
   * The same client, whose one call also writes documents, in the transaction of its change: either both are stored, or
   * neither is.
   */
  with(changes: readonly DocumentChange[]): ChangingClient
  /** Queues a mail. False if the site sends no mail (`mail.url`). */
  mail(mail: ExtensionMail): Promise<boolean>
}

/** What changes content, accounts and languages. */
export type ChangingClient = WritesOf<Pick<Client, (typeof changingGroups)[number]>>

const changingGroups = ['pages', 'site', 'users', 'languages'] as const

/** Only the methods that change something, at any depth. */
type WritesOf<Methods> = {
  [
    Name in keyof Methods as Methods[Name] extends (...input: never) => unknown ? Extract<Name, WritingName> : Name
  ]: Methods[Name] extends (...input: never) => unknown ? Methods[Name] : WritesOf<Methods[Name]>
}

/** The same for rules, which read only. */
export type ReadingCms = ReadsOf<Omit<Client, 'auth'>> & {
  /** The same with every permission. */
  asSystem(): ReadingCms
  store<Value, Field extends string>(
    documents: DocumentCollection<Value, Field>,
  ): Pick<DocumentStore<Value, Field>, 'all' | 'count' | 'get' | 'list'>
}

/** Without the methods that change something, at any depth. */
type ReadsOf<Methods> = {
  [
    Name in keyof Methods as Methods[Name] extends (...input: never) => unknown ? Exclude<Name, WritingName> : Name
  ]: Methods[Name] extends (...input: never) => unknown ? Methods[Name] : ReadsOf<Methods[Name]>
}

/** Who calls through the client, and from where. */
export interface CmsCaller {
  extension: string
  /** The collections that it declares. */
  collections: readonly DocumentCollection[]
  /** `extension`: it acts as itself, in the background. */
  actor: Caller | Anonymous | 'extension' | undefined
  exchange: Visitor & Partial<Pick<HttpExchange, 'httpVersion'>>
  /** Once it is aborted, every call is refused. */
  signal?: AbortSignal
  /** The event that the extension reacts to. */
  cause?: Cause | undefined
  /** Refuses everything that changes something. */
  readOnly?: boolean | undefined
}

const endpoints = new Map<string, AnyEndpoint>([...listEndpoints(api)].filter(([name]) => !name.startsWith('auth.')))

/** The name takes the place of the path, so that no router is needed to find the endpoint again. */
const routes: Routes = Object.fromEntries(
  [...endpoints].map(([name, endpoint]) => {
    const params = endpoint.path.match(/:\w+/g) ?? []
    return [name, [endpoint.method, `/${[name, ...params].join('/')}`, parametersOf(endpoint)]]
  }),
)

export function createCms(app: App, caller: CmsCaller): Cms {
  const { extension, collections, actor, signal, cause, readOnly } = caller
  const known = actor === 'extension' || actor?.isAnonymous ? undefined : actor
  const system: System = {
    system: 'extension',
    via: extension,
    cause,
    inBackground: actor === 'extension',
    onBehalfOf: known?.user.id,
  }
  const openStore: Cms['store'] = documents => {
    if (!collections.includes(documents)) throw new TypeError(`store: [${documents.name}] is not declared`)
    const opened = openDocuments(app.store, extension, documents, signal)
    return {
      ...opened,
      put: (...input) => writing('put', () => opened.put(...input)),
      delete: (...input) => writing('delete', () => opened.delete(...input)),
    }
  }
  const mail: Cms['mail'] = async sent => writing('mail', () => sendMail(app, sent))
  const write: Cms['write'] = async changes =>
    writing('write', () => app.store.write(prepareChanges(extension, collections, changes)))
  if (actor === 'extension') return cmsOf(system)
  return cmsOf(known ? { ...known, via: extension } : actor)

  /** What is refused has the same form as refusals of endpoints. */
  async function writing<Value>(name: string, work: () => Promise<Value>): Promise<Value> {
    try {
      if (readOnly) throw fail('extension.readOnly', { name })
      signal?.throwIfAborted()
      return await work()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const { status, body } = failureFor(known, error)
      throw new QuoinError(status, JSON.parse(body) as object)
    }
  }

  function cmsOf(as: Actor | undefined): Cms {
    const client = clientOf(as)
    const withDocuments: Cms['with'] = changes => clientOf(as, prepareChanges(extension, collections, changes))
    // The client is a proxy for any name: the target of this one has the names that are not endpoints.
    const own = { asSystem: () => cmsOf(system), store: openStore, write, with: withDocuments, mail }
    return new Proxy(own as Cms, {
      get: (target, key) => Reflect.get(Object.hasOwn(target, key) ? target : client, key) as unknown,
    })
  }

  function clientOf(as: Actor | undefined, within?: (tx: Tx) => Promise<void>): Omit<Client, 'auth'> {
    let isUsed = false
    return createClientFor<Omit<Client, 'auth'>>(routes, {
      url: origin,
      fetch: async (url, init) => {
        signal?.throwIfAborted()
        // The documents belong to the first change: they would be written again, without their own check.
        if (within && isUsed) throw new TypeError('with: the documents are written with one call; call `with` again')
        isUsed = true
        return answer(app, as, { ...caller, within }, new URL(url), init)
      },
    })
  }
}

const origin = 'quoin://cms'

/** Searches are POST for the length of their filters. */
const isWriting = (name: string, { method }: AnyEndpoint) => method !== 'GET' && !/\.(?:find|query)$/.test(name)

/** A refusal in the language of the actor. */
function failureFor(actor: Actor | undefined, error: ApiError) {
  const language = actor && !actor.isAnonymous && !actor.system ? actor.user.language : 'en'
  return failure(error, undefined, translatorFor(language))
}

/** Runs the endpoint as the server does, without caches, streams and cookies. */
async function answer(
  app: App,
  actor: Actor | undefined,
  { exchange: from, readOnly = false, within }: CmsCaller & { within?: ((tx: Tx) => Promise<void>) | undefined },
  { pathname, searchParams }: URL,
  { headers, body }: RequestInit,
): Promise<Response> {
  const [name = '', ...values] = pathname
    .replace(/^\/api\//, '')
    .split('/')
    .map(decodeURIComponent)
  const endpoint = endpoints.get(name)!
  const { 'if-match': ifMatch } = headers as Record<string, string>
  const exchange: HttpExchange = {
    ip: from.ip,
    userAgent: from.userAgent,
    requestId: from.requestId,
    httpVersion: from.httpVersion ?? '1.1',
    method: endpoint.method,
    headers: { ...(ifMatch !== undefined && { 'if-match': ifMatch }) },
    answer: { headers: {}, cookies: [] },
  }
  const params = Object.fromEntries((endpoint.path.match(/:\w+/g) ?? []).map((key, at) => [key.slice(1), values[at]]))
  const sent = { params, query: flat(searchParams), body }
  try {
    if (isWriting(name, endpoint)) {
      if (readOnly) throw fail('extension.readOnly', { name })
      if (actor?.system) refuseLongChain(app, actor)
    }
    if (within && !(isWriting(name, endpoint) && changingGroups.some(group => name.startsWith(`${group}.`))))
      throw new TypeError(`with: ${name} changes no content`)
    const reader = await readerOf(app, endpoint, exchange, actor)
    const joined = within && joinTransaction(app, within)
    const { status, json } = await run(app, endpoint, reader, exchange, sent, joined?.app)
    await joined?.finish()
    return new Response(JSON.stringify(json), { status })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { status, body: text, headers: more } = failureFor(actor, error)
    return new Response(text, { status, headers: more })
  }
}

/** How many extensions may cause each other to change something. */
const maxChain = 5

/** Extensions that react to each other's changes would never end. */
function refuseLongChain({ log }: App, { via: extension, cause }: System): void {
  if (!cause || cause.chain.length <= maxChain) return
  const chain = cause.chain.join(' → ')
  log.error({ event: 'extension.chain', extension, chain: cause.chain }, `extensions cause each other to run: ${chain}`)
  throw fail('extension.chain', { chain })
}

/** As over HTTP: forced setup, tokens with the scope `published`, and changes that need a recent sign-in. */
async function readerOf(app: App, endpoint: AnyEndpoint, exchange: HttpExchange, actor: Actor | undefined) {
  if (actor?.system) return actor
  const reader = await checkCaller(app, endpoint, exchange, identityOf(actor), true)
  if (reader instanceof ApiError) throw reader
  return reader
}

const identityOf = (actor: Caller | Anonymous | undefined) => {
  if (!actor?.isAnonymous) return actor ? { caller: actor } : {}
  const { owner, pass } = actor
  return { ...(owner && { caller: owner }), ...(pass && { pass }) }
}

interface Sent {
  params: object
  query: FlatQuery
  body: RequestInit['body']
}

const refuseSystem = () => {
  throw fail('auth')
}

async function run(
  app: App,
  endpoint: AnyEndpoint,
  actor: Actor | undefined,
  exchange: HttpExchange,
  sent: Sent,
  acting = app,
) {
  const { params } = sent
  const query = checkedQuery(endpoint, sent.query)
  const json = typeof sent.body === 'string' ? (JSON.parse(sent.body) as unknown) : undefined
  const body = endpoint.body && validate(endpoint, endpoint.body, json)
  const ctx = createRequestContext(acting, endpoint, actor, query, exchange)
  ctx.readAt = undefined // an extension may read what it has just written
  const known = actor && !actor.isAnonymous && !actor.system ? actor : undefined
  const anonymous = actor?.isAnonymous ? actor : undefined
  const request = {
    app: acting,
    exchange,
    ctx,
    params,
    query,
    body,
    selection: endpoint.selects && query,
    upload: endpoint.upload && uploadOf(sent.body),
    caller: known,
  }
  try {
    if (ctx.isPreview) mustPreview(ctx)
    const target = await (endpoint.on as ((request: object) => Promise<unknown>) | undefined)?.(request)
    if (!endpoint.authorizedByOperation) authorize(app, endpoint, actor, target as object | undefined)
    const handler = endpoint.handler as (request: object) => Promise<unknown>
    // Handlers that take it work on the account or session of the caller, which a system does not have.
    const given = { ...request, target }
    const value = await handler(actor?.system ? Object.defineProperty(given, 'caller', { get: refuseSystem }) : given)
    return (endpoint.answer.wrap as (value: unknown) => { status: number; json: unknown })(value)
  } catch (error) {
    if (anonymous) throw anonymous.owner ? error : anonymousError(error)
    return recordDenial(app, endpoint, exchange, known, describeLockHolder(ctx, error))
  }
}

/** The form is encoded and read as if it had been sent, so that it has the same limits. */
function uploadOf(form: Sent['body']): Upload {
  const { body, headers } = new Response(form)
  const source = Readable.fromWeb(body as ReadableStream)
  const type = { 'content-type': headers.get('content-type') ?? '' }
  return { read: (limits, take) => readForm(Object.assign(source, { headers: type }), limits, take) }
}

function flat(parameters: URLSearchParams): FlatQuery {
  const query: FlatQuery = {}
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name)
    query[name] = values.length === 1 ? values[0]! : values
  }
  return query
}
