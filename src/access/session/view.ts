import { z } from 'zod'
import type { Session } from '../actor.ts'
import { namedSchema } from '../../platform/lib/schema-names.ts'

/** The caller's own session. */
export const sessionSchema = namedSchema(
  'Session',
  z.object({
    id: z.string(),
    aal: z
      .int()
      .describe('Assurance level: 2 with two factors or a passkey, unless “remember me” was chosen; otherwise 1.'),
    amr: z.array(z.string()).describe('The factors that were used: `pwd`, `otp`, `recovery`, `passkey`.'),
    authenticatedAt: z.string(),
    idleExpiresAt: z.string(),
    expiresAt: z.string(),
    long: z.boolean().describe('Whether “remember me” was chosen.'),
    mustChangePassword: z.boolean(),
    mustEnrolSecondFactor: z.boolean(),
  }),
)

type ShownSession = z.output<typeof sessionSchema>

/** Formatting the times takes longer than the rest of a request for the caller's session. */
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
