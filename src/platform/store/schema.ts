import type { Generated } from 'kysely'

/**
 * The schema of both engines. Text and integers only: times are milliseconds since 1970 by the store's clock, booleans
 * are 1 or 0, JSON is text that the functions in `queries.ts` decode.
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
  /** Maintained by triggers. */
  user_counts: { role: string; count: number }
  /** One row, inserted by a trigger with the first account. */
  installation: { one: number; installed_at: number }
  /** Tokens of the set-up link, until the first account exists. */
  setup_tokens: { token_mac: string; created_at: number }
  /**
   * Field values as stored text, by field name; `owner` is a URI such as `user://…`, `language` is `''` on a site
   * without languages.
   */
  contents: { owner: string; language: string; data: string; modified_at: number }
  /** Tables whose values are still to be converted, and how far the conversion has come. */
  conversions: { name: string; place: string }
  /** Autosaved drafts: content that is saved and not published, per owner and language. */
  changes: ChangesTable
  history: HistoryTable
  /** When the preview passes of a page or of the site (`owner`) were last revoked: older ones are void. */
  preview_revocations: { owner: string; revoked_at: number }
  presence: { id: string; user_id: string; page: string; since: number; seen_at: number }
  /** Always one row: what the site has besides its contents. */
  site: { one: number; revision: number; modified_at: number }
  languages: LanguagesTable
  pages: PagesTable
  /** Number of children by parent, template and status; maintained by triggers. */
  page_counts: { parent: string; template: string; status: PageStatus; count: number }
  /** Slugs in languages other than the default one, if they differ from its slug. */
  page_slugs: { page: string; language: string; slug: string }
  /** Old addresses of pages, and redirects that were added manually. */
  redirects: RedirectsTable
  /** Which page takes the place of a deleted one. */
  page_successors: { page: string; successor: string }
  schedules: SchedulesTable
  files: FilesTable
  /** Every blob in the media storage; `unused_since` is set while no file refers to it. */
  blobs: { hash: string; size: number; unused_since: number | null }
  /** What is in the search index, by language; the words are in the index of the engine, under the same id. */
  search_rows: SearchRowsTable
  /** References from contents and drafts to `file://…` or `page://…`; maintained by triggers. */
  links: { target: string; owner: string; language: string; source: 'contents' | 'changes' }
  /** Deletions that can be undone, one row each. */
  trash: TrashTable
  /** Templates and roles of the pages, files and accounts in an entry, and of the parent it was in (`in page`, …). */
  trash_templates: { entry: string; kind: TrashedKind | `in ${OwnerKind}`; template: string }
  trash_rows: TrashRowsTable
  passkeys: PasskeysTable
  jobs: JobsTable
  /** Until when a lane of a queue is busy with one of its jobs. */
  job_lanes: { queue: string; lane: string; busy_until: number }
  subscriptions: SubscriptionsTable
  webhooks: WebhooksTable
}

export type UserStatus = 'invited' | 'active' | 'disabled'

export interface UsersTable {
  id: string
  email: string
  email_key: string
  name: string
  /** 1 if the name was explicitly set to an empty text. */
  blank_name: Generated<number>
  role: string
  language: string
  /** Sort key of lists: the name, or else the e-mail address, in lower case. */
  sort_key: string
  status: UserStatus
  /** Sessions, challenges and devices carry the epoch they were created in; raising it ends them all at once. */
  auth_epoch: Generated<number>
  password_hash: string | null
  /** Cost factor of an imported bcrypt hash; null for other hashes. */
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
  /** Grows with every change of the content. */
  revision: Generated<number>
}

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

export type TrashedKind = 'page' | 'file' | 'user'
type OwnerKind = 'page' | 'site' | 'user'

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
  /** Events of one kind, place and minute share a row with a count: a flood of events cannot fill the disk. */
  count: number
  gathered: string | null
  /** The template of the subject, or its role: decides who sees the event in the feed. */
  template: string | null
  /** The uuid of the page that the event is about, or in which the file is. */
  page: string | null
  /** What a file belongs to, and the template or role of that at the time of the event. */
  parent_kind: OwnerKind | null
  parent_template: string | null
}

export interface PasskeysTable {
  id: string
  /** The credential id of the authenticator: base64url, up to 1364 characters. */
  credential: string
  user_id: string
  name: string
  /** COSE, base64url. */
  public_key: string
  counter: number
  /** WebAuthn transports, separated by spaces. */
  transports: string
  /** WebAuthn backup eligibility: the passkey may be on several devices, so its counter means little. Never changes. */
  syncable: number
  /** WebAuthn backup state at its last use. */
  synced: number
  created_at: number
  last_used_at: number | null
}

/** The job queue (`platform/queue`). */
export interface JobsTable {
  /** The order of the jobs of a lane. */
  number: Generated<number>
  id: string
  queue: string
  /** Jobs of one lane run one at a time and in order. */
  lane: string | null
  payload: string
  /** 1 if the payload is encrypted. */
  sealed: number
  attempts: Generated<number>
  /** When to try next. While it runs, the end of the lease: then another process may claim it. */
  due_at: number
  created_at: number
  /** Null while it waits or runs. */
  finished_at: number | null
  problem: string | null
  /** What its worker keeps about the last attempt. */
  result: string | null
}

/** Which events become jobs, and in which queue. The lane of these jobs is the id of the subscription. */
export interface SubscriptionsTable {
  id: string
  queue: string
  is_active: number
  /** JSON lists. An empty list of templates or languages does not restrict them. */
  events: string
  templates: string
  languages: string
  /** How long its jobs wait before the first attempt, in ms. */
  delay: number
}

export interface WebhooksTable {
  /** The id of its subscription. */
  id: string
  source: 'panel' | 'settings'
  owner_id: string | null
  url: string
  /** Encrypted. */
  secret: string
  /** Signs, too, until `old_secret_until`. */
  old_secret: string | null
  old_secret_until: number | null
  /** Why it was turned off by the system; null if it is active, or an account has turned it off. */
  off_reason: string | null
  off_at: number | null
  created_at: number
  modified_at: number
}
