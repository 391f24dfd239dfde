/** Webhooks and a shared cache as they look after some days: nothing is sent while the screenshots are taken. */
import { sql } from 'kysely'
import type { App } from '../../src/app.ts'
import { purgeQueue, upsertPurgeSubscription } from '../../src/groups/system/purge/queries.ts'
import { insertWebhook, markTurnedOff, webhookQueue } from '../../src/groups/system/webhooks/queries.ts'

const hooks = [
  { id: 'build', url: 'https://build.example.org/hooks/press', events: ['page.*', 'file.*'], delay: 60_000 },
  { id: 'search', url: 'https://search.example.org/update', events: ['page.published', 'page.deleted'], delay: 0 },
  { id: 'old', url: 'https://old.example.org/webhook', events: ['*'], delay: 0 },
]

/** Call it before the changes that are to be sent. */
export async function addWebhooks({ store }: App, owner: string): Promise<void> {
  await store.write(async tx => {
    await upsertPurgeSubscription(tx)
    for (const { id, url, events, delay } of hooks)
      await insertWebhook(
        tx,
        { id, source: 'panel', owner_id: owner, url, secret: '' },
        { is_active: 1, events: JSON.stringify(events), templates: '[]', languages: '[]', delay },
      )
    await markTurnedOff(tx, 'old', 'gone')
  })
}

const after = (ms: number) => sql<number>`created_at + ${sql.lit(ms)}`
const result = (duration: number) => JSON.stringify({ status: 204, duration, body: '' })

/** Marks all deliveries and purges as sent, the last delivery at its second attempt. */
export async function finishDeliveries({ store }: App): Promise<void> {
  await store.write(async tx => {
    const done = tx.updateTable('jobs').set({ attempts: 1, finished_at: after(1000), result: result(84) })
    await done.where('queue', 'in', [webhookQueue, purgeQueue]).execute()
    const last = tx
      .selectFrom('jobs')
      .select(eb => eb.fn.max('number').as('number'))
      .where('lane', '=', 'search')
    await tx
      .updateTable('jobs')
      .set({ attempts: 2, finished_at: after(6000), result: result(131) })
      .where('number', '=', last)
      .execute()
  })
}
