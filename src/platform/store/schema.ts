import type { Generated } from 'kysely'

/**
 * The one schema of both engines. Text and whole numbers only: times are milliseconds since 1970 by the store's clock,
 * truth is 1 or 0, JSON is text decoded by name in `queries.ts`.
 */
export interface Database {
  migrations: { name: string; release: string; applied_at: number }
  key_prints: { ring: string; key_id: string; print: string }
  users: UsersTable
  sessions: SessionsTable
  challenges: ChallengesTable
  devices: { device_mac: string; user_id: string; auth_epoch: number; first_seen_at: number; last_seen_at: number }
  recovery_codes: { user_id: string; code_mac: string; used_at: number | null }
  api_tokens: ApiTokensTable
  throttle: ThrottleTable
  audit_events: AuditEventsTable
  /** Kept by the store itself. */
  user_counts: { role: string; count: number }
  /** One row, kept by the store itself, from the first account on. */
  installation: { one: number; installed_at: number }
  /** What opens the installation until then. */
  setup_tokens: { token_mac: string; created_at: number }
  /** The fields of whatever has any, as stored text by name; `owner` is a uuid such as `user://…`, `language` is `''` without languages. */
  contents: { owner: string; language: string; data: string; modified_at: number }
  /** Tables whose values are still to be converted, and how far that has come. */
  conversions: { name: string; place: string }
  /** What has been written and not yet published, of a thing in a language. */
  /** Autosaved drafts. */
  changes: ChangesTable
  history: HistoryTable
  /** One row, always: what the site has besides its contents. */
  site: { one: number; revision: number; modified_at: number }
  languages: LanguagesTable
  pages: PagesTable
  /** Children by parent, template and status; kept by the store itself. */
  page_counts: { parent: string; template: string; status: PageStatus; count: number }
  /** Slugs of languages other than the default one, where they differ. */
  page_slugs: { page: string; language: string; slug: string }
  schedules: SchedulesTable
  files: FilesTable
  /** Every file of bytes in the media store; `unused_since` is set while no file refers to it. */
  blobs: { hash: string; size: number; unused_since: number | null }
  /** What can be found, in which language; the words are in the index of the engine, under the same id. */
  search_rows: SearchRowsTable
  /** Which texts refer to what (`file://…`, `page://…`); kept by the store itself. */
  links: { target: string; owner: string; language: string; source: 'contents' | 'changes' }
  /** Deletions that can be undone, one row for each. */
  trash: TrashTable
  /** Of which templates and roles the pages, files and accounts of an entry are, and what it was in (`in page`, …). */
  trash_templates: { entry: string; kind: TrashedKind | `in ${OwnerKind}`; template: string }
  trash_rows: TrashRowsTable
  passkeys: PasskeysTable
  mails: MailsTable
}

export type UserStatus = 'invited' | 'active' | 'disabled'

export interface UsersTable {
  id: string
  email: string
  email_key: string
  name: string
  /** 1 where the name is empty and was given so. */
  blank_name: Generated<number>
  role: string
  language: string
  /** By what lists are ordered: the name, or else the address, in small letters. */
  sort_key: string
  status: UserStatus
  /** Sessions, challenges and devices carry the epoch they were made in; raising it ends them all at once. */
  auth_epoch: Generated<number>
  password_hash: string | null
  /** Set for an imported bcrypt hash only: how much work it is. */
  bcrypt_cost: number | null
  password_set_at: number | null
  password_fail_streak: Generated<number>
  password_disabled_at: number | null
  must_change_password: Generated<number>
  totp_secret: string | null
  totp_last_step: Generated<number>
  totp_fail_streak: Generated<number>
  created_at: number
  modified_at: number
  /** Counts the changes of its content. */
  revision: Generated<number>
}

export interface LanguagesTable {
  code: string
  /** What contents in this language are stored under. The first language of a site has `''`, as the site had before. */
  key: string
  name: string
  direction: 'ltr' | 'rtl'
  /** JSON: category (`LC_ALL`) → locale. */
  locale: string
  url: string
  /** JSON: text → what it becomes in slugs. */
  slugs: string
  /** JSON: key → text, for the site itself. */
  translations: string
  is_default: number
}

export type PageStatus = 'draft' | 'unlisted' | 'listed'

export interface PagesTable {
  uuid: string
  /** The uuid of the parent, `''` at the top. */
  parent: string
  /** The slugs from the top, with slashes: what the API calls the id. */
  path: string
  slug: string
  status: PageStatus
  /** Of listed pages. */
  num: number | null
  template: string
  /** Counts all changes: content in any language, title, slug, status, template, place. */
  revision: number
  created_at: number
  modified_at: number
}

/** What a page is to become, and when. */
export interface SchedulesTable {
  page: string
  status: PageStatus
  due_at: number
  user_id: string | null
  /** The key of the error that kept it from happening. */
  problem: string | null
  /** The language whose draft is published with it. */
  publish_language: string | null
}

