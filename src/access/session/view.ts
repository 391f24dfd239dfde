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

export function showSession(session: Session): z.output<typeof sessionSchema> {
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
