import { queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { fileInfo } from '../files/browser.tsx'
import { toId } from '../pages/id.ts'
import type { Item } from '../sections/item.ts'
import { paginatedQuery } from '../system/paginated-list.tsx'
import { type LibraryFilter, libraryPeriods, sitePlace } from './filter.ts'

const pageSize = 60

const select = {
  dimensions: '', filename: '', id: '', link: '', modified: '', panelImage: '', size: '', url: '', uuid: '',
  parent: ['id', 'kind', 'title', 'uuid'],
} as const // prettier-ignore

const readFiles = (filter: LibraryFilter, paging: { page: number; limit: number }, language: string | undefined) =>
  client.site.library.list({ ...paging, ...queryOf(filter), select, ...(language !== undefined && { language }) })

/** A file in the list. */
export type LibraryFile = Awaited<ReturnType<typeof readFiles>>['data'][number]

export const libraryQuery = (filter: LibraryFilter, language: string | undefined) =>
  paginatedQuery<LibraryFile>(keys.files('library', filter, language), pageSize, paging =>
    readFiles(filter, paging, language),
  )

function queryOf({ q, type, place, below, used, described, since, sort }: LibraryFilter) {
  return {
    ...(q !== undefined && { q }),
    ...(type && { type }),
    ...(place !== undefined && { parent: place }),
    ...(below && place !== sitePlace && { below: 'true' as const }),
    ...(used && { used }),
    ...(described && { described }),
    ...(since && { from: startOf(libraryPeriods[since]) }),
    ...(sort && { sortBy: sort }),
  }
}

/** Midnight so many days ago: the same all day, so that the list is read once. */
function startOf(days: number): string {
  const start = new Date()
  start.setHours(0, 0, 0, 0)
  start.setDate(start.getDate() - days + 1)
  return start.toISOString()
}

export interface LibraryItem extends Item {
  file: LibraryFile
}

/** A file as lists show it, with the page it belongs to. */
export function itemOf(file: LibraryFile, site: string): LibraryItem {
  const { uuid, filename, link, panelImage, parent } = file
  const place = parent.kind === 'site' ? site : parent.title
  return {
    id: uuid,
    text: filename,
    info: `${place} · ${fileInfo(file)}`,
    link,
    image: panelImage,
    file,
  }
}

/** The title of a page that the list is limited to. */
export const placeQuery = (place: string | undefined, language: string | undefined) =>
  queryOptions({
    queryKey: keys.page(toId(place ?? ''), 'title', language),
    queryFn: async () => (await client.pages.get({ id: toId(place!), select: ['title'] })).title,
    enabled: place !== undefined && place !== sitePlace,
  })
