import { getCallSites } from 'node:util'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Access } from '../access/authorize/authorize.ts'
import { type Answer, answer } from '../http/answer.ts'
import type { Params } from '../http/endpoint.ts'
import { type ConfiguredExtension, extensionMark } from '../platform/config/extensions.ts'
import type { Cms, ReadingCms } from './cms.ts'
import type { DocumentCollection } from './collections.ts'
import type { AnyOwnFieldType } from './field-type.ts'
import type { Handler, ScheduledJob } from './handlers.ts'
import type { OwnPanel, OwnScreen } from './own-panel.ts'
import { type Rule, rule, type RuleContext } from './rule.ts'
import type { RuleName } from './rule-names.ts'

export type { Cms }
export { documents } from './collections.ts'
export { fieldType } from './field-type.ts'
export { type ExtensionEvent, job, on } from './handlers.ts'
export { refuse } from './refuse.ts'
export { type ReadingCms, rule, type RuleContext, type RuleName }

/** A plain JSON answer. What the schema forbids is not sent: the client gets an error that names the extension. */
export function json<Schema extends z.ZodType>(schema: Schema): Answer<z.output<Schema>, z.output<Schema>> {
  return answer(schema, (value: z.output<Schema>) => value)
}

// ---- endpoints

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined
/** The account that calls. A public endpoint has none if the request has no credentials. */
interface OwnCaller {
  id: string
  role: string
}

/**
 * Who may call an endpoint: everyone (`public`), anonymous clients if the site is public to them, and accounts
 * (`reader`), any account, by session, API token or Basic credentials (`session`), or accounts with a permission.
 */
type OwnAccess = 'public' | 'reader' | 'session' | `${string}.${string}`

export interface OwnEndpoint<Path extends string, Level, Query, Body, Value, Json> {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Below `/api/extensions/<name>`. */
  path: Path
  summary: string
  description?: string | readonly string[]
  access: Level
  query?: Query
  body?: Body
  /** In bytes. */
  bodyLimit?: number
  answer: Answer<Value, Json>
  /** How many requests a network may send in a minute, in each process. */
  perMinute?: number
  /** Time limit in ms; 30,000 by default. */
  timeout?: number
  /** For how many seconds shared caches may keep the answer to a visitor; not at all by default. For `reader`. */
  sharedMaxAge?: number
  handler: (request: {
    /** Acts as the caller. */
    cms: Cms
    caller: Level extends 'public' | 'reader' ? OwnCaller | undefined : OwnCaller
    params: Params<Path>
    query: Output<Query>
    body: Output<Body>
    ip: string
    log: Logger
    /** Aborted when the client goes or the time is over; after the latter, `cms` refuses every further call. */
    signal: AbortSignal
  }) => Promise<NoInfer<Value>>
}

/** Declares an endpoint of an extension. */
export function endpoint<
  const Path extends `/${string}`,
  const Level extends OwnAccess,
  Value,
  Json,
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(definition: OwnEndpoint<Path, Level, Query, Body, Value, Json>): OwnEndpoint<Path, Level, Query, Body, Value, Json> {
  return definition
}

/** An endpoint without its type parameters. */
export interface AnyOwnEndpoint extends Omit<
  OwnEndpoint<string, OwnAccess, z.ZodType | undefined, z.ZodType | undefined, never, unknown>,
  'handler' | 'answer'
> {
  answer: Pick<Answer<never, unknown>, 'schemas' | 'wrap'>
  handler: (request: never) => Promise<unknown>
}

/** The path of keys is the name of an endpoint: `orders.list`. */
export interface OwnTree {
  [name: string]: AnyOwnEndpoint | OwnTree
}

/** Says in the compiler's message which permission is missing. */
interface UndeclaredPermission<Level> {
  'there is no permission': Level
}

/** The tree, if every permission that an endpoint requires exists. */
type Declared<Tree, Allowed> = {
  [Key in keyof Tree]: Tree[Key] extends { access: infer Level; path: string }
    ? Level extends Allowed
      ? Tree[Key]
      : { access: UndeclaredPermission<Level> }
    : Declared<Tree[Key], Allowed>
}

// ---- the extension

/** What `defineExtension` takes, without its type parameters. */
export interface Definition {
  name: string
  file?: string
  settings?: z.ZodType
  blueprints?: URL
  permissions?: Readonly<Record<string, string>>
  fields?: Readonly<Record<string, AnyOwnFieldType>>
  panel?: OwnPanel
  store?: readonly DocumentCollection[]
  on?: readonly Handler[]
  jobs?: readonly ScheduledJob[]
  endpoints?: OwnTree
  rules?: readonly Rule[]
  errors?: Readonly<Record<string, readonly [status: number, text: string]>>
  texts?: Readonly<Record<string, Readonly<Record<string, string | undefined>> | undefined>>
}