export interface FilesTable {
  uuid: string
  /** `page://…`, `site://` or `user://…` */
  parent: string
  filename: string
  /** In small letters: names that differ in nothing else are the same. */
  name_key: string
  /** The same, with numbers written so that they sort as numbers. */
  name_order: string
  extension: string
  type: string | null
  mime: string
  template: string | null
  sort: number | null
  size: number
  /** SHA-256 of the bytes, hex: where they are. */
  hash: string
  width: number | null
  height: number | null
  revision: number
  created_at: number
  modified_at: number
  /** When it got the bytes or the focus point that it has: its address changes with them only. */
  stored_at: number
}

export type TrashedKind = 'page' | 'file' | 'user'
type OwnerKind = 'page' | 'site' | 'user'

/** One deletion: a page with everything below it, a file, or an account. */
export interface TrashTable {
  id: string
  kind: TrashedKind
  /** `page://…`, `file://…`, `user://…` */
  owner: string
  /** Of a page the uuid of its parent, `''` at the top; of a file what it belonged to (`page://…`); `''` for an account. */
  parent: string
  /** Where it was: the path of a page, the path and name of a file, the address of an account. */
  path: string
  title: string
  /** The template, or the role of an account. */
  template: string | null
  /** The key of the language that was the default one. */
  language: string
  pages: number
  files: number
  /** Who deleted it. */
  user_id: string | null
  deleted_at: number
  /** 1 once it is deleted for good: its rows are removed in batches, the entry last. */
  is_purged: number
}

/** A row that was in another table. */
export interface TrashRowsTable {
  id: Generated<number>
  entry: string
  /** The name of that table. */
  kind: string
  /** The value of its key column: a uuid, or `page://…`. */
  owner: string
  /** Of files: their bytes stay for as long as this row. */
  hash: string | null
  /** All columns, as JSON. */
  data: string
}

export interface SearchRowsTable {
  id: Generated<number>
  owner: string
  language: string
  /** The uuid, if it is a page. */
  page: string | null
  /** The title as it is compared with questions. */
  title_key: string
  /** Of all words in the index, to tell whether they are still those of the content. */
  digest: string
}

/** Contents as they were after each save. */
export interface ChangesTable {
  owner: string
  language: string
  data: string
  user_id: string | null
  modified_at: number
  /** Never given twice to drafts of the same content. */
  revision: Generated<number>
  /** The browser window that sent it last, if it said so. */
  window_id: string | null
}

export interface HistoryTable {
  id: Generated<number>
  owner: string
  language: string
  revision: number
  action: string
  user_id: string | null
  time: number
  /** Names that differ from the version before, as JSON: a list of versions is shown without reading their contents. */
  fields: Generated<string>
  /** `{}` for an event. */
  data: string
  /** `version`: published content. `draft`: an overwritten draft. `event`: a change of something that is no content. */
  kind: Generated<'version' | 'draft' | 'event'>
  /** What an event has changed, as JSON. */
  detail: string | null
}

export interface SessionsTable {
  id: string
  token_mac: string
  prev_mac: string | null
  prev_until: number | null
  user_id: string
  auth_epoch: number
  aal: number
  amr: string
  long: number
  ip_prefix: string
  ua_family: string
  created_at: number
  rotated_at: number
  authenticated_at: number
  last_seen_at: number
  idle_until: number
  absolute_until: number
}

export interface ChallengesTable {
  id_mac: string
  kind: string
  user_id: string | null
  auth_epoch: number
  attempts: Generated<number>
  max_attempts: number
  data: string
  expires_at: number
  consumed_at: number | null
}

export interface ApiTokensTable {
  id: string
  token_mac: string
  prefix: string
  name: string
  owner_id: string
  scopes: string
  created_at: number
  expires_at: number | null
  last_used_at: number | null
}

export interface ThrottleTable {
  bucket: string
  /** Theoretical arrival time: when the bucket will be full again. */
  tat: number
  fails: number
  blocked_until: number
  seen_at: number
}

export interface AuditEventsTable {
  id: Generated<number>
  time: number
  event: string
  actor_id: string | null
  subject_id: string | null
  session_id: string | null
  ip_prefix: string | null
  ua_family: string | null
  request_id: string | null
  detail: string
  /** Events of one kind, place and minute are one row with a count: a flood cannot fill the disk. */
  count: number
  gathered: string | null
}

export interface PasskeysTable {
  id: string
  /** What the authenticator calls it: base64url, up to 1364 characters. */
  credential: string
  user_id: string
  name: string
  /** COSE, base64url. */
  public_key: string
  counter: number
  /** How the browser reaches it, separated by blanks. */
  transports: string
  /** It may be on several devices: then its counter says little. Never changes. */
  syncable: number
  /** Whether it was, when it was last used. */
  synced: number
  created_at: number
  last_used_at: number | null
}

/** Mail that waits to be sent; a row goes when the mail has. */
export interface MailsTable {
  id: string
  /** To whom and what, sealed: there are links in it that open accounts. */
  sealed: string
  attempts: Generated<number>
  /** When to try (again). Whoever tries moves it first, so that nobody else does. */
  due_at: number
  created_at: number
  problem: string | null
}
