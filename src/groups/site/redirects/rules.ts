import { contentLanguages } from '../../../content/languages/languages.ts'
import type { ContentLanguage, RequestContext } from '../../../http/context.ts'
import { ApiError, fail } from '../../../platform/errors.ts'
import { findPage } from '../../pages/pages.ts'
import type { PageRow } from '../../pages/queries.ts'
import { visibleOf } from '../../pages/visible.ts'
import { visiblePage } from '../../pages/target.ts'
import { baseUrlOf, hasOwnDomain, locationAt, encodedPath, readAddress, type SiteAddress } from '../resolve/address.ts'
import { formerAddresses, redirectsFrom } from '../resolve/resolve.ts'
import type { RedirectTarget } from './queries.ts'

const maxRedirectPathBytes = 1000
/** Old addresses with translated slugs may be longer. */
const maxStoredBytes = 2000
const maxTargetLength = 2000
/** The source language of a redirect whose path is kept as it was entered, with the prefix of its language. */
const anyLanguage = '*'

/** The address that a redirect leads from: the path of no published page. `languageCode` is that of `readAddress`. */
export async function sourceMustBeValid(
  ctx: RequestContext,
  text: string,
  languageCode?: string,
): Promise<{ address: SiteAddress; source: { language: string; path: string } }> {
  const address = /^(?:\/(?!\/)|https?:\/\/)[^?#]+$/i.test(text)
    ? readAddress(ctx.app, text, await contentLanguages(ctx.app), languageCode)
    : undefined
  if (!address || address.fullPath === '' || Buffer.byteLength(address.fullPath) > maxRedirectPathBytes)
    throw fail('redirect.path')
  const page = await pageAt(ctx, address)
  if (address.path === '' || (page && page.status !== 'draft'))
    throw fail('redirect.page', { path: encodedPath(address) })
  const { language, path, fullPath } = address
  const source = hasOwnDomain(language) ? { language: language.key, path } : { language: anyLanguage, path: fullPath }
  return { address, source }
}

/**
 * A page (`page://…`, or its path in the same language), another path of the site, or a URL. `from` is the address that
 * the redirect leads from.
 */
export async function targetMustBeValid(ctx: RequestContext, text: string, from: SiteAddress): Promise<RedirectTarget> {
  if (text.startsWith('page://')) return { page: (await visiblePage(ctx, text)).page.uuid, target: null }
  const languages = await contentLanguages(ctx.app)
  const url = readTarget(text)
  if (!url) throw fail('redirect.target')
  const { pathname, search, hash } = url
  const address = readAddress(ctx.app, text, languages, from.language.code)
  const isOwn =
    text.startsWith('/') ||
    (address !== undefined && baseUrlOf(ctx.app, address.language) === baseUrlOf(ctx.app, from.language))
  const target = !isOwn ? url.href : (address ? encodedPath(address) : pathname) + search + hash
  if (target.length > maxTargetLength) throw fail('redirect.target')
  if (address && search === '' && hash === '') {
    await mustNotLoop(ctx, address, from, languages)
    const page = address.language.key === from.language.key ? await pageAt(ctx, address) : undefined
    if (page && (await visibleOf(ctx, [page])).length > 0) return { page: page.uuid, target: null }
  }
  return { page: null, target }
}

/** A path with the first slash, or a URL with `http` or `https` and without credentials. */
export function readTarget(text: string): URL | undefined {
  if (text.length > maxTargetLength || /[\\\p{Cc}\s]/u.test(text)) return undefined
  if (text.startsWith('/')) {
    const path = URL.parse(text, 'https://site.invalid')
    // `//example.com` would be another site: in a header `Location`, and after dots have been removed.
    return path?.host === 'site.invalid' && !path.pathname.startsWith('//') ? path : undefined
  }
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  return url && url.username === '' && url.password === '' ? url : undefined
}

/** Whether a redirect can be stored from this path, which has no slash at its ends. */
export const isRedirectPath = (path: string) =>
  path !== '' && Buffer.byteLength(path) <= maxStoredBytes && !/[\p{Cc}?#\\]|^\/|\/$|\/\//u.test(path)

async function pageAt(
  { app }: Pick<RequestContext, 'app'>,
  { path, language }: SiteAddress,
): Promise<PageRow | undefined> {
  try {
    return await findPage(app, path === '' ? app.config.home : path, language)
  } catch (error) {
    if (error instanceof ApiError && error.key === 'page.notFound') return undefined
    throw error
  }
}

/** Manual redirects can lead to each other; this many in a row count as a loop. */
const maxHops = 10

export async function mustNotLoop(
  ctx: Pick<RequestContext, 'app'>,
  first: SiteAddress,
  from: SiteAddress,
  languages: readonly ContentLanguage[],
): Promise<void> {
  const urlAt = (one: SiteAddress) => locationAt(ctx.app, one.language, encodedPath(one)).url
  let address: SiteAddress | undefined = first
  let isPresent = false // an address that a former URL of its language led to: no other one can be meant
  for (let hop = 0; address; hop++) {
    if (urlAt(address) === urlAt(from) || hop === maxHops) throw fail('redirect.loop', { path: encodedPath(from) })
    const [next] = await redirectsFrom(ctx, address)
    if (next?.target) {
      address = readAddress(ctx.app, next.target, languages, address.language.code)
      isPresent = false
    } else if (next || isPresent || (await pageAt(ctx, address))) return
    else {
      address = (await formerAddresses(ctx, urlAt(address)))[0]
      isPresent = true
    }
  }
}
