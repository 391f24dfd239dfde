import { accountOf, type Context } from '../../access/actor.ts'
import type { App } from '../../app.ts'
import { recordEvent } from '../../content/change-events.ts'
import { decode, insertFirstContents } from '../../content/queries.ts'
import { fail } from '../../platform/errors.ts'
import { isFileActionAllowed, canViewFile } from '../../access/authorize/files.ts'
import { isPageActionAllowed, canViewPage } from '../../access/authorize/pages.ts'
import { copyFilesOf } from '../files/copy-files.ts'
import { selectTemplatesOf } from '../files/queries.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { contentLanguages, languageToWrite } from '../../content/languages/languages.ts'
import { createId } from '../../platform/lib/id.ts'
import { chunksYielding } from '../../platform/lib/yield.ts'
import { indexOwners } from '../../platform/search/search.ts'
import type { Tx } from '../../platform/store/store.ts'
import { hasPublishRules, pagesMustFollow } from './page-rules.ts'
import { ownerOfPage } from './pages.ts'
import type { PageRow } from './queries.ts'
import { pathFor, pathMustBeValid, plainTitle, slugFrom, slugIsTaken } from './rules.ts'
import { canTranslateSlugs, translatedSlugIsTaken } from './slugs/slugs.ts'
import { everythingBelow, maxCopiedPages, treeWrite } from './tree/below.ts'
import { lockPageInTree, parentOf } from './tree/lock.ts'
import {
  insertPage,
  insertPages,
  insertSlugs,
  type TreeNode,
  selectAt,
  selectContentsOf,
  selectFilenamesOf,
  selectSlugsOf,
} from './tree/queries.ts'

export interface Duplication {
  /** By default, derived from the slug of the original. */
  slug?: string | undefined
  title?: string | undefined
  /**
   * The language of `title`, by default the default language. In other languages the copy has the title of the
   * original.
   */
  language?: ContentLanguage
  children?: boolean | undefined
  files?: boolean | undefined
}

/**
 * Copies the page as a draft next to it, without what the actor may not see. All copies get new uuids. Returns the uuid
 * of the copy.
 */
export async function duplicatePage(ctx: Context, { uuid }: { uuid: string }, options: Duplication): Promise<string> {
  const { app } = ctx
  const { children = false, files = false } = options
  const languages = await contentLanguages(app)
  const isTranslated = canTranslateSlugs(languages)
  const slug = options.slug === undefined ? undefined : slugFrom(options.slug, languages[0]!)
  const title = options.title === undefined ? undefined : plainTitle(options.title)
  const large = children ? await treeWrite(app, uuid) : {}
  return app.store.write(async tx => {
    const { page } = await lockPageInTree(ctx, tx, uuid, ['duplicate'], undefined, { subtree: children })
    // Locks the language, so that it cannot be deleted while content is copied in it.
    const { key } = await languageToWrite(tx, options.language ?? languages[0]!)
    const below = children ? visibleBelow(ctx, page, await everythingBelow(tx, page, maxCopiedPages)) : []
    if (![page, ...below].every(one => isPageActionAllowed(ctx, 'create', one))) throw fail('page.create.permission')
    pagesMustFollow(ctx, [page], ['duplicate'], { slug, title, children, files })
    const root = await insertRoot(ctx, tx, page, slug, isTranslated)
    const copies = await copiesOf(app, page, root, below)
    for await (const batch of chunksYielding(copies.slice(1)))
      await insertPages(
        tx,
        batch.map(({ copy }) => copy),
      )
    const renamed = new Map(copies.map(({ from, copy }) => [ownerOfPage(from), ownerOfPage(copy.uuid)]))
    if (files) await copyFiles(ctx, tx, copies, renamed)
    for await (const batch of chunksYielding(copies, contentsAtOnce))
      await copyContents(ctx, tx, batch, { renamed, titled: { page: uuid, title, key } })
    for await (const batch of chunksYielding(copies.slice(1))) await copySlugs(tx, batch)
    const { template, path, status } = root
    const facts = { template, path, status, revision: 1, pages: copies.length }
    await recordEvent(ctx, tx, 'page.created', ownerOfPage(root.uuid), facts)
    return root.uuid
  }, large)
}

/** Contents per statement. Limits memory: a content has up to 1 MB. */
const contentsAtOnce = 50

interface Copy {
  /** The uuid of the original. */
  from: string
  copy: TreeNode
}

/** `below` has parents before children: a page is visible only if its parent is. */
function visibleBelow(ctx: Context, page: PageRow, below: readonly TreeNode[]): TreeNode[] {
  const visible = new Set([page.uuid])
  return below.filter(node => {
    const isSeen = visible.has(node.parent) && canViewPage(ctx, node)
    if (isSeen) visible.add(node.uuid)
    return isSeen
  })
}

const maxNames = 1000

