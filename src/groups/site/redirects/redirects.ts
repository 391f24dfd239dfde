import { mustBeAllowed } from '../../../access/authorize/authorize.ts'
import { recordEvent } from '../../../content/change-events.ts'
import { isFormerUrl } from '../../../content/languages/former-urls/former-urls.ts'
import { contentLanguages, siteUrl } from '../../../content/languages/languages.ts'
import type { ContentLanguage, RequestContext } from '../../../http/context.ts'
import type { Slices } from '../../../http/list.ts'
import { paginate, type Paging } from '../../../http/paging.ts'
import { fail } from '../../../platform/errors.ts'
import type { Tx } from '../../../platform/store/store.ts'
import { titleOfPage } from '../../pages/pages.ts'
import { type PageRow, selectByUuids } from '../../pages/queries.ts'
import { visibleOf } from '../../pages/visible.ts'
import { hasOwnDomain, locationAt, locationOf, encodedPath, readAddress, type SiteAddress } from '../resolve/address.ts'
import { locationOfPage, redirectsFrom } from '../resolve/resolve.ts'
import { lockSite, siteOwner } from '../site.ts'
import * as queries from './queries.ts'
import type { RedirectRow } from './queries.ts'
import { sourceMustBeValid, targetMustBeValid } from './rules.ts'

/** A redirect as it is shown. */
export interface Redirect {
  row: RedirectRow
  language: string | null
  path: string
  url: string
  /** Null if it leads to a page that does not exist or that the caller may not see. */
  target: string | null
  page: { uuid: string; title: string } | null
  /** It leads from all addresses below a former URL of a language to the same addresses below its present one. */
  isPrefix: boolean
}

/** Redirects whose path or target contains the text, the newest first. */
export async function listRedirects(
  ctx: RequestContext,
  { q, ...paging }: Paging & { q: string },
): Promise<Slices<Redirect>> {
  const { store } = ctx.app
  const search = await searchWords(ctx, q)
  return {
    pagination: paginate(await queries.countRedirects(store, search), paging),
    read: async slice => describe(ctx, await queries.selectRedirects(store, search, slice)),
  }
}

/** The stored paths have no slash at the beginning, and those of automatic redirects no prefix of the language. */
async function searchWords({ app }: RequestContext, q: string): Promise<string[]> {
  const text = q.trim().replace(/^\/+/, '')
  if (text === '') return []
  const address = readAddress(app, q.trim(), await contentLanguages(app))
  return [...new Set([text, address?.path || text])]
}

export async function findRedirect(ctx: RequestContext, id: string): Promise<Redirect> {
  const row = await queries.selectRedirect(ctx.app.store, numberOf(id))
  if (!row) throw fail('redirect.notFound', { id })
  return (await describe(ctx, [row]))[0]!
}

function numberOf(id: string): number {
  if (!/^\d{1,15}$/.test(id)) throw fail('redirect.notFound', { id })
  return Number(id)
}

interface NewRedirect {
  path: string
  target: string
}

/** Returns the id. */
export async function createRedirect(ctx: RequestContext, redirect: NewRedirect): Promise<string> {
  mustBeAllowedToUpdate(ctx)
  const { address, source } = await sourceMustBeValid(ctx, redirect.path)
  const target = await targetMustBeValid(ctx, redirect.target, address)
  await mustBeFree(ctx, address)
  return ctx.app.store.write(async tx => {
    await lockSite(ctx, tx, 'visibility')
    const id = await queries.insertRedirect(tx, { ...source, ...target })
    if (id === undefined) throw fail('redirect.duplicate', { path: encodedPath(address) })
    await recordRedirects(ctx, tx, id, 'created')
    return String(id)
  })
}

/** An automatic redirect that is changed becomes a manual one. */
export async function changeRedirect(
  ctx: RequestContext,
  id: string,
  change: { [Name in keyof NewRedirect]?: string | undefined },
): Promise<void> {
  const { app } = ctx
  mustBeAllowedToUpdate(ctx)
  const number = numberOf(id)
  const before = await findRedirect(ctx, id)
  if (before.isPrefix) throw fail('redirect.prefix', { path: before.path })
  const isMoved = change.path !== undefined && change.path !== before.path
  const moved = isMoved ? await sourceMustBeValid(ctx, change.path!, before.language ?? undefined) : undefined
  const address = moved?.address ?? (await addressOf(ctx, before))
  const target = change.target === undefined ? undefined : await targetMustBeValid(ctx, change.target, address)
  if (moved) await mustBeFree(ctx, address, number)
  await app.store.write(async tx => {
    await lockSite(ctx, tx, 'visibility')
    if (moved && (await queries.isAddressTaken(tx, moved.source, number)))
      throw fail('redirect.duplicate', { path: encodedPath(address) })
    if (!(await queries.updateRedirect(tx, number, { ...moved?.source, ...target })))
      throw fail('redirect.notFound', { id })
    await recordRedirects(ctx, tx, number, 'changed')
  })
}

