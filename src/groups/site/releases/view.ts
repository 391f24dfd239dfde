import { z } from 'zod'
import { contextForFileParent, seesSite } from '../../../access/authorize/authorize.ts'
import { seesPage } from '../../../access/authorize/pages.ts'
import { showUserSummary, userSummarySchema } from '../../../content/user-summary.ts'
import type { RequestContext } from '../../../http/context.ts'
import { namedSchema } from '../../../platform/lib/schema-names.ts'
import { selectByUuid } from '../../files/queries.ts'
import { titleOf } from '../../pages/pages.ts'
import { selectByUuids } from '../../pages/queries.ts'
import { statusLabelOf } from '../../pages/status-label.ts'
import { linkOf } from '../../pages/view.ts'
import { withParents } from '../all-files/parents.ts'
import { siteOwner, readContentOfSite, titleOf as titleOfSite } from '../site.ts'
import { fileIn, pageIn } from './lock.ts'
import { showProblem } from './problem.ts'
import { countDrafts, type ItemRow, type ReleaseRow, selectItems } from './queries.ts'

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
    /** How many drafts are published: of the page and its files, in all languages. */
    drafts: z.int(),
    /** Why it was refused last. */
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

/** Undefined for those that the caller may not see. One query per kind, whatever the number of items. */
async function showItems(ctx: RequestContext, items: readonly ItemRow[]): Promise<(Item | undefined)[]> {
  const { app } = ctx
  const owners = [...new Set(items.map(({ owner }) => owner))]
  const pages = await selectByUuids(
    app.store,
    await ctx.language(),
    owners.flatMap(owner => pageIn(owner) ?? []),
  )
  const fileRows = await selectByUuid(
    app.store,
    owners.flatMap(owner => fileIn(owner) ?? []),
  )
  const files = await withParents(contextForFileParent(ctx), fileRows)
  const drafts = await countDrafts(app.store, owners)
  const pagesByOwner = new Map(pages.map(page => [`page://${page.uuid}`, page]))
  const filesByOwner = new Map(files.map(file => [`file://${file.file.uuid}`, file]))
  const siteTitles = new Map(owners.includes(siteOwner) ? [[siteOwner, await readSiteTitle(ctx)]] : [])
  const existing = new Set([...pagesByOwner.keys(), ...fileRows.map(({ uuid }) => `file://${uuid}`)])
  return items.map(item => {
    const { owner: uuid, action, status, template, problem } = item
    const page = pagesByOwner.get(uuid)
    const file = filesByOwner.get(uuid)
    const isSeen = existing.has(uuid)
      ? page
        ? seesPage(ctx, page)
        : file !== undefined
      : template === null
        ? seesSite(ctx)
        : seesPage(ctx, { template })
    if (!isSeen) return undefined
    return {
      uuid,
      action,
      status,
      statusLabel: page && status !== null ? statusLabelOf(ctx, { ...page, status }) : null,
      title: page ? titleOf(app, page) : (siteTitles.get(uuid) ?? item.title),
      link: page
        ? linkOf(page)
        : file
          ? `${file.parent.link}/files/${file.file.filename}`
          : siteTitles.has(uuid)
            ? '/site'
            : null,
      currentStatus: page?.status ?? null,
      drafts: action === 'delete' || item.is_published === 1 ? 0 : (drafts.get(uuid) ?? 0),
      problem: problem === null ? null : showProblem(problem, ctx.locale),
    }
  })
}

async function readSiteTitle(ctx: RequestContext): Promise<string> {
  return titleOfSite(ctx.app, await readContentOfSite(ctx.app, await ctx.language()), ctx.locale)
}
