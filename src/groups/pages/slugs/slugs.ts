import type { App } from '../../../app.ts'
import type { ContentLanguage, RequestContext } from '../../../http/context.ts'
import { languageToWrite } from '../../../content/languages/languages.ts'
import type { Tx } from '../../../platform/store/store.ts'
import { type PageRow, selectPage } from '../queries.ts'
import * as queries from './queries.ts'

/** The slug in the language of the request; without a translation, the slug of the id. */
export function slugOf(ctx: RequestContext, page: Pick<PageRow, 'path' | 'slug'>): string | Promise<string> {
  const language = ctx.language()
  if (language instanceof Promise) return language.then(() => slugOf(ctx, page))
  return language.translatesSlugs ? translated(ctx, language, page.path) : page.slug
}

/** The slug that `content` shows in a language that translates slugs: only if it differs from that of the id, and no field has the name `slug`. */
export function slugInContent(
  ctx: RequestContext,
  language: ContentLanguage,
  page: Pick<PageRow, 'path' | 'slug' | 'template'>,
): Promise<string | undefined> | undefined {
  if (!language.translatesSlugs || ctx.app.blueprints.page(page.template).fields.has('slug')) return undefined
  return translated(ctx, language, page.path).then(slug => (slug === page.slug ? undefined : slug))
}

/** The public URL in the language of the request. The home page has the URL of the site. */
export function urlOf(ctx: RequestContext, page: Pick<PageRow, 'path'>): string | Promise<string> {
  const language = ctx.language()
  if (language instanceof Promise) return language.then(() => urlOf(ctx, page))
  const { path } = page
  const { siteUrl, translatesSlugs } = language
  if (path === ctx.app.config.home) return siteUrl
  return translatesSlugs ? translatedUrl(ctx, language, path) : `${siteUrl}/${path}`
}

async function translatedUrl(ctx: RequestContext, language: ContentLanguage, path: string): Promise<string> {
  const [own, above] = await Promise.all([
    translated(ctx, language, path),
    translatedPath(ctx, language, parentOf(path)),
  ])
  return `${language.siteUrl}/${above}${own}`
}

/** Finds a page by translated slugs when no page has this id: each segment is a translated slug or one of an id. */
export async function findTranslated(
  { store }: App,
  path: string,
  language: ContentLanguage,
): Promise<PageRow | undefined> {
  if (!language.translatesSlugs) return undefined
  let step: queries.PathStep | undefined = { uuid: '', path: '' }
  for (const slug of path.split('/')) {
    step = await queries.selectChild(store, language.key, step, slug)
    if (!step) return undefined
  }
  return selectPage(store, language, step.path)
}

/** A slug that equals that of the id is not stored, so that it changes with the id. */
export async function setTranslatedSlug(
  tx: Tx,
  page: Pick<PageRow, 'uuid' | 'slug'>,
  language: ContentLanguage,
  slug: string,
): Promise<void> {
  const { key } = await languageToWrite(tx, language)
  if (slug === page.slug) await queries.deleteSlug(tx, page.uuid, key)
  else await queries.upsertSlug(tx, page.uuid, key, slug)
}

/**
 * Whether slugs can be translated, so that they must be unique across languages. Translating a slug locks the parent
 * row exclusively; creating or renaming a child takes a shared lock. So both cannot happen at the same time, and any
 * number of children can be created concurrently.
 */
export function canTranslateSlugs(languages: readonly ContentLanguage[]): boolean {
  return languages.some(({ siteTranslatesSlugs }) => siteTranslatesSlugs)
}

/** Whether a sibling has the slug, in its id or in this language; without a language, in any language. */
export async function translatedSlugIsTaken(
  tx: Tx,
  { language, ...wish }: queries.NewSlug & { language?: Pick<ContentLanguage, 'key'> | undefined },
): Promise<boolean> {
  return (await queries.hasChildCalled(tx, wish)) || (await queries.hasChildTranslatedTo(tx, wish, language?.key))
}

// ---- reading slugs

async function translated({ app }: RequestContext, { key }: ContentLanguage, path: string): Promise<string> {
  return (await queries.selectSlug(app.store, key, path)) ?? path.slice(path.lastIndexOf('/') + 1)
}

/** Cache per request: the URL prefix of a page, which many pages of a list share. */
const above = new WeakMap<RequestContext, Map<string, Promise<string>>>()

function translatedPath(ctx: RequestContext, language: ContentLanguage, path: string): Promise<string> | string {
  if (path === '') return ''
  const slugs = above.get(ctx) ?? new Map<string, Promise<string>>()
  above.set(ctx, slugs)
  let found = slugs.get(path)
  if (!found) slugs.set(path, (found = readPath(ctx, language, path)))
  return found
}

async function readPath(ctx: RequestContext, language: ContentLanguage, path: string): Promise<string> {
  const [own, rest] = await Promise.all([
    translated(ctx, language, path),
    translatedPath(ctx, language, parentOf(path)),
  ])
  return `${rest}${own}/`
}

/** `a/b/c` → `a/b` */
const parentOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 0))
