import { z } from 'zod'
import type { PasskeyRow } from '../../../access/factors/passkeys/queries.ts'
import { viewOf } from '../../../http/view.ts'

/** A passkey without its public key, which clients do not need. */
export const passkeyView = viewOf<PasskeyRow>('Passkey')(
  field => ({
    id: field.value(z.string(), passkey => passkey.id),
    /** The credential id. The panel can report the valid ids to the browser. */
    credential: field.value(z.string(), passkey => passkey.credential),
    name: field.value(z.string(), passkey => passkey.name),
    created: field.value(z.string(), passkey => new Date(passkey.created_at).toISOString()),
    lastUsed: field.value(z.string().nullable(), ({ last_used_at: used }) =>
      used === null ? null : new Date(used).toISOString(),
    ),
    /** The passkey is synced between devices of its owner. */
    synced: field.value(z.boolean(), passkey => passkey.synced === 1),
  }),
  {},
)
