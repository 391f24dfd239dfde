import type { App } from '../app.ts'
import type { Field, Fields } from '../blueprints/fields/field.ts'
import type { VisibleReferences } from '../blueprints/fields/visible.ts'
import type { Caller } from '../access/session/identify.ts'

/** The language that content is read and written in. */
export interface ContentLanguage {
  /** Undefined on a site without languages. */
  code: string | undefined
  /** What its contents are stored under. */
  key: string
  /** The same of the default language: where what is not translated comes from. */
  fallback: string
  /** What stands before the path of a page: nothing, `/de`, or an address of its own. */
  url: string
  /** What some letters become in slugs. */
  slugs: Readonly<Record<string, string>>
  /** Whether any page has a slug in it that is not that of its id. */
  hasSlugs?: boolean
  /** Set when another one was asked for that does not exist: it is read as the default one and cannot be written. */
  unknown?: string
}

/** Who is looking, and in which language: what is shown may depend on it. One for every request. */
export interface RequestContext {
  app: App
  caller: Caller
  /** The one the request asks for by `language` or `x-language`. Read from the store when it is first needed. */
  language(): Promise<ContentLanguage>
  /** Set when what is shown will be otherwise after a while, even if nothing is written. */
  timeDependent?: boolean
  /**
   * Content whose references to pages, files and accounts are shown as entries of a list, as far as the caller may see them.
   * `owner` is whose content it is (`page://…`): its own files may be referred to by their names.
   */
  pick(
    ctx: RequestContext,
    fields: Fields,
    content: Record<string, unknown>,
    owner?: string,
  ): Promise<Record<string, unknown>>
  /**
   * Which of the references in these contents `pick` shows the caller, how they can be called, and how those that are sent are
   * stored. Undefined, and the contents are not read, where none of the fields refers to anything.
   */
  visible(
    ctx: RequestContext,
    fields: Fields,
    owner: string,
    sent: Readonly<Record<string, unknown>>,
    contents: () => Promise<readonly Record<string, unknown>[]>,
  ): Promise<VisibleReferences | undefined>
  /**
   * The values that options of a query offer the caller. `owner` is what the query is about (`page://` for a page that is to be made). Undefined where
   * it cannot be said: options from another server, a list that is too long, or a query about something that is not there yet.
   */
  offered(ctx: RequestContext, owner: string, field: Field): Promise<ReadonlySet<string> | undefined>
  /** How the panel shows a page (its row) in lists: with its picture, which a query of the blueprint may choose. */
  pageImage(ctx: RequestContext, page: object): Promise<Record<string, unknown> | null>
  /** By the names of the sections: where a page (its row) has too few or too many pages or files. */
  sectionErrors(ctx: RequestContext, page: object): Promise<Record<string, unknown>>
}