export async function deleteRedirect(ctx: RequestContext, id: string): Promise<void> {
  await ctx.app.store.write(async tx => {
    await lockSite(ctx, tx, ['site.update'])
    if (!(await queries.deleteRedirectRow(tx, numberOf(id)))) throw fail('redirect.notFound', { id })
    await recordRedirects(ctx, tx, Number(id), 'deleted')
  })
}

/**
 * The permission depends on no row, so it is checked before pages and redirects are read: a caller without it must not
 * learn which addresses are taken.
 */
function mustBeAllowedToUpdate(ctx: RequestContext): void {
  mustBeAllowed(ctx, 'site.update', ctx.app.blueprints.site())
}

async function addressOf({ app }: RequestContext, { url, path, language }: Redirect): Promise<SiteAddress> {
  const languages = await contentLanguages(app)
  return (
    readAddress(app, language === null ? path : url, languages) ?? { language: languages[0]!, path, fullPath: path }
  )
}

async function mustBeFree(ctx: RequestContext, address: SiteAddress, except?: number): Promise<void> {
  const { path, fullPath } = address
  const found = await redirectsFrom(ctx, address)
  const isSame = (one: (typeof found)[number]) => one.path === path || one.path === fullPath
  if (found.some(one => one.id !== except && isSame(one) && (one.page !== null || one.target !== null)))
    throw fail('redirect.duplicate', { path: encodedPath(address) })
}

async function recordRedirects(ctx: RequestContext, tx: Tx, redirect: number, what: string): Promise<void> {
  await recordEvent(ctx, tx, 'site.changed', siteOwner, { what: 'redirects', redirect: String(redirect), change: what })
}

/** Reads the pages that redirects lead to at once. */
async function describe(ctx: RequestContext, rows: readonly RedirectRow[]): Promise<Redirect[]> {
  const { app } = ctx
  const languages = await contentLanguages(app)
  const uuids = [...new Set(rows.flatMap(({ page }) => page ?? []))]
  const pages = new Map(
    (await visibleOf(ctx, await selectByUuids(app.store, languages[0]!, uuids))).map(page => [page.uuid, page]),
  )
  const contexts = new Map(languages.map(language => [language.key, { ...ctx, language: () => language }]))
  return Promise.all(rows.map(row => describeOne(row, pages.get(row.page ?? ''), { ctx, languages, contexts })))
}

interface DescribeContext {
  ctx: RequestContext
  languages: readonly ContentLanguage[]
  contexts: ReadonlyMap<string, RequestContext>
}

async function describeOne(
  row: RedirectRow,
  page: PageRow | undefined,
  { ctx: { app }, languages, contexts }: DescribeContext,
): Promise<Redirect> {
  const own = languages.find(({ key }) => key === row.language)
  if (own && isFormerUrl(row.path)) {
    const isBelow = row.path.startsWith('/')
    const url = encodeURI(isBelow ? siteUrl(app, { url: row.path }).replace(/\/$/, '') : row.path)
    const target = hasOwnDomain(own) ? own.url : encodeURI(own.url || '/')
    return { row, language: own.code ?? null, path: encodeURI(row.path), url, target, page: null, isPrefix: true }
  }
  const fullPath = encodeURI(`/${row.path}`)
  const found = own ?? readAddress(app, fullPath, languages)?.language ?? languages[0]!
  const { path, url } = own
    ? locationOf(app, own, `${siteUrl(app, own)}/${row.path}`)
    : locationAt(app, found, fullPath)
  const target = page ? (await locationOfPage(contexts.get(found.key)!, page)).path : row.target
  return {
    row,
    language: own?.code ?? null,
    path,
    url,
    target,
    page: page ? { uuid: page.uuid, title: titleOfPage(app, page) } : null,
    isPrefix: false,
  }
}
