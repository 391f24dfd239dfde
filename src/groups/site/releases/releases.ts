import { accountOf, type Context } from '../../../access/actor.ts'
import { auditActor, type EventName, record } from '../../../access/audit/audit.ts'
import { mustBeAllowed, noOptions } from '../../../access/authorize/authorize.ts'
import { mustBeCurrent } from '../../../content/revision.ts'
import { inOneLine } from '../../../content/title.ts'
import { ApiError, fail } from '../../../platform/errors.ts'
import { createId } from '../../../platform/lib/id.ts'
import { selectNow, type Tx } from '../../../platform/store/store.ts'
import type { ReleasesTable } from '../../../platform/store/tables/releases.ts'
import { titleOfPage } from '../../pages/pages.ts'
import { mustBePossible, statusMustBeOffered } from '../../pages/rules.ts'
import { selectReleaseOf } from '../../pages/schedule/queries.ts'
import { lockPage } from '../../pages/tree/lock.ts'
import { lockSite, siteOwner, titleOfSite } from '../site.ts'
import { fileIn, lockFileItem, lockItems, pageIn } from './lock.ts'
import * as queries from './queries.ts'
import type { ItemRow, NewItem } from './queries.ts'

/** The URI of a release, in events and preview passes. */
export const ownerOfRelease = (id: string): string => `release://${id}`

/** Items of one release: all are published in one transaction. */
export const maxItems = 500

/** What a release does to a page, a file or the site. */
export type RequestedItem = Pick<ItemRow, 'owner' | 'action' | 'status'>

export interface ReleaseChange {
  name?: string | undefined
  /** Milliseconds since 1970; null removes the time. */
  due?: number | null | undefined
  add?: readonly RequestedItem[] | undefined
  /** The URIs of items. */
  remove?: readonly string[] | undefined
  /** The revision that the caller has seen, if it was sent. */
  revision?: number | undefined
}

/** Gathering changes needs the permission to update pages; each item needs the permissions of its change. */
const mustGather = (ctx: Context): void => mustBeAllowed(ctx, 'pages.update', noOptions)

/** Returns the id. */
export async function createRelease(
  ctx: Context,
  { name, add = [] }: { name: string; add?: readonly RequestedItem[] | undefined },
): Promise<string> {
  mustGather(ctx)
  const id = createId()
  await ctx.app.store.write(async tx => {
    await queries.insertRelease(tx, { id, name: validName(name), user: accountOf(ctx) })
    await lockUnchanged(ctx, tx, add)
    await addItems(ctx, tx, id, add)
    await recordRelease(ctx, tx, { id, name }, 'release.created')
  })
  return id
}

/** A scheduled release is approved: changing it requires the permission to publish everything that is and was in it. */
export async function changeRelease(ctx: Context, id: string, change: ReleaseChange): Promise<void> {
  const { name, due, add = [], remove = [], revision } = change
  await ctx.app.store.write(async tx => {
    const release = await lockUnpublished(ctx, tx, id)
    mustBeCurrent(release.revision, revision === undefined ? undefined : [revision])
    const wasScheduled = release.due_at !== null
    const isApproval = wasScheduled || typeof due === 'number'
    const before = isApproval ? await queries.selectItemsNow(tx, id) : []
    await lockUnchanged(ctx, tx, [...before, ...add])
    if (wasScheduled) await mustPublishAll(ctx, tx, before)
    await queries.deleteItems(tx, id, remove)
    await addItems(ctx, tx, id, add)
    const items = await queries.selectItemsNow(tx, id)
    if (items.length > maxItems) throw fail('release.tooMany', { max: String(maxItems) })
    if (isApproval) await mustPublishAll(ctx, tx, items)
    if (typeof due === 'number' && due <= (await selectNow(tx))) throw fail('page.schedule.past')
    if (typeof due === 'number' && items.length === 0) throw fail('release.empty')
    await queries.updateRelease(tx, id, {
      ...(name !== undefined && { name: validName(name) }),
      ...(due !== undefined && { due_at: due }),
      ...(typeof due === 'number' && { user_id: accountOf(ctx) ?? null }),
      // Changing a scheduled release needs the permission to publish, so it is approved again.
      isScheduled: typeof due === 'number' || (due === undefined && wasScheduled),
    })
    const event = typeof due === 'number' ? 'release.scheduled' : 'release.changed'
    await recordRelease(ctx, tx, { id, name: name ?? release.name }, event)
  })
}

/** The pages keep their drafts. A published release is only forgotten. */
export async function deleteRelease(ctx: Context, id: string): Promise<void> {
  mustGather(ctx)
  await ctx.app.store.write(async tx => {
    const release = await lockExisting(tx, id)
    const isWaiting = release.due_at !== null && release.published_at === null
    const approved = isWaiting ? await queries.selectItemsNow(tx, id) : []
    await lockUnchanged(ctx, tx, approved)
    await mustPublishAll(ctx, tx, approved)
    await queries.deleteReleaseRow(tx, id)
    await recordRelease(ctx, tx, release, 'release.deleted')
  })
}

