import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { useDebounced } from '../app/use-debounced.ts'
import type { ContentResource, SectionOf, SectionQuery, SectionType, ShownSection } from '../editor/content-resource.ts'
import { isListFiltered, type ListView } from './list-view.ts'

export const sectionKey = (resource: ContentResource, name: string, ...rest: unknown[]) => [
  'sections',
  resource.key,
  name,
  ...rest,
]

export function useSection<Type extends SectionType>(
  resource: ContentResource,
  name: string,
  type: Type,
  query: SectionQuery = {},
) {
  const { page = 1, searchterm = '', ...filter } = query
  return useQuery({
    queryKey: listKey(resource, name, query),
    queryFn: () => resource.section(name, { page, ...(searchterm !== '' && { searchterm }), ...filter }),
    // Undefined until the blueprint is read again, if the section has another type by now.
    select: section => (isOfType(section, type) ? section : undefined),
    placeholderData: keepPreviousData,
  })
}

const isOfType = <Type extends SectionType>(section: ShownSection, type: Type): section is SectionOf<Type> =>
  section.type === type

function listKey(resource: ContentResource, name: string, { page = 1, searchterm = '', ...filter }: SectionQuery) {
  return sectionKey(resource, name, page, searchterm, ...(isListFiltered(filter) ? [filter] : []))
}

/** A paginated and searchable list section. `start` is what it shows first. */
export function useListed<Type extends 'files' | 'pages'>(
  resource: ContentResource,
  name: string,
  type: Type,
  start: ListView = {},
) {
  const [page, setPage] = useState(1)
  const [{ searchTerm = '', ...filter }, setView] = useState(start)
  const settled = useDebounced(useDeferredValue(searchTerm).trim(), 200)
  const sectionQuery = { page, searchterm: settled, ...filter }
  const query = useSection(resource, name, type, sectionQuery)
  const show = (next: ListView) => {
    setView(next)
    setPage(1)
  }
  return {
    ...query,
    key: listKey(resource, name, sectionQuery),
    page,
    setPage,
    searchTerm,
    setSearchTerm: (next: string) => show({ ...filter, searchTerm: next }),
    /** The filters and the search term of what is shown, or will be in a moment. */
    view: { ...filter, ...(settled !== '' && { searchTerm: settled }) } satisfies ListView,
    show,
  }
}
