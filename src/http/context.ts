import type { Field, Fields } from '../blueprints/fields/field.ts'
import type { VisibleReferences } from '../blueprints/fields/visible.ts'
import type { PanelImage } from '../blueprints/panel-image.ts'
import type { Caller, Context, Visitor } from '../access/actor.ts'
import type { TemplateFilter } from '../access/authorize/templates.ts'
import type { PageRow } from '../platform/store/tables/content.ts'

/** The language that content is read and written in. */
export interface ContentLanguage {
  /** Undefined on a site without languages. */
  code: string | undefined
  /** The key that its contents are stored under. */
  key: string
  /** The key of the default language, which provides untranslated fields. */
  fallback: string
  /** The prefix of page URLs: empty, `/de`, or an absolute URL. */
  url: string
  /** Where visitors see the site in this language, without a trailing slash. */
  siteUrl: string
  /** Replacements of letters in slugs. */
  slugs: Readonly<Record<string, string>>
  /** Whether any page has a slug in this language that differs from the slug in its id. */
  hasSlugs?: boolean
  /** Whether slugs may differ from those in the ids; otherwise none is read. A later default language may have some. */
  translatesSlugs: boolean
  /** Whether slugs can be translated into any language of the site, so that they must be unique across languages. */
  siteTranslatesSlugs: boolean
  /** Set with `version=changes`: unpublished changes are read over the published content, of pages of these templates. */
  changesOf?: TemplateFilter & {
    /** The uuid of the only page, with the preview pass of a page. */
    page?: string | undefined
    /** The only pages and files (`page://…`), with the preview pass of a release. */
    owners?: readonly string[] | undefined
  }
  /** The requested code if no such language exists: reads then use the default language, writes are refused. */
  unknown?: string
}

/**
 * The context of one request, with its content language and loaders. What is shown may depend on any of them.
 */
export interface RequestContext extends Context {
  visitor: Visitor
  /** The language requested by `language` or `x-language`. Loaded from the store on first use, known at once afterwards. */
  language(): ContentLanguage | Promise<ContentLanguage>
  /** The store version at which the caller was read, if the request only reads: what was cached at it is current. */
  readAt?: number | string | undefined
  /** True with `version=changes`: unpublished changes are shown as if they were published. */
  isPreview?: boolean
  /** True with it, except for the preview pass of one page or of a release: draft pages are listed as if they were published. */
  listsDrafts?: boolean
  /** The cache tags of the answer to an anonymous client, if the site sends them. */
  tags?: Set<string> | undefined
  /** Set if the response depends on the current time: it must not be cached. */
  timeDependent?: boolean
  // Implemented in `forms`, which comes later. They are properties, because TypeScript compares the parameters of methods
  // loosely: any object would pass as a row.
  /**
   * Replaces references to pages, files and accounts in the content by list entries, as far as the caller may see them.
   * `owner` is the URI of the content's owner (`page://…`): its own files may be referenced by name.
   */
  pick: (
    ctx: RequestContext,
    fields: Fields,
    content: Record<string, unknown>,
    owner?: string,
  ) => Promise<Record<string, unknown>>
  /**
   * Which references in `contents` `pick` shows the caller, which names they may be sent by, and how sent references
   * are stored. `contents` is not called if no field has references.
   */
  visible: (
    ctx: RequestContext,
    fields: Fields,
    owner: string,
    sent: Readonly<Record<string, unknown>>,
    contents: () => Promise<readonly Record<string, unknown>[]>,
  ) => Promise<VisibleReferences>
  /**
   * The values that a field with options from a query offers the caller. `owner` is the context of the query (`page://`
   * for a page that does not exist yet). Undefined if they cannot be determined: options from another server, a list
   * that is too long, or a query about a target that does not exist yet.
   */
  offered: (ctx: RequestContext, owner: string, field: Field) => Promise<ReadonlySet<string> | undefined>
  /** The image of a page in lists of the panel, which a query of the blueprint may choose. */
  pageImage: (ctx: RequestContext, page: PageRow) => Promise<PanelImage | null>
  /** Errors by section name: sections in which a page has too few or too many pages or files. */
  sectionErrors: (
    ctx: RequestContext,
    page: PageRow,
  ) => Promise<Record<string, { label: string; message: Record<string, string> }>>
}

/** The context of a request by an account. */
export interface CallerRequestContext extends RequestContext {
  actor: Caller
}
