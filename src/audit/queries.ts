import { sql } from 'kysely'
import type { AuditEventsTable } from '../store/schema.ts'
import { now, type Tx } from '../store/store.ts'

type NewEvent = Omit<AuditEventsTable, 'id' | 'time' | 'count' | 'gathered'>

export async function insertEvent(tx: Tx, event: NewEvent): Promise<void> {
  await tx
    .insertInto('audit_events')
    .values({ ...event, time: now, count: 1, gathered: null })
    .execute()
}

export async function raiseCount(tx: Tx, event: NewEvent, key: string): Promise<void> {
  await tx
    .insertInto('audit_events')
    .values({ ...event, time: now, count: 1, gathered: sql`${key} || '|' || (${now} / 60000)` })
    .onConflict(conflict => conflict.column('gathered').doUpdateSet({ count: sql`audit_events.count + 1` }))
    .execute()
}
