import { z } from 'zod'
import { showUserSummary, userSummarySchema } from '../../../content/user-summary.ts'
import type { RequestContext } from '../../../http/context.ts'
import { namedSchema } from '../../../platform/lib/schema-names.ts'
import { titleOfPage } from '../../pages/pages.ts'
import { statusLabelOf } from '../../pages/status-label.ts'
import { linkOfPage } from '../../pages/view.ts'
import { siteOwner, readContentOfSite, titleOfSite } from '../site.ts'
import { showProblem } from './problem.ts'
import { countDrafts, type ItemRow, type ReleaseRow, selectItems } from './queries.ts'
import { visibleItems, type VisibleItem } from './visible.ts'

const statusSchema = z.enum(['draft', 'unlisted', 'listed'])

const itemSchema = namedSchema(
  'ReleaseItem',
  z.object({
    uuid: z.string(),
    action: z.enum(['publish', 'delete']),
    /** The status that the page gets; null if it stays. */
    status: statusSchema.nullable(),
    statusLabel: z.string().nullable(),
    title: z.string(),
    /** The path in the panel; null if it does not exist any more. */
    link: z.string().nullable(),
    /** The status that the page has now. */
    currentStatus: statusSchema.nullable(),
    /** How many drafts the release will publish: of the page and its files, in all languages. 0 when it has done so. */
    drafts: z.int(),
    /** Why the item was refused when publishing was last tried; null if it was not. */
    problem: z.object({ key: z.string(), message: z.string() }).nullable(),
  }),
)
type Item = z.output<typeof itemSchema>

export const releaseSchema = namedSchema(
  'Release',
  z.object({
    id: z.string(),
    name: z.string(),
    state: z.enum(['open', 'scheduled', 'held', 'published']),
    at: z.string().nullable().describe('The time for which it is scheduled.'),
    published: z.string().nullable(),
    modified: z.string(),
    revision: z.int(),
    user: userSummarySchema.nullable().describe('Who created it, or who scheduled or published it since.'),
    /** Those that the caller may see. */
    items: z.array(itemSchema),
  }),
)

type Release = z.output<typeof releaseSchema>

const timeOf = (time: number | null) => (time === null ? null : new Date(time).toISOString())

export async function showReleases(ctx: RequestContext, rows: readonly ReleaseRow[]): Promise<Release[]> {
  const items = await selectItems(
    ctx.app.store,
    rows.map(({ id }) => id),
  )
  const shown = await showItems(ctx, items)
  return rows.map(row => {
    const own = items.flatMap((item, index) => (item.release === row.id ? (shown[index] ?? []) : []))
    const { id, name, revision, due_at, published_at, modified_at, user, user_name, email, role } = row
    const isHeld = row.problem !== null || items.some(item => item.release === id && item.problem !== null)
    return {
      id,
      name,
      state: published_at !== null ? 'published' : isHeld ? 'held' : due_at === null ? 'open' : 'scheduled',
      at: timeOf(due_at),
      published: timeOf(published_at),
      modified: timeOf(modified_at)!,
      revision,
      user: showUserSummary(ctx, { id: user, name: user_name, email, role }),
      items: own,
    }
  })
}

/** Undefined for those that the caller may not see. */
async function showItems(ctx: RequestContext, items: readonly ItemRow[]): Promise<(Item | undefined)[]> {
  const { app } = ctx
  const visible = await visibleItems(ctx, items)
  const owners = new Set(items.filter((_, index) => visible[index]).map(({ owner }) => owner))
  const drafts = await countDrafts(app.store, [...owners])
  const siteTitle = owners.has(siteOwner) ? await readSiteTitle(ctx) : ''
  return items.map((item, index) => {
    const { owner: uuid, action, status, problem } = item
    const found = visible[index]
    if (!found) return undefined
    const { page, file } = found
    return {
      uuid,
      action,
      status,
      statusLabel: page && status !== null ? statusLabelOf(ctx, { ...page, status }) : null,
      title: page ? titleOfPage(app, page) : uuid === siteOwner ? siteTitle : (file?.file.filename ?? item.title),
      link: linkOfItem(uuid, found),
      currentStatus: page?.status ?? null,
      drafts: action === 'delete' || item.is_published === 1 ? 0 : (drafts.get(uuid) ?? 0),
      problem: problem === null ? null : showProblem(problem, ctx.locale),
    }
  })
}

function linkOfItem(owner: string, { page, file }: VisibleItem): string | null {
  if (page) return linkOfPage(page)
  if (file) return `${file.parent.link}/files/${file.file.filename}`
  return owner === siteOwner ? '/site' : null
}

async function readSiteTitle(ctx: RequestContext): Promise<string> {
  return titleOfSite(ctx.app, await readContentOfSite(ctx.app, await ctx.language()), ctx.locale)
}
