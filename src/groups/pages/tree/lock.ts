import type { Context } from '../../../access/actor.ts'
import type { DenialKey } from '../../../access/authorize/authorize.ts'
import { type PageAction, authorizePage, canViewPage } from '../../../access/authorize/pages.ts'
import { fail } from '../../../platform/errors.ts'
import type { ContentLanguage } from '../../../http/context.ts'
import { RetryTransaction, type Tx } from '../../../platform/store/store.ts'
import { lockContent } from '../../../content/save.ts'
import { ownerOfPage } from '../pages.ts'
import { type PageRow, selectInDefaultNow, selectPageNow } from '../queries.ts'
import { lockBelow, lockPageRow, lockPaths, selectPath } from './queries.ts'

/** What the actor wants to do to the page; it may depend on its current row. With `visibility`, the actor must only see it. */
export type PageActions =
  | 'visibility'
  | readonly [PageAction, ...PageAction[]]
  | ((page: PageRow) => readonly PageAction[])

/** Changing what visitors read also needs `publish`; a draft page needs only the actions themselves. */
export function publishing(...actions: readonly PageAction[]): (page: PageRow) => readonly PageAction[] {
  const published = [...actions, 'publish'] as const
  return ({ status }) => (status === 'draft' ? actions : published)
}

function authorizeActions(ctx: Context, page: PageRow, actions: PageActions, refusal?: DenialKey): void {
  const needed = typeof actions === 'function' ? actions(page) : actions
  authorizePage(ctx, page, needed === 'visibility' ? [] : needed, refusal)
}

/**
 * Locks a page until the end of the transaction and returns its current row, if the actor may do this to it. For
 * changes of the page itself or of what belongs to it.
 */
export async function lockPage(
  ctx: Context,
  tx: Tx,
  uuid: string,
  actions: PageActions,
  /** Undefined for the default language. */
  language: ContentLanguage | undefined,
  /** Whether the content of the row is changed, too. */
  withContent = false,
  /** The error if the permission is missing, in place of the usual one. */
  refusal?: DenialKey,
): Promise<PageRow> {
  const { store } = ctx.app
  if (store.name === 'postgres') {
    await lockPageRow(tx, { uuid })
    if (withContent && language) await lockContent(store, tx, ownerOfPage(uuid), language)
  }
  const page = await readNow(tx, uuid, language)
  if (!page) throw pageNotFound(uuid)
  authorizeActions(ctx, page, actions, refusal)
  return page
}

export interface TreeLockOptions {
  /** The change renumbers siblings. */
  numbering?: boolean
  /** The change adds a translated slug below the parent: no other slug may be added there concurrently. */
  translating?: boolean
  /** The change moves or deletes the page with its descendants. */
  subtree?: boolean
  /** The uuid of the new parent, `''` for the top level. */
  into?: string
}

/**
 * Locks a page and its ancestors, so that none of them is moved before the end of the transaction, if the actor may do
 * this to the page.
 */
export async function lockPageInTree(
  ctx: Context,
  tx: Tx,
  uuid: string,
  actions: PageActions,
  /** Undefined for the default language. */
  language: ContentLanguage | undefined,
  { numbering = false, translating = false, subtree = false, into }: TreeLockOptions,
): Promise<{ page: PageRow; into: PageRow | undefined }> {
  const { store } = ctx.app
  const path = await selectPath(tx, uuid)
  if (path === undefined) throw pageNotFound(uuid)
  const target = into === undefined || into === '' ? '' : await selectPath(tx, into)
  if (target === undefined) throw pageNotFound(into!)
  const parents = into === undefined ? [parentOf(path)] : [parentOf(path), target]
  const mode = translating ? 'subtree' : numbering ? 'siblings' : 'share'
  await lockPaths(store, tx, [
    ...[path, ...parents].flatMap(ancestorsOf).map(above => [above, 'share'] as const),
    ...parents.map(parent => [parent, mode] as const),
    [path, subtree ? 'subtree' : 'siblings'] as const,
  ])
  const page = await readNow(tx, uuid, language)
  const found = into === undefined || into === '' ? undefined : await readNow(tx, into, language)
  if (!page) throw pageNotFound(uuid)
  if (page.path !== path || (found?.path ?? '') !== target) throw new RetryTransaction()
  authorizeActions(ctx, page, actions)
  if (found) authorizeActions(ctx, found, 'visibility')
  if (subtree) await lockBelow(store, tx, path)
  return { page, into: found }
}

/**
 * Locks the parent of a new page (its uuid, `''` for the top level), so that no child gets a translated slug
 * concurrently. A parent that the actor may not see is 404.
 */
export async function lockParentPage(
  ctx: Context,
  tx: Tx,
  uuid: string,
  language: ContentLanguage,
  /** Where the parent was when the request began, if it is known. */
  expectedPath?: string,
): Promise<PageRow | undefined> {
  const { store } = ctx.app
  if (uuid === '') {
    if (language.code !== undefined) await lockPaths(store, tx, [['', 'share']])
    return undefined
  }
  if (store.name === 'sqlite') {
    const page = (await selectPageNow(tx, language, uuid)) ?? notThere(uuid)
    authorizeActions(ctx, page, 'visibility')
    return page
  }
  const path = expectedPath ?? (await selectPath(tx, uuid)) ?? notThere(uuid)
  await lockPaths(
    store,
    tx,
    [...ancestorsOf(path), path].map(one => [one, 'share'] as const),
  )
  const page = (await selectPageNow(tx, language, uuid)) ?? notThere(uuid)
  if (page.path !== path) throw new RetryTransaction()
  authorizeActions(ctx, page, 'visibility')
  return page
}

/**
 * Locks the parent of a page that is restored with its number and its translated slugs (its uuid, `''` for the top
 * level), if the actor may see it.
 */
export async function lockNewParent(
  ctx: Context,
  tx: Tx,
  uuid: string,
  { numbering = false, translating = false }: Pick<TreeLockOptions, 'numbering' | 'translating'>,
): Promise<PageRow | undefined> {
  const path = uuid === '' ? '' : await selectPath(tx, uuid)
  if (path === undefined) throw fail('trash.parent')
  await lockPaths(ctx.app.store, tx, [
    ...ancestorsOf(path).map(above => [above, 'share'] as const),
    [path, translating ? 'subtree' : numbering ? 'siblings' : 'share'] as const,
  ])
  if (uuid === '') return undefined
  const page = await selectInDefaultNow(tx, uuid)
  if (!page) throw fail('trash.parent')
  if (page.path !== path) throw new RetryTransaction()
  if (!canViewPage(ctx, page)) throw fail('page.create.permission')
  return page
}

const readNow = (tx: Tx, uuid: string, language: ContentLanguage | undefined) =>
  language ? selectPageNow(tx, language, uuid) : selectInDefaultNow(tx, uuid)

const pageNotFound = (uuid: string) => fail('page.notFound', { id: `page://${uuid}` })

function notThere(uuid: string): never {
  throw pageNotFound(uuid)
}

/** `a/b/c` → `a/b`, `a` → `''` */
export const parentOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 0))

/** `a/b/c` → `a`, `a/b` */
export function ancestorsOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}
