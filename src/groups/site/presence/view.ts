import { z } from 'zod'
import { viewOf } from '../../../http/view.ts'
import { showUserWithAvatar, userWithAvatarSchema } from '../summaries.ts'
import type { Presence } from './presence.ts'

const all = ['page', 'since', 'user'] as const

/** An account that has the panel open. */
export const presenceView = viewOf<Presence>('Presence')(
  field => ({
    user: field.value(userWithAvatarSchema, showUserWithAvatar),
    /** Null if no page is open, or one that the caller may not see. */
    page: field.value(
      z.object({ uuid: z.string(), title: z.string(), link: z.string().nullable() }).nullable(),
      ({ page }) => page ?? null,
    ),
    says: field.extra(z.enum(['ask', 'give', 'keep']).nullable(), ({ says }) => says),
    since: field.value(z.string(), ({ since }) => new Date(since).toISOString()),
  }),
  { default: all, compact: all },
)
