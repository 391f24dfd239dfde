import { z } from 'zod'
import type { AuditDetail } from '../../../access/audit/audit.ts'
import type { EventRow } from '../../../access/audit/queries.ts'
import { viewOf } from '../../../http/view.ts'
import { isToken } from '../../../platform/lib/id.ts'

/** An audit event. Network and browser are erased after a while and `null` from then on. */
export const eventView = viewOf<EventRow>('AccountEvent')(
  field => ({
    id: field.value(z.int(), row => row.id),
    time: field.value(z.string(), row => new Date(row.time).toISOString()),
    event: field.value(z.string(), row => row.event),
    /** The id of the account that caused it. */
    actor: field.value(z.string().nullable(), row => row.actor_id),
    session: field.value(z.string().nullable(), row => row.session_id),
    network: field.value(z.string().nullable(), row => row.ip_prefix),
    browser: field.value(z.string().nullable(), row => row.ua_family),
    request: field.value(z.string().nullable(), row => row.request_id),
    /** Greater than 1 if events of the same kind within one minute share a row. */
    count: field.value(z.int(), row => row.count),
    detail: field.value(
      z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).readonly()])),
      shownDetail,
    ),
  }),
  {},
)

/**
 * Leaves out keyed hashes, by which the server recognises e-mail addresses that were typed. Events contain no secrets.
 */
function shownDetail({ detail }: EventRow): AuditDetail {
  const all = Object.entries(JSON.parse(detail) as AuditDetail)
  return Object.fromEntries(all.filter(([, value]) => typeof value !== 'string' || !isToken(value)))
}
