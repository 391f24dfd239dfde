import type { App } from '../../../app.ts'
import { ApiError, fail } from '../../../platform/errors.ts'
import { type Context, anonymousContext, systemContext } from '../../../access/actor.ts'
import { contentLanguages } from '../../../content/languages/languages.ts'
import type { Tx } from '../../../platform/store/store.ts'
import { publishDraft, setStatus } from '../status.ts'
import { callerFor } from '../../../access/authorize/callers.ts'
import { authorizePage, canViewPage } from '../../../access/authorize/pages.ts'
import { lockPageInTree } from '../tree/lock.ts'
import {
  type DuePlan,
  selectDueSchedules,
  selectPlanner,
  selectScheduleWait,
  claimSchedule,
  updateProblem,
} from './queries.ts'

const batch = 50
/** Shortest pause between two rounds, in ms. */
const minDelayMs = 50

/** Something else that becomes due, in the same rounds. */
export interface DueWork {
  /** Does all that is due now. */
  carryOut: (app: App, stopping?: AbortSignal) => Promise<void>
  /** Milliseconds until the next one is due; undefined if there is none. */
  wait: (app: App) => Promise<number | undefined>
}

const duePlans: DueWork = { carryOut: carryOutDue, wait: ({ store }) => selectScheduleWait(store) }

interface ScheduleOptions {
  /** Longest pause between two rounds, in ms. */
  pollMs?: number
  also?: readonly DueWork[]
}

/**
 * Applies due schedules until it is stopped. Any number of processes may do this on one database: each schedule is
 * applied once. The returned function stops it and waits for the current round.
 */
export function startSchedule(app: App, { pollMs = 15_000, also = [] }: ScheduleOptions = {}): () => Promise<void> {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let round = runRound()

  async function runRound(): Promise<void> {
    let wait = pollMs
    for (const work of [duePlans, ...also])
      try {
        await work.carryOut(app, stopping.signal)
        wait = Math.min(wait, (await work.wait(app)) ?? pollMs)
      } catch (error) {
        app.log.warn({ err: error }, 'what is planned cannot be carried out now; trying again')
      }
    if (stopping.signal.aborted) return
    timer = setTimeout(again, Math.max(wait, minDelayMs)).unref()
  }

  function again(): void {
    round = runRound()
  }

  return async () => {
    stopping.abort()
    clearTimeout(timer)
    await round
  }
}

/** Applies all schedules that are due now, one page after the other. */
export async function carryOutDue(app: App, stopping?: AbortSignal): Promise<void> {
  for (;;) {
    const due = await selectDueSchedules(app.store, batch)
    if (due.length === 0) return
    // In random order, so that concurrent processes do not compete for the same page.
    for (const plan of shuffled(due)) {
      if (stopping?.aborted) return
      await carryOut(app, plan)
    }
  }
}

/** Changes the status and deletes the schedule in one transaction, so that a crash cannot lose or repeat the change. */
async function carryOut(app: App, plan: DuePlan): Promise<void> {
  const { page: uuid, status } = plan
  const languages = await contentLanguages(app)
  const acting = anonymousContext(app) // one for all attempts: what rules of extensions have said is kept by it
  try {
    await app.store.write(async tx => {
      const { page } = await lockPageInTree(systemContext(app, 'schedule'), tx, uuid, 'visibility', undefined, {
        numbering: true,
      })
      const claimed = await claimSchedule(tx, plan)
      if (!claimed) return
      const language = languages.find(({ key }) => key === claimed.publish_language)
      const publish = language && { language, ignoreLock: true }
      const ctx = Object.assign(acting, await planningContext(app, tx, claimed.user_id))
      if (!canViewPage(ctx, page)) throw fail('page.changeStatus.permission')
      const change = { status, publish, languages }
      // `setStatus` would move a page that is already listed to the end of the list.
      if (page.status !== status) await setStatus(ctx, tx, page, change)
      else if (publish) {
        authorizePage(ctx, page, ['changeStatus', 'publish', 'update'])
        await publishDraft(ctx, tx, page, { ...change, publish })
      }
    })
  } catch (error) {
    const problem = problemOf(app, error)
    if (problem === undefined) throw error
    await app.store.write(tx => updateProblem(tx, plan, problem))
    const place = { event: 'page.schedule.problem', page: uuid, status, problem }
    if (error instanceof ApiError) app.log.warn(place, 'a planned change of a page was refused')
    else app.log.error({ ...place, err: error }, 'a planned change of a page failed')
  }
}

/**
 * The account that scheduled the change acts, with its present rights. A schedule without an account is the program's.
 */
export async function planningContext(app: App, tx: Tx, planner: string | null): Promise<Context> {
  if (planner === null) return systemContext(app, 'schedule')
  const actor = callerFor(await selectPlanner(tx, planner))
  if (!actor) throw fail('page.changeStatus.permission')
  return { app, actor, locale: actor.user.language }
}

/** The error that disables the schedule until it is set again; undefined if the change should be retried. */
export function problemOf({ store }: App, error: unknown): string | undefined {
  if (error instanceof ApiError) return error.key === 'busy' ? undefined : error.key
  return store.isOutage(error) || store.isConflict(error) ? undefined : 'general'
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map(item => ({ item, by: Math.random() }))
    .toSorted((one, other) => one.by - other.by)
    .map(({ item }) => item)
}
