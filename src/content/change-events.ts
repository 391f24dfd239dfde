import type { Context } from '../access/actor.ts'
import { auditActor, type AuditDetail, type EventName, record } from '../access/audit/audit.ts'
import type { ContentLanguage } from '../http/context.ts'
import type { Tx } from '../platform/store/store.ts'

/** Events about pages, files and the site. */
type ContentEventName = Extract<EventName, `page.${string}` | `file.${string}` | 'site.changed'>

/** What an event says about a change; never contents. */
export interface ChangeDetail extends AuditDetail {
  template?: string
  /** The code of the content language. Missing on a site without languages, and where all languages are concerned. */
  language?: string
  /** The revision after the change. */
  revision?: number
  /** The names of the changed fields. */
  fields?: readonly string[]
  /** The path of a page or the name of a file, now and, if it has changed, before. */
  path?: string
  oldPath?: string
  /** The former parent of a file: `page://…`, `site://` or `user://…`. */
  oldParent?: string
}

/** More names are left out: `fields` is for filters, and the names of unknown fields are free. */
const maxFields = 50

/** Records what has changed about a page, a file or the site (`owner`), in the transaction of the change. */
export async function recordEvent(
  ctx: Context,
  tx: Tx,
  event: ContentEventName,
  owner: string,
  detail: ChangeDetail,
): Promise<void> {
  await record(tx, { event, subject: owner, ...auditActor(ctx), detail })
}

/** The detail of an event about saved content. */
export const changeDetailOf = ({
  language: { code },
  fields,
}: {
  language: ContentLanguage
  fields: readonly string[]
}): ChangeDetail => ({ ...(code !== undefined && { language: code }), fields: fields.slice(0, maxFields) })
