import { fail } from '../../../platform/errors.ts'
import { restoreFile } from '../../files/restore.ts'
import type { FileParent } from '../../files/target.ts'
import type { RequestContext } from '../../../http/context.ts'
import { type Slices, slicesOf } from '../../../http/list.ts'
import { paginate, type Paging } from '../../../http/paging.ts'
import { restorePage } from '../../pages/restore.ts'
import { idOf, visiblePage } from '../../pages/target.ts'
import { selectTemplates } from '../../../content/trash/queries.ts'
import { purgeEntry, purgeSoon } from '../../../content/trash/trash.ts'
import { mustBeOnlyAvatar } from '../../users/avatar/avatar.ts'
import { restoreUser } from '../../users/restore.ts'
import { findFileParent } from '../all-files/parents.ts'
import { siteOwner } from '../site.ts'
import * as queries from './queries.ts'
import { visibleEntries } from './visible.ts'
import type { TrashEntry } from './view.ts'

export async function listEntries(
  ctx: RequestContext,
  { page, limit, next, ...filter }: queries.TrashFilter & Paging,
): Promise<Slices<TrashEntry>> {
  const { store } = ctx.app
  // A lookup by owner needs the permission to see; a list needs the permission to list.
  const visible = visibleEntries(ctx, { forList: filter.owner === undefined })
  const pagination = paginate(await queries.countEntries(store, visible, filter), { page, limit, next })
  const rows = await queries.selectEntries(store, visible, { ...pagination, ...filter })
  return slicesOf(pagination, await withTemplates(ctx, rows))
}

/** Entries that the caller may not see are 404. */
export async function findEntry(ctx: RequestContext, id: string): Promise<TrashEntry> {
  const row = await queries.selectEntry(ctx.app.store, visibleEntries(ctx, { forList: false }), id)
  if (!row) throw fail('trash.notFound')
  return (await withTemplates(ctx, [row]))[0]!
}

async function withTemplates({ app }: RequestContext, rows: readonly queries.EntryRow[]): Promise<TrashEntry[]> {
  if (rows.length === 0) return []
  const found = await selectTemplates(
    app.store,
    rows.map(({ id }) => id),
  )
  const byEntry = Map.groupBy(found, ({ entry }) => entry)
  return rows.map(row => ({ row, templates: byEntry.get(row.id) ?? [] }))
}

export interface EntryRestoreOptions {
  parent?: string | null | undefined
  slug?: string | undefined
  name?: string | undefined
  email?: string | undefined
}

/** The new location. */
export interface Restored {
  kind: TrashEntry['row']['kind']
  id: string
  uuid: string
  link: string
}

export async function restoreEntry(
  ctx: RequestContext,
  { row }: TrashEntry,
  options: EntryRestoreOptions,
): Promise<Restored> {
  const identity = { kind: row.kind, uuid: row.owner }
  if (row.kind === 'user') {
    const id = await restoreUser(ctx, row.id, { email: options.email })
    return { ...identity, id, link: `/users/${id}` }
  }
  if (row.kind === 'file') return { ...identity, ...(await restoreFileEntry(ctx, row, options)) }
  const { parent, slug } = options
  const into = parent === undefined ? undefined : parent ? (await visiblePage(ctx, idOf(parent))).page.uuid : ''
  const path = await restorePage(ctx, row.id, { parent: into, slug })
  return { ...identity, id: path, link: `/pages/${path.replaceAll('/', '+')}` }
}

async function restoreFileEntry(ctx: RequestContext, row: queries.EntryRow, { parent, name }: EntryRestoreOptions) {
  const above = await findParent(ctx, parent === undefined ? row.parent : parent || siteOwner)
  const { uuid, filename } = await restoreFile(ctx, row.id, {
    parent: above.owner,
    name,
    rule: (tx, file) => mustBeOnlyAvatar(tx, above.owner, file),
  })
  return { id: `${above.idPrefix}${filename}`, uuid: `file://${uuid}`, link: `${above.link}/files/${filename}` }
}

/** The new parent of the file; an invisible one is as good as deleted. */
async function findParent(ctx: RequestContext, parent: string): Promise<FileParent> {
  try {
    return await findFileParent(ctx, parent)
  } catch (error) {
    throw (error as { status?: number }).status === 404 ? fail('trash.parent') : error
  }
}

/** Deletes an entry permanently. */
export async function purgeTrashEntry(ctx: RequestContext, { row }: TrashEntry): Promise<void> {
  const result = await purgeEntry(ctx, row.id)
  if (result === 'denied') throw fail('trash.delete.permission')
  if (result === 'gone') throw fail('trash.notFound')
  purgeSoon(ctx.app)
}

/** Purges all entries that the caller may list and delete. Returns their number. */
export async function purgeTrash(ctx: RequestContext): Promise<number> {
  const visible = visibleEntries(ctx, { forList: true })
  const limit = 500
  let [count, offset] = [0, 0]
  for (;;) {
    const rows = await queries.selectEntries(ctx.app.store, visible, { limit, offset })
    for (const { id } of rows)
      if ((await purgeEntry(ctx, id)) === 'purged') count++
      else offset++
    if (rows.length === limit) continue
    purgeSoon(ctx.app)
    return count
  }
}
