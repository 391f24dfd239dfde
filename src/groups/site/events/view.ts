import { z } from 'zod'
import { viewOf } from '../../../http/view.ts'
import { isToken } from '../../../platform/lib/id.ts'
import { showUserWithAvatar, userWithAvatarSchema } from '../summaries.ts'
import type { FeedEvent } from './subjects.ts'

const all = ['detail', 'event', 'id', 'link', 'time', 'title', 'user', 'uuid'] as const

/** What happened, to what, when and by whom; never contents. */
export const feedView = viewOf<FeedEvent>('SiteEvent')(
  field => ({
    id: field.value(z.int(), ({ row }) => row.id),
    time: field.value(z.string(), ({ row }) => new Date(row.time).toISOString()),
    event: field.value(z.string(), ({ row }) => row.event),
    /** Null if the system acted, or if the account was deleted. */
    user: field.value(userWithAvatarSchema, showUserWithAvatar),
    /** `page://…`, `file://…`, `site://` or `user://…`; null for a language. */
    uuid: field.value(z.string().nullable(), ({ row: { subject_id: subject } }) =>
      subject === null || subject.includes('://') ? subject : `user://${subject}`,
    ),
    /** Its title or name now; what it was called last, if it has been deleted. */
    title: field.value(z.string().nullable(), ({ title }) => title),
    /** Its path in the panel. */
    link: field.value(z.string().nullable(), ({ link }) => link),
    /** Template, path, language, revision, names of the changed fields, as far as they concern the event. */
    detail: field.value(
      z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).readonly()])),
      ({ detail }) =>
        Object.fromEntries(Object.entries(detail).filter(([, value]) => typeof value !== 'string' || !isToken(value))),
    ),
  }),
  { default: all, compact: all },
)