/** Locks a release for a change. */
export async function lockUnpublished(ctx: Context, tx: Tx, id: string): Promise<ReleasesTable> {
  mustGather(ctx)
  const release = await lockExisting(tx, id)
  if (release.published_at !== null) throw fail('release.published')
  return release
}

async function lockExisting(tx: Tx, id: string): Promise<ReleasesTable> {
  const release = await queries.lockRelease(tx, id)
  if (!release) throw fail('release.notFound', { id })
  return release
}

function validName(name: string): string {
  const plain = inOneLine(name)
  if (plain === '') throw fail('release.name')
  return plain
}

async function recordRelease(
  ctx: Context,
  tx: Tx,
  { id, name }: Pick<ReleasesTable, 'id' | 'name'>,
  event: Extract<EventName, `release.${string}`>,
): Promise<void> {
  await record(tx, { event, subject: ownerOfRelease(id), ...auditActor(ctx), detail: { name } })
}

// ---- items

/** Locks what the items are about, all at once: the release changes, they do not. */
async function lockUnchanged(ctx: Context, tx: Tx, items: readonly RequestedItem[]): Promise<void> {
  const owners = new Set(items.map(({ owner }) => owner))
  const unchanged = [...owners].map(owner => ({ owner, action: 'publish', status: null }) as const)
  if (unchanged.length > 0) await lockItems(ctx, tx, unchanged)
}

/** What the items are about must be locked. */
async function addItems(ctx: Context, tx: Tx, release: string, requested: readonly RequestedItem[]): Promise<void> {
  const items = new Map(requested.map(item => [item.owner, item])).values()
  for (const item of items) {
    const found = await newItem(ctx, tx, item)
    if (!(await queries.upsertItem(tx, release, found)))
      throw fail('release.taken', { title: found.title, name: (await selectReleaseOf(tx, found.owner)) ?? '' })
  }
}

function newItem(ctx: Context, tx: Tx, item: RequestedItem): Promise<NewItem> {
  if (item.owner === siteOwner) return siteItem(ctx, tx, item)
  return pageIn(item.owner) === undefined ? fileItem(ctx, tx, item) : pageItem(ctx, tx, item)
}

async function siteItem(ctx: Context, tx: Tx, { owner, action }: RequestedItem): Promise<NewItem> {
  if (action === 'delete') throw fail('validation')
  await lockSite(ctx, tx, ['site.update'])
  return { owner, action, status: null, title: titleOfSite(ctx.app, {}, ctx.locale), template: null }
}

async function pageItem(ctx: Context, tx: Tx, { owner, action, status }: RequestedItem): Promise<NewItem> {
  const { app } = ctx
  const isDeleted = action === 'delete'
  const actions = isDeleted
    ? (['delete'] as const)
    : status === null
      ? (['update'] as const)
      : (['update', 'changeStatus'] as const)
  const page = await lockPage(ctx, tx, pageIn(owner)!, actions, undefined)
  const title = titleOfPage(app, page)
  if (isDeleted) mustBePossible(app, page, 'delete')
  else if (status !== null && status !== page.status) {
    mustBePossible(app, page, 'changeStatus')
    statusMustBeOffered(app, page, status)
  }
  // Two plans for one draft would publish it at two times.
  if (await queries.hasSchedule(tx, page.uuid)) throw fail('release.scheduled', { title })
  return { owner, action, status: isDeleted ? null : status, title, template: page.template }
}

async function fileItem(ctx: Context, tx: Tx, item: RequestedItem): Promise<NewItem> {
  const { owner, action } = item
  const { file, page } = await lockFileItem(ctx, tx, item, 'visibility')
  return { owner, action, status: null, title: file.filename, template: page?.template ?? null }
}

/** Throws unless the actor may publish every item. What is gone holds the release later. */
async function mustPublishAll(ctx: Context, tx: Tx, items: readonly ItemRow[]): Promise<void> {
  for (const item of items) {
    try {
      await mustPublishItem(ctx, tx, item)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error
      if (await isThere(tx, item.owner)) throw fail('page.publish.permission')
    }
  }
}

async function mustPublishItem(ctx: Context, tx: Tx, item: ItemRow): Promise<void> {
  const page = pageIn(item.owner)
  if (item.owner === siteOwner) await lockSite(ctx, tx, ['site.update'])
  else if (page === undefined) await lockFileItem(ctx, tx, item, ['publish'])
  else await lockPage(ctx, tx, page, ['publish'], undefined)
}

async function isThere(tx: Tx, owner: string): Promise<boolean> {
  const page = pageIn(owner)
  const found = page === undefined ? queries.selectParents(tx, [fileIn(owner) ?? '']) : queries.selectPaths(tx, [page])
  return (await found).size > 0
}
