import type { App } from '../../../app.ts'
import { lower } from '../../../content/languages/former-urls/former-urls.ts'
import { siteUrl } from '../../../content/languages/languages.ts'
import type { ContentLanguage } from '../../../http/context.ts'

/** An address of the site as visitors see it. */
export interface SiteAddress {
  language: ContentLanguage
  /** Below the URL of the language, without slashes at both ends; `''` for the home page. */
  path: string
  /**
   * Below the URL of the site, including the prefix of the language; for a language with a domain of its own the same
   * as `path`.
   */
  fullPath: string
}

/**
 * Reads a path below `site.url` or a full URL, and finds its language. Undefined if no address of the site has this
 * form. `languageCode` decides in two cases: if that language has a domain of its own, the whole path is below its URL;
 * otherwise only for a path without the prefix of any language.
 */
export function readAddress(
  app: App,
  text: string,
  languages: readonly ContentLanguage[],
  languageCode?: string,
): SiteAddress | undefined {
  if (/^https?:\/\//i.test(text)) return readUrl(app, text, languages)
  const segments = segmentsIn(text)
  if (!segments) return undefined
  const requested = languages.find(({ code }) => code !== undefined && code === languageCode)
  if (requested && hasOwnDomain(requested)) return addressIn(requested, segments, [])
  const prefixed = languages.filter(language => !hasOwnDomain(language) && startsWith(segments, prefixOf(language)))
  const longest = prefixed.toSorted((one, other) => other.url.length - one.url.length)[0]
  if (longest) return addressIn(longest, segments, prefixOf(longest))
  // Every language has a prefix, and this path has none: an address from before the site had languages.
  const language = requested ?? languages[0]!
  return { language, path: segments.join('/'), fullPath: segments.join('/') }
}

function readUrl(app: App, text: string, languages: readonly ContentLanguage[]): SiteAddress | undefined {
  const url = URL.parse(text)
  if (!url) return undefined
  const bases = [...languages.filter(hasOwnDomain), { url: siteUrl(app, { url: '' }), code: undefined }]
  const matches = bases.flatMap(base => {
    const path = pathBelow(url, base.url)
    return path === undefined ? [] : [{ path, code: base.code }]
  })
  // The longest base leaves the shortest path.
  const [match] = matches.toSorted((one, other) => one.path.length - other.path.length)
  return match && readAddress(app, match.path, languages, match.code)
}

/** Former URLs with more segments are not found. */
const maxPrefixSegments = 20

/**
 * What an address would be below each possible former URL of a language: `/de/a` → a below `/de`, de/a below `/`.
 * The keys have the form in which former URLs are stored.
 */
export function belowFormerUrls(app: App, text: string): Map<string, string> {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : undefined
  if (url === null) return new Map()
  if (!url) return splits('', segmentsIn(text))
  const path = pathBelow(url, siteUrl(app, { url: '' }))
  return new Map([
    ...splits(url.origin, segmentsIn(url.pathname)),
    ...splits('', path === undefined ? undefined : segmentsIn(path)),
  ])
}

function splits(origin: string, segments: readonly string[] | undefined): Map<string, string> {
  if (!segments) return new Map()
  const counts = [...segments.slice(0, maxPrefixSegments).keys(), Math.min(segments.length, maxPrefixSegments)]
  const prefix = (count: number) => segments.slice(0, count).map(part => `/${lower(part)}`)
  return new Map(
    counts.map(count => [origin + prefix(count).join('') || '/', segments.slice(count).join('/')] as const),
  )
}

/** The address of a path in a language. */
export const addressBelow = (language: ContentLanguage, path: string): SiteAddress => ({
  language,
  path,
  fullPath: [...(hasOwnDomain(language) ? [] : prefixOf(language)), path].filter(part => part !== '').join('/'),
})

/** `https://example.org/blog/a` below `https://example.org/blog` → `/a` */
function pathBelow({ origin, pathname }: URL, base: string): string | undefined {
  const { origin: ownOrigin, pathname: ownPath } = new URL(base)
  const prefix = ownPath.replace(/\/$/, '')
  if (origin !== ownOrigin || !(pathname === prefix || pathname.startsWith(`${prefix}/`))) return undefined
  return pathname.slice(prefix.length) || '/'
}

/** Such a language is not below the URL of the site. */
export const hasOwnDomain = ({ url }: ContentLanguage) => url !== '' && !url.startsWith('/')

const prefixOf = ({ url }: ContentLanguage) => url.split('/').filter(part => part !== '')

const startsWith = (segments: readonly string[], prefix: readonly string[]) =>
  prefix.every((part, index) => segments[index]?.toLowerCase() === part.toLowerCase())

const addressIn = (language: ContentLanguage, segments: readonly string[], prefix: readonly string[]): SiteAddress => ({
  language,
  path: segments.slice(prefix.length).join('/'),
  fullPath: segments.join('/'),
})

/** Decodes the path, without its query and fragment. Slashes at the end do not count. */
function segmentsIn(text: string): string[] | undefined {
  const path = text
    .replace(/[?#].*$/s, '')
    .replace(/^\//, '')
    .replace(/\/+$/, '')
  if (path === '') return []
  try {
    const segments = path.split('/').map(part => decodeURIComponent(part).normalize('NFC'))
    return segments.every(isSegment) ? segments : undefined
  } catch {
    return undefined
  }
}

const isSegment = (segment: string) => !/^\.{0,2}$|[/\\\p{Cc}]/u.test(segment)

/** The target of a redirect, or the address of a page, percent-encoded. */
export interface Location {
  /**
   * Below the URL of the site, or of the language if that has a domain of its own; a full URL if it leads to another
   * site.
   */
  path: string
  url: string
}

/** The location of a page, from its URL in this language (`urlOf`). */
export function locationOf(app: App, language: ContentLanguage, url: string): Location {
  const base = baseUrlOf(app, language)
  const path = encodeURI(url.slice(base.length))
  // The configured URL may already be percent-encoded.
  return { path: path || '/', url: new URL(base).href.replace(/\/$/, '') + path }
}

/** The location of a path in a language, or of a URL. */
export function locationAt(app: App, language: ContentLanguage, pathOrUrl: string): Location {
  return { path: pathOrUrl, url: pathOrUrl.startsWith('/') ? baseUrlOf(app, language) + pathOrUrl : pathOrUrl }
}

/** The base URL of paths in this language: that of the site, or of a language with a domain of its own. */
export const baseUrlOf = (app: App, language: ContentLanguage) =>
  siteUrl(app, hasOwnDomain(language) ? language : { url: '' })

/** The path of an address, as `locationOf` gives it. */
export const encodedPath = ({ fullPath }: Pick<SiteAddress, 'fullPath'>) => encodeURI(`/${fullPath}`)
