import { z } from 'zod'
import type { EventRow } from '../../../access/audit/queries.ts'
import { viewOf } from '../../../http/view.ts'
import { isToken } from '../../../platform/lib/id.ts'

type Detail = Record<string, string | number | boolean>

/** What happened to an account. Where it came from is forgotten in time, and then `null`. */
export const eventView = viewOf<EventRow>()(
  field => ({
    id: field.value(z.int(), row => row.id),
    time: field.value(z.string(), row => new Date(row.time).toISOString()),
    event: field.value(z.string(), row => row.event),
    /** The account that did it. */
    actor: field.value(z.string().nullable(), row => row.actor_id),
    session: field.value(z.string().nullable(), row => row.session_id),
    network: field.value(z.string().nullable(), row => row.ip_prefix),
    browser: field.value(z.string().nullable(), row => row.ua_family),
    request: field.value(z.string().nullable(), row => row.request_id),
    /** More than one where a minute was gathered. */
    count: field.value(z.int(), row => row.count),
    detail: field.value(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])), shownDetail),
  }),
  {},
)

/** Events hold no secrets. Keyed hashes, by which we recognise what was typed, are nobody else's business. */
function shownDetail({ detail }: EventRow): Detail {
  const all = Object.entries(JSON.parse(detail) as Detail)
  return Object.fromEntries(all.filter(([, value]) => typeof value !== 'string' || !isToken(value)))
}
