import type { Generated } from 'kysely'

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

/** Which events become jobs, and in which queue. */
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
  /** `one`: the lane of its jobs is its id. `subject`: a lane for each page, file, account or language. */
  lanes: Generated<'one' | 'subject'>
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
