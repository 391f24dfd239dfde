import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { useDebounced } from '../app/use-debounced.ts'
import type { SectionQuery, ShownSection, ContentResource } from '../editor/content-resource.ts'
import { isFiltered, type ListView } from './list-view.ts'

export const sectionKey = (resource: ContentResource, name: string, ...rest: unknown[]) => [
  'sections',
  resource.key,
  name,
  ...rest,
]

export function useSection<Shown extends ShownSection>(
  resource: ContentResource,
  name: string,
  query: SectionQuery = {},
) {
  const { page = 1, searchterm = '', ...filter } = query
  return useQuery({
    queryKey: listKey(resource, name, query),
    queryFn: () =>
      resource.section(name, { page, ...(searchterm !== '' && { searchterm }), ...filter }) as Promise<Shown>,
    placeholderData: keepPreviousData,
  })
}

function listKey(resource: ContentResource, name: string, { page = 1, searchterm = '', ...filter }: SectionQuery) {
  return sectionKey(resource, name, page, searchterm, ...(isFiltered(filter) ? [filter] : []))
}

/** A paginated and searchable list section. `start` is what it shows first. */
export function useListed<Shown extends ShownSection>(resource: ContentResource, name: string, start: ListView = {}) {
  const [page, setPage] = useState(1)
  const [{ words = '', ...filter }, setView] = useState(start)
  const settled = useDebounced(useDeferredValue(words).trim(), 200)
  const shown = { page, searchterm: settled, ...filter }
  const query = useSection<Shown>(resource, name, shown)
  const show = (next: ListView) => {
    setView(next)
    setPage(1)
  }
  return {
    ...query,
    key: listKey(resource, name, shown),
    page,
    setPage,
    words,
    setWords: (next: string) => show({ ...filter, words: next }),
    /** The filters and search words of what is shown, or will be in a moment. */
    view: { ...filter, ...(settled !== '' && { words: settled }) } satisfies ListView,
    show,
  }
}
