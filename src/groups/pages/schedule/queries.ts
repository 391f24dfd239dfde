import { sql } from 'kysely'
import type { Status } from '../../../blueprints/blueprints.ts'
import type { SchedulesTable } from '../../../platform/store/tables/content.ts'
import { now, type Store, type Tx } from '../../../platform/store/store.ts'

const plans = (store: Store) =>
  store.db
    .selectFrom('schedules')
    .leftJoin('users', 'users.id', 'schedules.user_id')
    .select([
      'schedules.page',
      'schedules.status',
      'schedules.due_at',
      'schedules.problem',
      'schedules.publish_language',
    ])
    .select(['users.id as user', 'users.name', 'users.email', 'users.role'])

export type PlanRow = Awaited<ReturnType<ReturnType<typeof plans>['executeTakeFirstOrThrow']>>

/** The schedules of these pages, by uuid. */
export async function selectPlans(store: Store, pages: readonly string[]): Promise<PlanRow[]> {
  const query = plans(store).where('schedules.page', 'in', pages)
  return (await store.read(query.compile())) as PlanRow[]
}

/** A page has at most one schedule: this replaces it and clears its error. The page must be locked. */
export async function upsertPlan(
  tx: Tx,
  page: string,
  { status, due, user, language }: { status: Status; due: number; user: string | undefined; language: string | null },
): Promise<void> {
  const row = { status, due_at: due, user_id: user ?? null, problem: null, publish_language: language }
  await tx
    .insertInto('schedules')
    .values({ page, ...row })
    .onConflict(conflict => conflict.column('page').doUpdateSet(row))
    .execute()
}

/** False if there was none. The page must be locked. */
export async function deletePlan(tx: Tx, page: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('schedules').where('page', '=', page).executeTakeFirst()
  return numDeletedRows > 0n
}

/** The name of the unpublished release that a page or file (`page://…`) is in. */
export async function selectReleaseOf(tx: Tx, owner: string): Promise<string | undefined> {
  const found = await tx
    .selectFrom('release_items')
    .innerJoin('releases', 'releases.id', 'release_items.release')
    .select('releases.name')
    .where('owner', '=', owner)
    .where('is_published', '=', 0)
    .executeTakeFirst()
  return found?.name
}

/** The unpublished releases that these pages (`page://…`) are in. */
export async function selectWaiting(store: Store, owners: readonly string[]) {
  const query = store.db
    .selectFrom('release_items')
    .innerJoin('releases', 'releases.id', 'release_items.release')
    .select(['release_items.owner', 'release_items.action', 'releases.id', 'releases.name', 'releases.due_at'])
    .where('owner', 'in', owners)
    .where('is_published', '=', 0)
  return (await store.read(query.compile())) as Awaited<ReturnType<typeof query.execute>>
}

// ---- due schedules

export type DuePlan = Pick<SchedulesTable, 'page' | 'status' | 'due_at'>

export async function selectDueSchedules(store: Store, limit: number): Promise<DuePlan[]> {
  const query = store.db
    .selectFrom('schedules')
    .select(['page', 'status', 'due_at'])
    .where('problem', 'is', null)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
  return (await store.read(query.compile())) as DuePlan[]
}

/** Milliseconds until the next schedule is due; undefined if there is none. */
export async function selectScheduleWait(store: Store): Promise<number | undefined> {
  const query = store.db
    .selectFrom('schedules')
    .select(sql<number>`due_at - ${now}`.as('wait'))
    .where('problem', 'is', null)
    .orderBy('due_at')
    .limit(1)
  const [row] = (await store.read(query.compile())) as { wait: number }[]
  return row?.wait
}

/**
 * Deletes and returns the schedule, so that no other process applies it. Undefined if it has been changed or removed.
 * The page must be locked.
 */
export async function claimSchedule(tx: Tx, { page, status, due_at }: DuePlan) {
  return tx
    .deleteFrom('schedules')
    .where('page', '=', page)
    .where('status', '=', status)
    .where('due_at', '=', due_at)
    .where('problem', 'is', null)
    .returning(['user_id', 'publish_language'])
    .executeTakeFirst()
}

export async function selectPlanner(tx: Tx, id: string) {
  return tx
    .selectFrom('users')
    .select(['id', 'email', 'email_key', 'name', 'role', 'language', 'status', 'must_change_password'])
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function updateProblem(tx: Tx, { page, status, due_at }: DuePlan, problem: string): Promise<void> {
  await tx
    .updateTable('schedules')
    .set({ problem })
    .where('page', '=', page)
    .where('status', '=', status)
    .where('due_at', '=', due_at)
    .execute()
}
