import { queryOptions, useQuery } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import type { ContentLanguage } from '../app/content-language.ts'
import { useContentLanguage } from '../app/language.ts'
import { keys } from '../app/query.ts'
import { toId } from './id.ts'
import type { PageModel } from './page.ts'

/** The old and the new address of a page in one language. */
export interface AddressChange {
  /** The name of the language; undefined on a site with a single one. */
  language: string | undefined
  before: string
  after: string | undefined
}

/** Addresses are read in this number of languages at most. */
export const maxLanguages = 6

/** The address of a page, or of the site (`''`), in each language. */
const addressesQuery = (path: string, languages: readonly ContentLanguage[]) =>
  queryOptions({
    queryKey: [...(path === '' ? keys.site : keys.page(toId(path))), 'addresses', languages.length],
    queryFn: async () => {
      const shownLanguages = languages.length > 0 ? languages.slice(0, maxLanguages) : [undefined]
      return Promise.all(shownLanguages.map(language => readAddress(path, language)))
    },
    staleTime: 0,
  })

async function readAddress(path: string, language: ContentLanguage | undefined) {
  const found = { language: language?.name, slug: '' }
  if (path === '') return { ...found, ...(await client.site.get({ language: language?.code, select: ['url'] })) }
  return {
    ...found,
    ...(await client.pages.get({ id: toId(path), language: language?.code, select: ['slug', 'url'] })),
  }
}

/** The addresses of a page; undefined while they are read. */
export function useAddresses(page: Pick<PageModel, 'id'>): AddressChange[] | undefined {
  const { all } = useContentLanguage()
  const { data } = useQuery(addressesQuery(page.id, all))
  return data?.map(({ language, url }) => ({ language, before: url, after: undefined }))
}

/** The addresses of a page before and after it is moved into another one, or to the top level (`''`). */
export function useMovedAddresses(page: Pick<PageModel, 'id'>, parent: string): AddressChange[] | undefined {
  const { all } = useContentLanguage()
  const { data: own } = useQuery(addressesQuery(page.id, all))
  const { data: into } = useQuery(addressesQuery(parent, all))
  if (!own || own.length !== into?.length) return undefined
  return own.map(({ language, url, slug }, index) => ({
    language,
    before: url,
    after: `${below(into[index]!)}/${slug}`,
  }))
}

/** The addresses of a page, and those of the one that takes its place. */
export function useReplacedAddresses(page: Pick<PageModel, 'id'>, by: string): AddressChange[] | undefined {
  const { all } = useContentLanguage()
  const { data: own } = useQuery(addressesQuery(page.id, all))
  const { data: other } = useQuery({ ...addressesQuery(by, all), enabled: by !== '' })
  return own?.map(({ language, url }, index) => ({
    language,
    before: url,
    after: by === '' ? undefined : other?.[index]?.url,
  }))
}

/** The address of a page without the slug of its own at the end, such as that of the home page, has it in those below. */
function below({ url, slug }: { url: string; slug: string }): string {
  const base = url.replace(/\/+$/, '')
  return slug === '' || decodeURI(base).endsWith(`/${slug}`) ? base : `${base}/${slug}`
}

/** The address of a page with another slug; undefined if the slug is not part of it. */
export function withSlug({ url, slug }: Pick<PageModel, 'url' | 'slug'>, next: string): string | undefined {
  const decoded = decodeURI(url)
  return decoded.endsWith(`/${slug}`) ? `${decoded.slice(0, -slug.length)}${next}` : undefined
}

/** The path of the URL above the slug; undefined if the slug is not part of the URL. */
export function pathAboveSlug(page: Pick<PageModel, 'url' | 'slug'>): string | undefined {
  const above = withSlug(page, '')
  return above === undefined ? undefined : decodeURI(new URL(above).pathname).replace(/\/$/, '')
}

/** Addresses without what all of them have in common: paths, or domains and paths. */
export function addressShortener(urls: readonly string[]): (url: string) => string {
  const parsed = urls.map(url => new URL(url))
  const isOneDomain = new Set(parsed.map(({ origin }) => origin)).size < 2
  return url => {
    const { host, pathname } = new URL(url)
    return decodeURI(isOneDomain ? pathname : host + pathname)
  }
}
