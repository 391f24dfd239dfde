import type {
  ApiTokensTable,
  AuditEventsTable,
  ChallengesTable,
  PasskeysTable,
  SessionsTable,
  ThrottleTable,
  UsersTable,
} from './tables/accounts.ts'
import type {
  ChangesTable,
  CommentsTable,
  FilesTable,
  FileVersionsTable,
  HistoryTable,
  LanguagesTable,
  OwnerKind,
  PageStatus,
  PagesTable,
  RedirectsTable,
  ReviewsTable,
  SchedulesTable,
  SearchRowsTable,
  TrashRowsTable,
  TrashTable,
  TrashedKind,
} from './tables/content.ts'
import type { DocumentsTable, ExtensionSchedulesTable } from './tables/extensions.ts'
import type { JobsTable, SubscriptionsTable, WebhooksTable } from './tables/jobs.ts'
import type { ReleaseItemsTable, ReleasesTable } from './tables/releases.ts'

/** What an editor tells the others on the same page: asks for their draft, hands it over, or keeps it. */
export type Says = 'ask' | 'give' | 'keep'

/**
 * The schema of both engines. Text and integers only: times are milliseconds since 1970 by the store's clock, booleans
 * are 1 or 0, JSON is text that the functions in the `queries.ts` of each part decode.
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
  comments: CommentsTable
  history: HistoryTable
  /** When the preview passes of a page or of the site (`owner`) were last revoked: older ones are void. */
  preview_revocations: { owner: string; revoked_at: number }
  /** What the panel remembers for an account: one JSON object. */
  user_settings: { user_id: string; data: string; modified_at: number }
  presence: { id: string; user_id: string; page: string; since: number; seen_at: number; says: Says | null }
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
  reviews: ReviewsTable
  schedules: SchedulesTable
  releases: ReleasesTable
  release_items: ReleaseItemsTable
  documents: DocumentsTable
  extension_schedules: ExtensionSchedulesTable
  files: FilesTable
  file_versions: FileVersionsTable
  /** Every blob in the media storage; `unused_since` is set while no file refers to it, negative while it is removed. */
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
