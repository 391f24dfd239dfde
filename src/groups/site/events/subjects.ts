import { everyAccount, isRoleVisible, visibleAccounts } from '../../../access/authorize/accounts.ts'
import { contextForFileParent } from '../../../access/authorize/authorize.ts'
import type { AuditDetail } from '../../../access/audit/audit.ts'
import type { RequestContext } from '../../../http/context.ts'
import { selectByUuid } from '../../files/queries.ts'
import { selectReferred } from '../../users/listing/queries.ts'
import type { UserRow } from '../../users/users.ts'
import { linkOfUser } from '../../users/view.ts'
import { withParents } from '../all-files/parents.ts'
import { type Summary, summarizePages, uuidsIn } from '../summaries.ts'
import { kindOf } from './names.ts'
import { type FeedRow, selectTrashTitles } from './queries.ts'

/** An event with what it names: the account that acted, and what it is about, as it is called now. */
export interface FeedEvent {
  row: FeedRow
  detail: AuditDetail
  /** Undefined if the system acted or the account was deleted. */
  user: UserRow | undefined
  title: string | null
  /** The path in the panel; null if it does not exist any more, or the caller may not see it now. */
  link: string | null
}

/** One query per kind of subject, whatever the number of events. */
export async function withSubjects(ctx: RequestContext, rows: readonly FeedRow[]): Promise<FeedEvent[]> {
  const owners = [...new Set(rows.flatMap(({ subject_id }) => subject_id ?? []))]
  const ids = [...new Set([...rows.flatMap(({ actor_id }) => actor_id ?? []), ...owners.filter(isAccount).map(idOf)])]
  const [users, pages, files] = await Promise.all([
    ids.length === 0 ? [] : selectReferred(ctx.app.store, everyAccount, ids),
    summarizePages(ctx, owners),
    filesOf(ctx, owners),
  ])
  const gone = owners.filter(owner => /^(?:page|file):/.test(owner) && !pages.has(owner) && !files.has(owner))
  const trashed = await selectTrashTitles(ctx.app.store, gone)
  const byId = new Map(users.map(user => [user.id, user]))
  return rows.map(row => {
    const detail = JSON.parse(row.detail) as AuditDetail
    const subject = row.subject_id ?? ''
    const found =
      pages.get(subject) ?? files.get(subject) ?? (isAccount(subject) ? accountOf(ctx, byId.get(idOf(subject))) : null)
    return {
      row,
      detail,
      user: row.actor_id === null ? undefined : byId.get(row.actor_id),
      title: found?.title ?? trashed.get(subject) ?? nameIn(row.event, detail),
      link: found?.link ?? (subject === 'site://' ? '/site' : linkOfKind(row.event)),
    }
  })
}

/** Accounts are named by their id, or `user://…` in the trash. */
const isAccount = (subject: string) => subject.startsWith('user://') || (subject !== '' && !subject.includes('://'))
const idOf = (subject: string) => subject.replace('user://', '')

async function filesOf(ctx: RequestContext, owners: readonly string[]): Promise<Map<string, Summary>> {
  const uuids = uuidsIn(owners, 'file://')
  if (uuids.length === 0) return new Map()
  const found = await withParents(contextForFileParent(ctx), await selectByUuid(ctx.app.store, uuids))
  return new Map(
    found.map(({ file: { uuid, filename }, parent }) => [
      `file://${uuid}`,
      { title: filename, link: `${parent.link}/files/${filename}` },
    ]),
  )
}

function accountOf(ctx: RequestContext, user: UserRow | undefined): Summary | null {
  if (!user) return null
  const visible = visibleAccounts(ctx)
  const isSeen = user.id === visible.own || isRoleVisible(visible, user.role)
  return isSeen ? { title: user.name || user.email, link: linkOfUser(user, ctx) } : null
}

/** What the event itself says: the last name of a page or file that is gone, the name of a language. */
function nameIn(event: string, { path, name, code }: AuditDetail): string | null {
  const label = ['language', 'release'].includes(kindOf(event)) ? (name ?? code) : path
  return typeof label === 'string' ? label : null
}

function linkOfKind(event: string): string | null {
  const kind = kindOf(event)
  if (kind === 'release') return '/releases'
  return kind === 'site' ? '/site' : kind === 'language' && event !== 'language.deleted' ? '/languages' : null
}
