import { visibleAccounts } from '../../access/authorize/accounts.ts'
import { canViewSite } from '../../access/authorize/authorize.ts'
import { z } from 'zod'
import { ownerOfFile } from '../../groups/files/files.ts'
import { listableFileTemplates } from '../../access/authorize/files.ts'
import type { FileModel } from '../../groups/files/target.ts'
import type { Paginated } from '../../http/answer.ts'
import type { RequestContext } from '../../http/context.ts'
import { offsetOf, paginate, type Paging } from '../../http/paging.ts'
import { contentLanguages } from '../../content/languages/languages.ts'
import { pageFileParent } from '../../groups/pages/files.ts'
import { ownerOfPage, titleOfPage } from '../../groups/pages/pages.ts'
import type { PageRow } from '../../groups/pages/queries.ts'
import { listableTemplates, visibleTemplates } from '../../access/authorize/pages.ts'
import { resolveFiles, resolvePages, resolveUsers } from '../query/references.ts'
import { siteOwner, readContentOfSite, titleOfSite } from '../../groups/site/site.ts'
import { userFileParent } from '../../groups/users/files.ts'
import { isNamedIn } from './names.ts'
import {
  type BacklinksQuery,
  type Link,
  selectLinks,
  selectTextsOf,
  selectBacklinks,
  type VisibleOwners,
} from './queries.ts'
import { namedSchema } from '../../platform/lib/schema-names.ts'

export const backlinkSchema = namedSchema(
  'Use',
  z.object({
    /** Id of the model with the reference: `notes/coast`, `notes/coast/map.svg`; null for the site. */
    id: z.string().nullable(),
    kind: z.enum(['page', 'site', 'file', 'user']),
    /** Codes of the content languages with the reference; empty on a site without languages. */
    languages: z.array(z.string()),
    /** Path in the panel. */
    link: z.string(),
    title: z.string(),
    /** Only a draft has the reference. */
    unsaved: z.boolean(),
    uuid: z.string(),
  }),
)

export type Backlink = z.output<typeof backlinkSchema>
type Shown = Pick<Backlink, 'id' | 'kind' | 'link' | 'title'>

/** Models that refer to a page, as far as the caller may list them. */
export const backlinksOfPage = (ctx: RequestContext, { uuid }: Pick<PageRow, 'uuid'>, page: Paging) =>
  listBacklinks(ctx, { target: ownerOfPage(uuid), named: [] }, page)

/** Models that refer to a file. Its parent may also refer to it by filename. */
export async function backlinksOfFile(
  ctx: RequestContext,
  { file, parent }: FileModel,
  page: Paging,
): Promise<Paginated<Backlink>> {
  const texts = await selectTextsOf(ctx.app.store, parent.owner)
  const name = { filename: file.filename, id: parent.idPrefix + file.filename }
  const named = texts.filter(({ data }) => isNamedIn(data, name))
  return listBacklinks(ctx, { target: ownerOfFile(file.uuid), named }, page)
}

async function listBacklinks(
  ctx: RequestContext,
  { target, named }: { target: string; named: readonly Link[] },
  paging: Paging,
): Promise<Paginated<Backlink>> {
  const { store } = ctx.app
  const offset = offsetOf(paging)
  const backlinksQuery: BacklinksQuery = { target, alsoIn: [...new Set(named.map(({ owner }) => owner))] }
  const found = await selectBacklinks(store, backlinksQuery, seenBy(ctx), { offset, limit: paging.limit })
  // No rows: there are no backlinks, or the offset is beyond the end. A total of 1 makes `paginate` refuse the latter.
  const total = found[0]?.total ?? (offset > 0 ? 1 : 0)
  const pagination = paginate(total, paging)
  const owners = found.map(({ owner }) => owner)
  const links = [...(await selectLinks(store, target, owners)), ...named]
  return { data: await shownAll(ctx, owners, links), pagination }
}

function seenBy(ctx: RequestContext): VisibleOwners {
  return {
    pages: listableTemplates(ctx),
    // A file is visible if its parent is, so pages need to be visible only, not listable.
    files: {
      files: listableFileTemplates(ctx),
      pages: visibleTemplates(ctx),
      users: visibleAccounts(ctx),
      site: canViewSite(ctx),
    },
  }
}

async function shownAll(ctx: RequestContext, owners: readonly string[], links: readonly Link[]): Promise<Backlink[]> {
  const shown = await shownOwners(ctx, owners)
  const all = await contentLanguages(ctx.app)
  const byOwner = Map.groupBy(links, ({ owner }) => owner)
  return owners.flatMap(uuid => {
    const model = shown.get(uuid)
    if (!model) return []
    const own = byOwner.get(uuid) ?? []
    const keys = new Set(own.map(({ language }) => language))
    const languages = all.flatMap(({ key, code }) => (code !== undefined && keys.has(key) ? code : []))
    return { ...model, uuid, languages, unsaved: !own.some(({ source }) => source === 'contents') }
  })
}

/** Loads the owners, with one statement per model type. */
async function shownOwners(ctx: RequestContext, owners: readonly string[]): Promise<Map<string, Shown>> {
  const { app } = ctx
  const [pages, files, users] = await Promise.all([
    resolvePages(ctx, ownersOfKind(owners, 'page')),
    resolveFiles(ctx, ownersOfKind(owners, 'file')),
    resolveUsers(ctx, ownersOfKind(owners, 'user')),
  ])
  const shown = new Map<string, Shown>()
  for (const [owner, page] of pages)
    shown.set(owner, {
      id: page.path,
      kind: 'page',
      link: pageFileParent(page, app).link,
      title: titleOfPage(app, page),
    })
  for (const [owner, { file, parent }] of files) {
    const link = `${parent.link}/files/${file.filename}`
    shown.set(owner, { id: parent.idPrefix + file.filename, kind: 'file', link, title: file.filename })
  }
  for (const [owner, user] of users)
    shown.set(owner, {
      id: user.id,
      kind: 'user',
      link: userFileParent(user, ctx).link,
      title: user.name || user.email,
    })
  if (owners.includes(siteOwner)) {
    const content = await readContentOfSite(app, await ctx.language())
    shown.set(siteOwner, {
      id: null,
      kind: 'site',
      link: '/site',
      title: titleOfSite(app, content, ctx.locale),
    })
  }
  return shown
}

const ownersOfKind = (owners: readonly string[], kind: string) => owners.filter(owner => owner.startsWith(`${kind}://`))
