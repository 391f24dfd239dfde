import { z } from 'zod'
import type { Session } from '../actor.ts'
import { namedSchema } from '../../platform/lib/schema-names.ts'

/** The caller's own session. */
export const sessionSchema = namedSchema(
  'Session',
  z.object({
    id: z.string(),
    aal: z.int(),
    amr: z.array(z.string()),
    authenticatedAt: z.string(),
    idleExpiresAt: z.string(),
    expiresAt: z.string(),
    long: z.boolean(),
    mustChangePassword: z.boolean(),
    mustEnrolSecondFactor: z.boolean(),
  }),
)

type ShownSession = z.output<typeof sessionSchema>

/** Formatting the times takes longer than the rest of a request for the own session. */
const shownSessions = new WeakMap<Session, ShownSession>()

export function showSession(session: Session): ShownSession {
  let shown = shownSessions.get(session)
  if (!shown) shownSessions.set(session, (shown = format(session)))
  return shown
}

function format(session: Session): ShownSession {
  return {
    id: session.id,
    aal: session.aal,
    amr: session.amr,
    authenticatedAt: new Date(session.authenticatedAt).toISOString(),
    idleExpiresAt: new Date(session.idleUntil).toISOString(),
    expiresAt: new Date(session.absoluteUntil).toISOString(),
    long: session.long,
    mustChangePassword: session.mustChangePassword,
    mustEnrolSecondFactor: session.mustEnrolSecondFactor,
  }
}
