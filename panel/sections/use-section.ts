import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { useDebounced } from '../app/use-debounced.ts'
import type { SectionQuery, ShownSection, ContentResource } from '../editor/content-resource.ts'

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
  const { page = 1, searchterm = '' } = query
  return useQuery({
    queryKey: sectionKey(resource, name, page, searchterm),
    queryFn: () => resource.section(name, { page, ...(searchterm !== '' && { searchterm }) }) as Promise<Shown>,
    placeholderData: keepPreviousData,
  })
}

/** A paginated and searchable list section. */
export function useListed<Shown extends ShownSection>(resource: ContentResource, name: string) {
  const [page, setPage] = useState(1)
  const [words, setWords] = useState('')
  const settled = useDebounced(useDeferredValue(words).trim(), 200)
  const query = useSection<Shown>(resource, name, { page, searchterm: settled })
  return {
    ...query,
    key: sectionKey(resource, name, page, settled),
    page,
    setPage,
    words,
    setWords: (next: string) => {
      setWords(next)
      setPage(1)
    },
  }
}
