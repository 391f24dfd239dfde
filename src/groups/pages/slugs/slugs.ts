import type { App } from '../../../app.ts'
import type { ContentLanguage, RequestContext } from '../../../http/context.ts'
import { isDefault, languageToWrite, siteUrl } from '../../../content/languages/languages.ts'
import type { Tx } from '../../../platform/store/store.ts'
import { type PageRow, selectPage } from '../queries.ts'
import * as queries from './queries.ts'

/** The slug in the language that is looked at; that of the id where the page has no other. */
export async function slugOf(ctx: RequestContext, { path, slug }: Pick<PageRow, 'path' | 'slug'>): Promise<string> {
  const language = await ctx.language()
  return isPlain(language) ? slug : await translated(ctx, language, path)
}

/** The slug as it stands among the content: where the language has another one than the id, and no field has its name. */
export async function slugInContent(
  ctx: RequestContext,
  page: Pick<PageRow, 'path' | 'slug' | 'template'>,
): Promise<string | undefined> {
  const slug = await slugOf(ctx, page)
  return slug === page.slug || ctx.app.blueprints.page(page.template).fields.has('slug') ? undefined : slug
}

/** The public address in the language that is looked at. The home page has that of the site. */
export async function urlOf(ctx: RequestContext, { path }: Pick<PageRow, 'path'>): Promise<string> {
  const language = await ctx.language()
  const site = siteUrl(ctx.app, language)
  if (path === ctx.app.config.home) return site
  if (isPlain(language)) return `${site}/${path}`
  const [own, above] = await Promise.all([translated(ctx, language, path), pathOf(ctx, language, parentOf(path))])
  return `${site}/${above}${own}`
}

/** By the slugs of a language, where an id has not been found: each part is the slug there, or else that of the id. */
export async function findTranslated(
  { store }: App,
  path: string,
  language: ContentLanguage,
): Promise<PageRow | undefined> {
  if (isPlain(language)) return undefined
  let step: queries.Step | undefined = { uuid: '', path: '' }
  for (const slug of path.split('/')) {
    step = await queries.selectChild(store, language.key, step, slug)
    if (!step) return undefined
  }
  return selectPage(store, language, step.path)
}

/** What is the same as in the id is not kept: it changes with it. */
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
 * Whether children can have the same slug in different languages. Whoever gives one a slug in a language holds the parent
 * alone, and whoever makes or renames one keeps it: any number of them at once, but none beside the other.
 */
export function hasTranslatedSlugs(languages: readonly ContentLanguage[]): boolean {
  return languages.length > 1 || languages.some(({ hasSlugs }) => hasSlugs === true)
}

/** Whether a sibling has it, in its id or in this language. Without a language: in any of them. */
export async function translatedSlugIsTaken(
  tx: Tx,
  { language, ...wish }: queries.Wish & { language?: Pick<ContentLanguage, 'key'> | undefined },
): Promise<boolean> {
  return (await queries.hasChildCalled(tx, wish)) || (await queries.hasChildTranslatedTo(tx, wish, language?.key))
}

// ---- what is read for them

/** Slugs are those of the ids; nothing has to be read. A default language may have others if it has not always been it. */
function isPlain(language: ContentLanguage): boolean {
  return isDefault(language) && language.hasSlugs !== true
}

async function translated({ app }: RequestContext, { key }: ContentLanguage, path: string): Promise<string> {
  return (await queries.selectSlug(app.store, key, path)) ?? path.slice(path.lastIndexOf('/') + 1)
}

/** What is above a page, to begin its address with. In a list it is the same for many. */
const above = new WeakMap<RequestContext, Map<string, Promise<string>>>()

function pathOf(ctx: RequestContext, language: ContentLanguage, path: string): Promise<string> | string {
  if (path === '') return ''
  const known = above.get(ctx) ?? new Map<string, Promise<string>>()
  above.set(ctx, known)
  let found = known.get(path)
  if (!found) known.set(path, (found = readPath(ctx, language, path)))
  return found
}

async function readPath(ctx: RequestContext, language: ContentLanguage, path: string): Promise<string> {
  const [own, rest] = await Promise.all([translated(ctx, language, path), pathOf(ctx, language, parentOf(path))])
  return `${rest}${own}/`
}

/** `a/b/c` → `a/b` */
const parentOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 0))
