import type { PageStatus } from './content.ts'

/** Changes of many pages that are published together. */
export interface ReleasesTable {
  id: string
  name: string
  /** Who created it; once it is scheduled or published, who did that. */
  user_id: string | null
  /** Grows with every change of the release or its items. */
  revision: number
  created_at: number
  modified_at: number
  due_at: number | null
  /** When it was scheduled: later changes of drafts by accounts that may not publish hold it. */
  scheduled_at: number | null
  /** The key of the error that held it, as a whole or because of an item. */
  problem: string | null
  published_at: number | null
}

export type ReleaseAction = 'publish' | 'delete'

/** A page or file of a release. */
export interface ReleaseItemsTable {
  release: string
  /** `page://…` or `file://…` */
  owner: string
  action: ReleaseAction
  /** The status that the page gets; null if it stays. */
  status: PageStatus | null
  /** What it was called when it was added: it may be deleted by now. */
  title: string
  /** The template of the page, or of the page of the file; null for other files. */
  template: string | null
  /** Items are published, and pages listed, in this order. */
  position: number
  /** The error that held the release because of this item, as JSON. */
  problem: string | null
  /** 1 once the release is published. */
  is_published: number
}
