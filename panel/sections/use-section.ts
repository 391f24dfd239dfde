import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useState } from 'react'
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
  const settled = useDebounced(useDeferredValue(words).trim())
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

function useDebounced(value: string, after = 200): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), value === '' ? 0 : after)
    return () => clearTimeout(timer)
  }, [value, after])
  return settled
}
