import type { Logger } from 'pino'
import type { AuditDetail } from '../access/audit/audit.ts'
import type { ContentEvent } from '../access/audit/patterns.ts'
import type { Cms } from './cms.ts'

type KindOf<Name> = Name extends `${infer Kind}.${string}` ? Kind : never

/** The name of an event, or all events of a kind: `page.*`. */
type EventPattern = ContentEvent | `${KindOf<ContentEvent>}.*`

type Matching<Pattern> = Pattern extends `${infer Kind}.*` ? Extract<ContentEvent, `${Kind}.${string}`> : Pattern

/** What has happened. Facts, never contents: read them with `cms`, as they are now. */
export interface ExtensionEvent<Name = ContentEvent> {
  /** The same in every attempt. */
  id: string
  type: Name
  time: Date
  /** What it is about: `page://…`, `file://…`, `user://…` or `site://`; undefined for a language. */
  uuid: Name extends `language.${string}` ? undefined : string
  /** The page that it is about, or that the file belongs to, as `cms` takes it: `cms.pages.get({ id: event.page })`. */
  page: Name extends `page.${string}` ? string : string | undefined
  /** The id of the account that it is about. */
  user: Name extends `user.${string}` ? string : string | undefined
  /** The id of the account that has acted; undefined if it was the system, an extension for example. */
  actor: string | undefined
  /** Template, path, language, revision, names of the changed fields, as far as they concern the event. */
  data: Readonly<AuditDetail>
  /** 1 for the first. */
  attempt: number
}

/** What handlers and jobs work with. */
interface RunContext {
  /** Acts as the extension, with every permission. It can do nothing more once `signal` is aborted. */
  cms: Cms
  log: Logger
  /** Aborted when the time is over, and when the server stops. */
  signal: AbortSignal
}

export interface Handler {
  readonly event: string
  readonly name: string
  readonly templates: readonly string[]
  readonly languages: readonly string[]
  /** In ms. */
  readonly timeout: number
  readonly run: (context: never) => Promise<unknown>
}

/** In ms. */
const defaultTimeouts = { handler: 60_000, job: 15 * 60_000 }

/**
 * Runs after the commit of a change: at least once, in order for each page, file, account and language, and again
 * if it fails.
 */
export function on<const Pattern extends EventPattern>(
  event: Pattern,
  run: (context: RunContext & { event: ExtensionEvent<Matching<Pattern>> }) => Promise<unknown>,
  options: {
    /** Needed if two handlers of the extension have the same event. Waiting events belong to this name. */
    name?: string
    /** Only events of these templates; those without a template, too. */
    templates?: readonly string[]
    /** Only events of these languages; those without a language, too. */
    languages?: readonly string[]
    /** In ms; 60,000 by default. */
    timeout?: number
  } = {},
): Handler {
  // Plain JavaScript may pass null.
  const { name = event, templates = [], languages = [], timeout = defaultTimeouts.handler, ...unknown } = options ?? {}
  return { ...unknown, event, name, templates, languages, timeout, run }
}

export interface ScheduledJob {
  readonly name: string
  readonly at: string | undefined
  readonly timeZone: string | undefined
  /** In ms. */
  readonly timeout: number
  readonly run: (context: never) => Promise<unknown>
}

/** Runs at certain times, or when it is started by hand. Never twice at the same time, in whatever process. */
export function job(
  name: string,
  options: {
    /** Minute, hour, day of the month, month, day of the week: `0 3 * * *`. Without it, only by hand. */
    at?: string
    /** `Europe/Berlin`; UTC by default. */
    timeZone?: string
    /** In ms; 900,000 by default. */
    timeout?: number
    run: (context: RunContext) => Promise<unknown>
  },
): ScheduledJob {
  // Plain JavaScript may pass none; that a function is missing is reported with the name of the extension.
  const { at, timeZone, timeout = defaultTimeouts.job, run, ...unknown } = options ?? {}
  return { ...unknown, name, at, timeZone, timeout, run }
}
