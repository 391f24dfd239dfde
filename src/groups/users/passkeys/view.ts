import { z } from 'zod'
import type { PasskeyRow } from '../../../access/factors/passkeys/queries.ts'
import { viewOf } from '../../../http/view.ts'

/** A passkey as its owner recognises it. Its key is of no use to anybody. */
export const passkeyView = viewOf<PasskeyRow>()(
  field => ({
    id: field.value(z.string(), passkey => passkey.id),
    /** What the authenticator calls it: browsers can be told which ones still count. */
    credential: field.value(z.string(), passkey => passkey.credential),
    name: field.value(z.string(), passkey => passkey.name),
    created: field.value(z.string(), passkey => new Date(passkey.created_at).toISOString()),
    lastUsed: field.value(z.string().nullable(), ({ last_used_at: used }) =>
      used === null ? null : new Date(used).toISOString(),
    ),
    /** It is on several devices of its owner. */
    synced: field.value(z.boolean(), passkey => passkey.synced === 1),
  }),
  {},
)
