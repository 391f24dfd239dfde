import type { App } from '../app.ts'
import { type By, record } from '../audit/audit.ts'
import type { Status } from '../blueprints/blueprints.ts'
import { type Expected, mustBeCurrent } from '../content/revision.ts'
import type { Tx } from '../store/store.ts'
import { mustBeComplete } from './complete.ts'
import { isInRow, leavePlace, numberFrom, rowOf, takePlace } from './numbers.ts'
import { contentOf, ownerOf } from './pages.ts'
import type { PageRow } from './queries.ts'
import { mustBePossible, statusMustBeOffered } from './rules.ts'
import { holdPlace } from './tree/hold.ts'
import { changeRow } from './tree/queries.ts'

export interface StatusChange {
  status: Status
  /** Among the listed ones, from 1; without it at the end. */
  position?: number | undefined
  by: By
  expected?: Expected
  /** In which language problems are told. */
  readBy?: string
  /** Throws unless this may be done to the page as it is now. */
  check?: (page: PageRow) => void
}

export async function changeStatus(app: App, page: { uuid: string }, change: StatusChange): Promise<number> {
  return app.store.write(tx => setStatus(app, tx, page, change))
}

/**
 * Holds what it needs from the top down: nobody should hold the page before. What is listed already takes another position.
 * Answers with the revision of the page.
 */
export async function setStatus(app: App, tx: Tx, { uuid }: { uuid: string }, change: StatusChange): Promise<number> {
  const { status, by, expected, readBy = 'en', check } = change
  const { page } = await holdPlace(app, tx, uuid, undefined, { numbering: true })
  mustBeCurrent(page.revision, expected)
  check?.(page)
  if (page.status === status && status !== 'listed') return page.revision
  const isSorted = page.status === 'listed' && status === 'listed'
  if (isSorted && !isInRow(app, page)) return page.revision
  mustBePossible(app, page, isSorted ? 'sort' : 'changeStatus')
  if (!isSorted) statusMustBeOffered(app, page, status)
  if (page.status === 'draft') await mustBeComplete(app, tx, page, contentOf(app, page), readBy)
  const num = await placeOf(app, tx, page, change)
  if (isSorted && num === page.num) return page.revision
  const revision = await changeRow(tx, uuid, { status, num })
  const what = isSorted ? 'sort' : 'status'
  await record(tx, { event: 'page.changed', subject: ownerOf(uuid), ...by, detail: { what, status } })
  return revision
}

/** The number it has from now on, for which its siblings have made room. */
async function placeOf(app: App, tx: Tx, page: PageRow, { status, position }: StatusChange): Promise<number | null> {
  const row = rowOf(app, page.parent)
  if (status === 'listed') {
    const num = await numberFrom(app, tx, page, contentOf(app, page))
    return num ?? takePlace(tx, row, isInRow(app, page) ? page.uuid : undefined, position)
  }
  if (isInRow(app, page)) await leavePlace(tx, row, page.uuid)
  return null
}
