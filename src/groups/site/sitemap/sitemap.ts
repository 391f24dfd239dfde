import { listableTemplates } from '../../../access/authorize/pages.ts'
import { contentLanguages, siteUrl } from '../../../content/languages/languages.ts'
import type { ContentLanguage, RequestContext } from '../../../http/context.ts'
import { isoTime } from '../../../platform/lib/time.ts'
import { ownerOfPage } from '../../pages/pages.ts'
import { ancestorsOf } from '../../pages/tree/lock.ts'
import { selectListed, selectSlugsOfPaths, selectTranslations, type SitemapPage } from './queries.ts'

export interface SitemapEntry {
  url: string
  /** One for each language that the page is translated into; empty on a site without languages. */
  alternates: { language: string; url: string }[]
  modified: string
}

export interface SitemapSlice {
  entries: SitemapEntry[]
  /** Where the next slice begins; null after the last page. */
  next: string | null
}

/** A slice of the listed pages that the caller may list, with a fixed number of statements. */
export async function listAddresses(
  ctx: RequestContext,
  { after, limit }: { after: string; limit: number },
): Promise<SitemapSlice> {
  const { app } = ctx
  const { home, error } = app.config
  const languages = await contentLanguages(app)
  const pages = await selectListed(app.store, { templates: listableTemplates(ctx), home, error, after, limit })
  const paths = new Set(pages.flatMap(({ path }) => [path, ...ancestorsOf(path)]))
  const owners = languages.length > 1 ? pages.map(({ uuid }) => ownerOfPage(uuid)) : []
  const [found, translations] = await Promise.all([
    selectSlugsOfPaths(app.store, [...paths]),
    selectTranslations(app.store, owners),
  ])
  const slugs = new Map(found.map(({ language, path, slug }) => [`${language} ${path}`, slug]))
  const translated = new Set(translations.map(({ owner, language }) => `${language} ${owner}`))
  const urlIn = (language: ContentLanguage, { path }: SitemapPage) =>
    encodeURI(siteUrl(app, language) + (path === home ? '' : `/${addressIn(language, path)}`))
  const addressIn = ({ key }: ContentLanguage, path: string) =>
    [...ancestorsOf(path), path].map(one => slugs.get(`${key} ${one}`) ?? one.slice(one.lastIndexOf('/') + 1)).join('/')
  const entries = pages.map(page => ({
    url: urlIn(languages[0]!, page),
    alternates: languages.flatMap(language =>
      language.code !== undefined &&
      (language === languages[0] || translated.has(`${language.key} ${ownerOfPage(page.uuid)}`))
        ? [{ language: language.code, url: urlIn(language, page) }]
        : [],
    ),
    modified: isoTime(page.modified_at),
  }))
  return { entries, next: pages.length < limit ? null : pages.at(-1)!.path }
}
