/** However much has expired, no statement of a sweep takes long, and others take turns with it. */
import type { KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import type { Database } from '../../platform/store/schema.ts'
import type { Store } from '../../platform/store/store.ts'
import { addUser, createTestApp, engine, type TestApp } from '../../../test/harness.ts'
import { replacing } from '../../../test/sign-in.ts'
import { sweep } from './sweep.ts'

const expired = 1200
const year = 366 * 24 * 60 * 60_000

interface Change {
  rows: number
  /** On SQLite the statement runs in a thread. */
  isLong: boolean
}

/** How many rows each statement in a transaction changed. */
async function changesOf({ app }: TestApp, work: () => Promise<unknown>): Promise<Change[]> {
  const changes: Change[] = []
  const counting = (isLong: boolean): KyselyPlugin => ({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      changes.push({ rows: Number(result.numAffectedRows ?? result.rows.length), isLong })
      return result
    },
  })
  const counted = (original: Store): Partial<Store> => ({
    write: (action, options) =>
      original.write(tx => action(tx.withPlugin(counting(options?.isLong ?? false))), options),
  })
  await replacing(app.store, counted, work)
  return changes
}

test('throttle buckets, sessions, challenges, devices, jobs and events are swept in batches', async () => {
  const site = await createTestApp()
  const { id: user_id } = await addUser(site, { hash: null })
  const { db } = site.app.store
  const old = site.storage.clock() - 3 * year
  const session = { auth_epoch: 0, aal: 1, amr: '[]', long: 0, ip_prefix: '', ua_family: '', prev_mac: null }
  const times = { created_at: old, rotated_at: old, authenticated_at: old, last_seen_at: old, prev_until: null }
  const event = { time: old, event: 'auth.login.ok', detail: '{}', count: 1, ip_prefix: '10.0.0.0/24', ua_family: 'x' }
  const origin = { actor_id: null, subject_id: 'x', session_id: null, request_id: null, gathered: null }
  const rows: { [Table in keyof Database]?: (id: string) => object } = {
    throttle: bucket => ({ bucket, tat: 0, fails: 0, blocked_until: 0, seen_at: old }),
    sessions: id => ({ id, token_mac: id, user_id, ...session, ...times, idle_until: old, absolute_until: old }),
    challenges: id_mac => ({ id_mac, kind: 'x', user_id, auth_epoch: 0, max_attempts: 1, data: '', expires_at: old }),
    devices: device_mac => ({ device_mac, user_id, auth_epoch: 0, first_seen_at: old, last_seen_at: old }),
    jobs: id => ({ id, queue: 'mail', payload: '', sealed: 1, due_at: old, created_at: old }),
    audit_events: () => ({ ...event, ...origin }),
  }
  const tables = Object.keys(rows) as (keyof Database)[]
  for (const table of tables) {
    const all = Array.from({ length: expired }, (_, index) => rows[table]!(`${table}${index}`))
    for (const some of [all.slice(0, 600), all.slice(600)]) await db.insertInto(table).values(some).execute()
  }

  const changes = await changesOf(site, () => sweep(site.app))

  expect(Math.max(...changes.map(({ rows: count }) => count))).toBe(500)
  // The first batch of each sweep runs on the event loop, because most sweeps find little; all others do not.
  const direct = changes.filter(({ isLong }) => !isLong).reduce((sum, { rows: count }) => sum + count, 0)
  if (engine === 'sqlite') expect(direct).toBeLessThanOrEqual(500 * (tables.length + 1))
  for (const table of tables) {
    const left = await db.selectFrom(table).selectAll().execute()
    expect([table, left.filter(row => !('event' in row) || row.event === event.event)]).toEqual([table, []])
  }
})
