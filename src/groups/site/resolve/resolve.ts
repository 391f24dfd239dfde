import { selectFormerUrls } from '../../../content/languages/former-urls/queries.ts'
import { contentLanguages } from '../../../content/languages/languages.ts'
import { type FoundRedirect, selectRedirectsFrom } from '../../../content/redirects/queries.ts'
import type { ContentLanguage, RequestContext } from '../../../http/context.ts'
import { ApiError, fail } from '../../../platform/errors.ts'
import { selectPageByUuid, type PageRow } from '../../pages/queries.ts'
import { urlOf } from '../../pages/slugs/slugs.ts'
import { visiblePage } from '../../pages/target.ts'
import { visibleOf } from '../../pages/visible.ts'
import { uuidIn } from '../../pages/pages.ts'
import {
  addressBelow,
  belowFormerUrls,
  hasOwnDomain,
  type Location,
  locationAt,
  locationOf,
  encodedPath,
  readAddress,
  type SiteAddress,
} from './address.ts'

/** What is at an address: a page, or a redirect to another address. `ctx` has the language of the address. */
export type Resolved = { ctx: RequestContext; language: ContentLanguage } & (
  | { page: PageRow; location?: undefined }
  | { page?: undefined; location: Location }
)

/** Manual redirects may lead to addresses of other redirects; a longer chain counts as a loop. */
const maxHops = 10

/** Addresses that one request may look up: each may be below several former URLs, and have several redirects. */
const maxLookups = 50

/** What is at the addresses that this request has looked up. Undefined if there is nothing, and during the lookup, which ends loops. */
type Lookups = Map<string, Resolved | undefined>

/** How an address inside of another lookup is found. */
interface Step {
  lookups: Lookups
  hops: number
}

/**
 * Finds what visitors see at an address: the page, or where it has gone. An address that differs from that of the page
 * (other case, untranslated slugs, the slug of the home page) is redirected to it. Undefined if there is nothing that
 * the caller may see.
 */
export async function resolveAddress(
  ctx: RequestContext,
  text: string,
  languageCode?: string,
): Promise<Resolved | undefined> {
  const address = readAddress(ctx.app, text, await contentLanguages(ctx.app), languageCode)
  if (address && !isOpen(ctx, address.language)) throw fail('auth')
  return resolveText(ctx, text, address, { lookups: new Map(), hops: maxHops })
}

async function resolveText(
  ctx: RequestContext,
  text: string,
  address: SiteAddress | undefined,
  { lookups, hops }: Step,
): Promise<Resolved | undefined> {
  const resolved = address && (await resolveAt(ctx, address, { lookups, hops }))
  return resolved ?? (hops > 0 ? resolveFormer(ctx, text, address, { lookups, hops: hops - 1 }) : undefined)
}

/** The same for an address below a former URL of a language. */
async function resolveFormer(
  ctx: RequestContext,
  text: string,
  requested: SiteAddress | undefined,
  step: Step,
): Promise<Resolved | undefined> {
  const from = requested ? locationAt(ctx.app, requested.language, encodedPath(requested)).url : text
  for (const address of await formerAddresses(ctx, text)) {
    const resolved = await resolveAt(ctx, address, step)
    const location = resolved?.page ? await locationOfPage(resolved.ctx, resolved.page) : resolved?.location
    if (resolved && location && location.url !== from)
      return { ctx: resolved.ctx, language: resolved.language, location }
  }
  return undefined
}

/** What an address would be now if it is below former URLs of languages. */
export async function formerAddresses({ app }: Pick<RequestContext, 'app'>, text: string): Promise<SiteAddress[]> {
  const languages = new Map((await contentLanguages(app)).map(language => [language.key, language]))
  const paths = belowFormerUrls(app, text)
  const found = await selectFormerUrls(app.store, [...languages.keys()], [...paths.keys()])
  return found.map(({ language, path }) => addressBelow(languages.get(language)!, paths.get(path)!))
}