export interface Extension<Name extends string = string, Endpoints = OwnTree> extends ConfiguredExtension {
  readonly name: Name
  readonly definition: Definition & { endpoints?: Endpoints }
  /** What is wrong with the settings. */
  readonly issues: readonly z.core.$ZodIssue[]
}

type Locale = 'ar' | 'de' | 'es' | 'fr' | 'it' | 'ja' | 'nl' | 'pl' | 'pt' | 'tr' | 'zh'

/** What an extension adds to a site. */
interface Parts<Name extends string, Permissions, Errors, Fields, Endpoints> {
  /** A folder with blocks, fields, sections, tabs, and templates of pages and files. Those of the site win. */
  blueprints?: URL
  /** Name of the action → what it allows, in one sentence. */
  permissions?: Permissions
  /** Field types by their names in blueprints. */
  fields?: Fields
  /** Custom elements for the panel: files beside that of the extension. */
  panel?: {
    /** The input of a field type of the extension. */
    fields?: { readonly [Key in keyof Fields]?: `./${string}` }
    /** How blocks are shown in their list, by the name of the block. */
    blocks?: Readonly<Record<string, `./${string}`>>
    /** Screens with a place in the menu, at `/panel/extensions/<name>/<screen>`. */
    screens?: Readonly<
      Record<
        string,
        OwnScreen & { file: `./${string}`; access?: Access | `${Name}.${keyof NoInfer<Permissions> & string}` }
      >
    >
  }
  /** The collections of documents that it keeps. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each has its own type
  store?: readonly DocumentCollection<any, any>[]
  /** What runs after changes. */
  on?: readonly Handler[]
  /** What runs at certain times, or when it is started by hand. */
  jobs?: readonly ScheduledJob[]
  endpoints?: Endpoints & Declared<NoInfer<Endpoints>, Access | `${Name}.${keyof Permissions & string}`>
  /** What is checked before operations, see `rule`. */
  rules?: readonly Rule[]
  /** Key → HTTP status and English text. */
  errors?: Errors & Readonly<Record<string, readonly [status: number, text: string]>>
  /** The texts of the errors in other languages. */
  texts?: { readonly [Language in Locale]?: { readonly [Key in keyof Errors]?: string } }
}

/**
 * Declares an extension. It owns `/api/extensions/<name>`, the errors `error.<name>.*` and the permissions `<name>.*`.
 * The second argument has the values of the settings. They are checked when the site starts, and the third argument
 * gets them with their defaults and adds further parts; it is not called if they are wrong.
 */
export function defineExtension<
  const Name extends Lowercase<string>,
  // oxlint-disable typescript/no-generated-empty-object-type -- what is not declared has no keys
  const Permissions extends Readonly<Record<string, string>> = Record<never, string>,
  const Errors extends Readonly<Record<string, readonly [status: number, text: string]>> = Record<never, never>,
  const Fields extends Readonly<Record<string, AnyOwnFieldType>> = Record<never, never>,
  Endpoints extends OwnTree = Record<never, never>,
  // oxlint-enable typescript/no-generated-empty-object-type
  Schema extends z.ZodType = z.ZodUndefined,
>(
  definition: Parts<Name, Permissions, Errors, Fields, Endpoints> & {
    name: Name
    /** The file of the extension, `import.meta.url`, if it is bundled with others. */
    file?: string
    settings?: Schema
  },
  ...[settings, parts]: Schema extends z.ZodUndefined
    ? []
    : [
        settings: z.input<Schema>,
        parts?: (settings: z.output<Schema>) => Parts<Name, Permissions, Errors, Fields, Endpoints>,
      ]
): Extension<Name, Endpoints> {
  const given = definition as Partial<Definition> | null | undefined
  const file = given?.file ?? getCallSites(2)[1]?.scriptName ?? ''
  const checked = checkSettings(given?.settings, settings)
  const added = (checked.success && parts?.(checked.data)) || {}
  const twice = Object.keys(added).find(part => part in definition)
  if (twice !== undefined) throw new TypeError(`the extension "${definition.name}" declares "${twice}" twice`)
  return {
    [extensionMark]: true,
    name: given?.name as Name,
    file: file.startsWith('file:') ? fileURLToPath(file) : file,
    definition: (given && { ...definition, ...added }) as Definition & { endpoints?: Endpoints },
    issues: checked.success ? [] : checked.error.issues,
  }
}

type CheckedSettings = { success: true; data: unknown } | { success: false; error: { issues: z.core.$ZodIssue[] } }

function checkSettings(schema: z.ZodType | undefined, settings: unknown): CheckedSettings {
  try {
    return schema?.safeParse(settings) ?? { success: true, data: settings }
  } catch (error) {
    // A schema that has to be awaited, or one that is none.
    const issue = { code: 'custom' as const, path: [], input: settings, message: (error as Error).message }
    return { success: false, error: { issues: [issue] } }
  }
}
