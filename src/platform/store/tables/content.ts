import type { Generated } from 'kysely'

export interface LanguagesTable {
  code: string
  /**
   * The key under which contents in this language are stored. The first language of a site has `''`, the key from
   * before the site had languages.
   */
  key: string
  name: string
  direction: 'ltr' | 'rtl'
  /** JSON: category (`LC_ALL`) → locale. */
  locale: string
  url: string
  /** JSON: text → its replacement in slugs. */
  slugs: string
  /** JSON: key → text, for the site itself. */
  translations: string
  is_default: number
}

export type PageStatus = 'draft' | 'unlisted' | 'listed'

export interface PagesTable {
  uuid: string
  /** The uuid of the parent page, `''` at the top level. */
  parent: string
  /** The slugs from the top level on, joined by slashes: the id in the API. */
  path: string
  slug: string
  status: PageStatus
  /** Sort number; only for listed pages. */
  num: number | null
  template: string
  /** Grows with every change: content in any language, title, slug, status, template, place in the tree. */
  revision: number
  created_at: number
  modified_at: number
}

/** A page with its content in the language it was read for. */
export interface PageRow extends PagesTable {
  /** The content in this language, as JSON; null if there is none. */
  own: string | null
  /** The content in the default language. Missing, or the same again, if it was read for that. */
  base?: string | null
  /** The user with a draft of this content; null if there is none, undefined if it was not read. */
  editor?: string | null
  /** 1 if there is a draft of this content; only read with the lock. */
  has_draft?: number
  /** Nothing is left out of the content: this is no `ListRow`. */
  omitted?: 0
}

export interface RedirectsTable {
  id: Generated<number>
  /** The key of the language whose prefix `path` lacks. `*` if `path` is the whole path, as it was entered. */
  language: string
  /** Without the first slash. */
  path: string
  /** The uuid of the page it leads to, which may be in the trash; null if `target` is set. */
  page: string | null
  /** A path or a URL. */
  target: string | null
  /** 1 if a change of a page created it, 0 if it was added or changed manually. */
  is_automatic: number
  created_at: number
  modified_at: number
}

/** A scheduled change of the status of a page. */
export interface SchedulesTable {
  page: string
  status: PageStatus
  due_at: number
  user_id: string | null
  /** The key of the error that made it fail. */
  problem: string | null
  /** The language whose draft is published at the same time. */
  publish_language: string | null
}

export interface FilesTable {
  uuid: string
  /** `page://…`, `site://` or `user://…` */
  parent: string
  filename: string
  /** The filename in lower case: names that differ only in case are the same. */
  name_key: string
  /** The same, with numbers padded so that they sort numerically. */
  name_order: string
  extension: string
  type: string | null
  mime: string
  template: string | null
  sort: number | null
  size: number
  /** SHA-256 of the bytes, hex: the key of the blob. */
  hash: string
  width: number | null
  height: number | null
  revision: number
  created_at: number
  modified_at: number
  /** When its bytes or its focus point last changed: its URL changes only with them. */
  stored_at: number
}

/** Bytes of a file: all that it had and that are kept, and those that it has, once they were replaced. */
export interface FileVersionsTable {
  /** `file://…` */
  owner: string
  /** From 1 on, in the order in which the file got them first. */
  number: number
  hash: string
  size: number
  width: number | null
  height: number | null
  /** The focus point when they were replaced, which comes back with them. */
  focus: string | null
  user_id: string | null
  created_at: number
}

export type TrashedKind = 'page' | 'file' | 'user'
export type OwnerKind = 'page' | 'site' | 'user'

/** One deletion: a page with everything below it, a file, or an account. */
export interface TrashTable {
  id: string
  kind: TrashedKind
  /** `page://…`, `file://…`, `user://…` */
  owner: string
  /**
   * For a page the uuid of its parent, `''` at the top level; for a file the URI of its parent (`page://…`); `''` for
   * an account.
   */
  parent: string
  /** Where it was: the path of a page, the path and name of a file, the e-mail address of an account. */
  path: string
  title: string
  /** The template, or the role of an account. */
  template: string | null
  /** The key of the language that was the default one at that time. */
  language: string
  pages: number
  files: number
  /** Who deleted it. */
  user_id: string | null
  deleted_at: number
  /** 1 once it is deleted for good: its rows are removed in batches, the entry last. */
  is_purged: number
}

/** A deleted row of another table. */
export interface TrashRowsTable {
  id: Generated<number>
  entry: string
  /** The name of that table. */
  kind: string
  /** The value of its key column: a uuid, or `page://…`. */
  owner: string
  /** For files: the blob stays as long as this row. */
  hash: string | null
  /** All columns, as JSON. */
  data: string
}

export interface SearchRowsTable {
  id: Generated<number>
  owner: string
  language: string
  /** The uuid of a page; null for a file. */
  page: string | null
  /** The title, folded for comparison with search terms. */
  title_key: string
  /** Hash of the indexed words, to detect whether they still match the content. */
  digest: string
}

/** Autosaved drafts. */
export interface ChangesTable {
  owner: string
  language: string
  data: string
  user_id: string | null
  modified_at: number
  /** Never used twice for drafts of the same content. */
  revision: Generated<number>
  /** The browser window that saved it last, if the request named it. */
  window_id: string | null
  /** Set if the author gave up the edit lock by asking for a review. */
  released_at: number | null
}

/** A comment on a page or on one of its fields. */
export interface CommentsTable {
  id: string
  /** `page://…` */
  owner: string
  /** The id of the first comment of the thread. */
  thread: string
  /** The path of a field; empty for the page, and in replies. */
  field: string
  user_id: string | null
  text: string
  created_at: number
  modified_at: number | null
  /** Set in the first comment of a thread. */
  resolved_at: number | null
  resolved_by: string | null
}

/** A request to review the draft of a page; for a page that was never published, to review the page. */
export interface ReviewsTable {
  /** `page://…` */
  owner: string
  language: string
  state: 'waiting' | 'returned'
  user_id: string | null
  requested_at: number
  note: string
  /** The revision of the draft that was handed in; 0 if there was no draft. */
  draft_revision: number
  answered_by: string | null
  answered_at: number | null
  answer: string
}

export interface HistoryTable {
  id: Generated<number>
  owner: string
  language: string
  revision: number
  action: string
  user_id: string | null
  time: number
  /**
   * JSON list of the fields that differ from the previous version, so that a list of versions is shown without reading
   * their contents.
   */
  fields: Generated<string>
  /** `{}` for an event. */
  data: string
  /** `version`: published content. `draft`: an overwritten draft. `event`: a change of something other than content. */
  kind: Generated<'version' | 'draft' | 'event'>
  /** What an event changed, as JSON. */
  detail: string | null
}