/** Looks up every address once, so that a loop costs as little as a chain. */
async function resolveAt(ctx: RequestContext, address: SiteAddress, step: Step): Promise<Resolved | undefined> {
  const { lookups } = step
  const key = JSON.stringify([address.language.key, address.path, address.fullPath])
  if (lookups.has(key) || lookups.size === maxLookups || !isOpen(ctx, address.language)) return lookups.get(key)
  lookups.set(key, undefined)
  const resolved = await lookUp(ctx, address, step)
  lookups.set(key, resolved)
  return resolved
}

async function lookUp(ctx: RequestContext, address: SiteAddress, step: Step): Promise<Resolved | undefined> {
  const language = await languageFor(ctx, address.language)
  const inLanguage = { ...ctx, language: () => language }
  const page = await findPageAt(inLanguage, address)
  if (page) {
    const location = await locationOfPage(inLanguage, page)
    if (location.path === encodedPath(address)) return { ctx: inLanguage, language, page }
    return { ctx: inLanguage, language, location }
  }
  for (const redirect of await redirectsFrom(inLanguage, address)) {
    const location = await follow(inLanguage, redirect, step)
    if (location && location.url !== locationAt(ctx.app, language, encodedPath(address)).url)
      return { ctx: inLanguage, language, location }
  }
  return undefined
}

export async function locationOfPage(ctx: RequestContext, page: Pick<PageRow, 'path'>): Promise<Location> {
  return locationOf(ctx.app, await ctx.language(), await urlOf(ctx, page))
}

/** The preview pass of a language opens no other language. */
function isOpen({ actor }: RequestContext, { code }: ContentLanguage): boolean {
  const pass = actor.isAnonymous ? actor.pass : undefined
  return pass?.language === undefined || pass.language === code
}

/** Unpublished changes are shown in the language of the address. */
async function languageFor(ctx: RequestContext, language: ContentLanguage): Promise<ContentLanguage> {
  if (!ctx.isPreview) return language
  const { changesOf } = await ctx.language()
  return changesOf ? { ...language, changesOf } : language
}

/** The page with this address that the caller may see; in lower case if there is none. */
async function findPageAt(ctx: RequestContext, { path }: SiteAddress): Promise<PageRow | undefined> {
  const id = path === '' ? ctx.app.config.home : path
  return (await findVisible(ctx, id)) ?? (id === id.toLowerCase() ? undefined : findVisible(ctx, id.toLowerCase()))
}

async function findVisible(ctx: RequestContext, id: string): Promise<PageRow | undefined> {
  if (uuidIn(id) !== undefined) return undefined
  try {
    return (await visiblePage(ctx, id)).page
  } catch (error) {
    // `auth`: another page than that of the preview pass, or none.
    if (error instanceof ApiError && ['auth', 'page.notFound'].includes(error.key)) return undefined
    throw error
  }
}

/** The redirects from an address. Those of the site's own domain do not concern languages with another one. */
export const redirectsFrom = async ({ app }: Pick<RequestContext, 'app'>, { language, path, fullPath }: SiteAddress) =>
  path === ''
    ? []
    : selectRedirectsFrom(app.store, { language: language.key, path }, hasOwnDomain(language) ? '' : fullPath)

/** Where a redirect leads to in the end, as far as the caller may see it. Paths are read in the language of its source. */
async function follow(ctx: RequestContext, redirect: FoundRedirect, step: Step): Promise<Location | undefined> {
  const { app } = ctx
  const { lookups, hops } = step
  const { page: uuid, target } = redirect
  if (uuid !== null) {
    const page = await selectPageByUuid(app.store, await ctx.language(), uuid)
    return page && (await visibleOf(ctx, [page])).length > 0 ? locationOfPage(ctx, page) : undefined
  }
  if (target === null || hops === 0) return undefined
  const language = await ctx.language()
  const address = readAddress(app, target, await contentLanguages(app), language.code)
  const next = /[?#]/.test(target) ? undefined : await resolveText(ctx, target, address, { lookups, hops: hops - 1 })
  if (next?.page) return locationOfPage(next.ctx, next.page)
  return next?.location ?? locationAt(app, language, target)
}
