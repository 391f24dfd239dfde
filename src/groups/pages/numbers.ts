import type { App } from '../../app.ts'
import { parseDate, showDate } from '../../blueprints/fields/moments.ts'
import { fillIn } from '../../blueprints/query.ts'
import type { StoredContent } from '../../content/content.ts'
import { selectNow, type Tx } from '../../platform/store/store.ts'
import { pageBlueprintOf } from './pages.ts'
import type { PageRow } from './queries.ts'
import { placeholdersOf } from './scope.ts'
import {
  updateNumbers,
  type NumberedSiblings,
  selectNum,
  selectLastNumber,
  updateNumbersBetween,
} from './tree/queries.ts'

/** The listed children of a page that are numbered by position. Children of other templates keep their numbers. */
export function numberedSiblings({ blueprints }: App, parent: string): NumberedSiblings {
  const isNumbered = (template: string) => blueprints.page(template).num === 'default'
  const all = blueprints.templates('pages')
  const templates = isNumbered('default')
    ? { templates: undefined, except: all.filter(template => !isNumbered(template)) }
    : { templates: all.filter(isNumbered), except: [] }
  return { parent, templates }
}

export const hasNumber = (app: App, page: Pick<PageRow, 'status' | 'template'>) =>
  page.status === 'listed' && pageBlueprintOf(app, page).num === 'default'

/**
 * Shifts the siblings from a position on (by default the end) and returns the number that is free now. The parent
 * must be locked.
 */
export async function assignNumber(
  tx: Tx,
  siblings: NumberedSiblings,
  /** The page itself, if it already has a position. */
  uuid: string | undefined,
  position?: number,
): Promise<number> {
  const count = await closeGaps(tx, siblings)
  const last = uuid === undefined ? count + 1 : count
  const to = Math.min(Math.max(position ?? last, 1), last)
  const from = uuid === undefined ? null : await selectNum(tx, uuid)
  if (from === null) {
    if (to <= count) await updateNumbersBetween(tx, siblings, { from: to, by: 1 })
  } else if (to > from) await updateNumbersBetween(tx, siblings, { from: from + 1, until: to, by: -1 })
  else if (to < from) await updateNumbersBetween(tx, siblings, { from: to, until: from - 1, by: 1 })
  return to
}

/** Removes a page from the numbering: the siblings after it move up by one. */
export async function removeNumber(tx: Tx, siblings: NumberedSiblings, uuid: string): Promise<void> {
  await closeGaps(tx, siblings)
  const from = await selectNum(tx, uuid)
  if (from !== null) await updateNumbersBetween(tx, siblings, { from: from + 1, by: -1 })
}

/** Closes gaps, which imported numbers may have. Returns the count of numbered siblings. */
async function closeGaps(tx: Tx, siblings: NumberedSiblings): Promise<number> {
  const { count, last } = await selectLastNumber(tx, siblings)
  if (count !== last) await updateNumbers(tx, siblings)
  return count
}

/** The number that is computed from the content, such as a date; undefined where pages are numbered by position. */
export async function numberFrom(app: App, tx: Tx, page: PageRow, content: StoredContent): Promise<number | undefined> {
  const { num } = pageBlueprintOf(app, page)
  switch (num) {
    case 'default':
      return undefined
    case 'zero':
      return 0
    case 'date':
      return digits(await momentOf(tx, content), 8)
    case 'datetime':
      return digits(await momentOf(tx, content), 12)
    default:
      return toNumber(await fillIn(num, placeholdersOf(app, page, content)))
  }
}

async function momentOf(tx: Tx, { date = '' }: StoredContent): Promise<number> {
  return parseDate(date) ?? (await selectNow(tx))
}

/** `2026-01-31 12:30:00` → 20260131 or 202601311230 */
const digits = (moment: number, count: 8 | 12) => Number(showDate(moment).replaceAll(/\D/g, '').slice(0, count))

function toNumber(text: string): number {
  const [number = '0'] = /^\s*\d{1,15}/.exec(text) ?? []
  return Number(number)
}