/** Without a given slug, the first free one of `notes-copy`, `notes-copy-2` … */
async function insertRoot(
  ctx: Context,
  tx: Tx,
  page: PageRow,
  slug: string | undefined,
  isTranslated: boolean,
): Promise<TreeNode> {
  const above = parentOf(page.path)
  for (let count = 1; ; count++) {
    const name = slug ?? `${page.slug}-copy${count === 1 ? '' : `-${count}`}`
    const path = pathFor(above === '' ? undefined : { path: above }, name)
    pathMustBeValid(path)
    const { uuid: _, ...rest } = nodeOf(page)
    const root: TreeNode = { ...rest, uuid: createId(), slug: name, path, status: 'draft', num: null }
    const isFree = !isTranslated || !(await translatedSlugIsTaken(tx, { parent: page.parent, slug: name }))
    if (isFree && (await insertPage(tx, root))) return root
    if (slug !== undefined || count === maxNames) throw slugIsTaken(ctx, await selectAt(tx, path), name)
  }
}

const nodeOf = ({ uuid, parent, path, slug, status, num, template }: TreeNode): TreeNode => ({
  uuid,
  parent,
  path,
  slug,
  status,
  num,
  template,
})

/**
 * `below` has parents before children, so the uuid of the copied parent is always known. Copies keep their status and
 * become visible with the root. Those that rules of extensions decide about are drafts, too: to be asked one by one.
 */
async function copiesOf(app: App, page: PageRow, root: TreeNode, below: readonly TreeNode[]): Promise<Copy[]> {
  const uuids = new Map([[page.uuid, root.uuid]])
  const copies: Copy[] = [{ from: page.uuid, copy: root }]
  for await (const batch of chunksYielding(below))
    for (const node of batch) {
      const uuid = createId()
      uuids.set(node.uuid, uuid)
      const path = root.path + node.path.slice(page.path.length)
      pathMustBeValid(path)
      const kept = hasPublishRules(app, node) ? { ...node, status: 'draft' as const, num: null } : node
      copies.push({ from: node.uuid, copy: { ...kept, uuid, parent: uuids.get(node.parent)!, path } })
    }
  return copies
}

/** Copies the files. References to them in the copied contents point to the copies. */
async function copyFiles(ctx: Context, tx: Tx, copies: readonly Copy[], renamed: Map<string, string>) {
  for await (const batch of chunksYielding(copies)) {
    const owners = new Map(batch.map(({ from, copy }) => [ownerOfPage(from), ownerOfPage(copy.uuid)]))
    const templates = (await selectTemplatesOf(tx, [...owners.keys()])).map(template => ({ template }))
    const visible = templates.filter(file => canViewFile(ctx, file))
    if (!visible.every(file => isFileActionAllowed(ctx, 'create', file))) throw fail('file.create.permission')
    await copyFilesOf(ctx, tx, owners)
    const newFiles = await selectFilenamesOf(tx, [...owners.values()])
    const byName = new Map(newFiles.map(file => [`${file.parent} ${file.name_key}`, file.uuid]))
    for (const file of await selectFilenamesOf(tx, [...owners.keys()])) {
      const copy = byName.get(`${owners.get(file.parent)!} ${file.name_key}`)
      if (copy !== undefined) renamed.set(`file://${file.uuid}`, `file://${copy}`)
    }
  }
}

interface CopyOptions {
  renamed: ReadonlyMap<string, string>
  /** The page whose copy gets another title, in one language (its key). */
  titled: { page: string; title: string | undefined; key: string }
}

async function copyContents(
  { app, ...ctx }: Context,
  tx: Tx,
  copies: readonly Copy[],
  { renamed, titled }: CopyOptions,
) {
  const byOwner = new Map(copies.map(({ from, copy }) => [ownerOfPage(from), copy]))
  const { title, key } = titled
  const isTitled = (row: { owner: string; language: string }) =>
    title !== undefined && row.owner === ownerOfPage(titled.page) && row.language === key
  const rows = await selectContentsOf(tx, [...byOwner.keys()])
  if (title !== undefined && byOwner.has(ownerOfPage(titled.page)) && !rows.some(isTitled))
    rows.push({ owner: ownerOfPage(titled.page), language: key, data: '{}' })
  const contents = rows.map(row => {
    const { owner, language, data } = row
    const copy = byOwner.get(owner)!
    const text = data.replaceAll(/(?:page|file):\/\/[\w-]+/g, reference => renamed.get(reference) ?? reference)
    const content = isTitled(row) ? { ...decode(text), title: title! } : decode(text)
    return { owner: ownerOfPage(copy.uuid), language, content }
  })
  await insertFirstContents(tx, contents, { action: 'create', user: accountOf(ctx) })
  await indexOwners(
    app.store,
    tx,
    copies.map(({ copy }) => ({ owner: ownerOfPage(copy.uuid) })),
  )
}

async function copySlugs(tx: Tx, copies: readonly Copy[]): Promise<void> {
  const uuids = new Map(copies.map(({ from, copy }) => [from, copy.uuid]))
  const rows = await selectSlugsOf(tx, [...uuids.keys()])
  if (rows.length > 0)
    await insertSlugs(
      tx,
      rows.map(row => ({ ...row, page: uuids.get(row.page)! })),
    )
}
