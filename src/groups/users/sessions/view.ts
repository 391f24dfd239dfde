import { callerOf } from '../../../access/actor.ts'
import { z } from 'zod'
import { viewOf } from '../../../http/view.ts'
import type { ListedSession } from './sessions.ts'

const time = (milliseconds: number) => new Date(milliseconds).toISOString()

/** A session with time, network and browser, so that its owner recognises it. Never its token. */
export const sessionView = viewOf<ListedSession>('ListedSession')(
  field => ({
    id: field.value(z.string(), session => session.id),
    current: field.value(z.boolean(), (session, ctx) => session.id === callerOf(ctx).session?.id),
    created: field.value(z.string(), session => time(session.created_at)),
    lastSeen: field.value(z.string(), session => time(session.last_seen_at)),
    network: field.value(z.string(), session => session.ip_prefix),
    browser: field.value(z.string(), session => session.ua_family),
    aal: field.value(z.int(), session => session.aal),
    amr: field.value(z.array(z.string()), session => session.amr.split(' ')),
    long: field.value(z.boolean(), session => session.long === 1),
    /** When the session expires if it is not used again. */
    expires: field.value(z.string(), session => time(Math.min(session.idle_until, session.absolute_until))),
  }),
  {},
)
