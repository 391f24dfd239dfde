import { infiniteQueryOptions, keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type NextOffset, readWholePage } from '../app/read-whole.ts'
import type { Pagination } from '../editor/content-resource.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { ErrorNotice } from './error-notice.tsx'

interface Paging extends NextOffset {
  page: number
  limit: number
}

interface ListPage<Item> {
  data: Item[]
  pagination: Pagination
}

/** Options of an infinite query for a paginated list. */
export const paginatedQuery = <Item,>(
  queryKey: QueryKey,
  limit: number,
  read: (paging: Paging) => Promise<ListPage<Item>>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: async ({ pageParam: page }) => {
      const { data, pagination } = await readWholePage(from => read({ page, limit, ...from }))
      return { items: data, total: pagination.total }
    },
    initialPageParam: 1,
    getNextPageParam: ({ total }, parts) => (parts.length * limit < total ? parts.length + 1 : undefined),
  })

/** The items loaded so far. With `keep`, the previous items stay until those of a new search are loaded. */
export function usePaginated<Item>(
  query: ReturnType<typeof paginatedQuery<Item>>,
  { keep = false }: { keep?: boolean } = {},
) {
  const { data, ...rest } = useInfiniteQuery({ ...query, ...(keep && { placeholderData: keepPreviousData }) })
  return { ...rest, items: data?.pages.flatMap(({ items }) => items), total: data?.pages.at(-1)?.total }
}

interface Props<Item> {
  query: {
    items: readonly Item[] | undefined
    error: unknown
    hasNextPage: boolean
    isFetchingNextPage: boolean
    refetch: () => Promise<unknown>
    fetchNextPage: () => Promise<unknown>
  }
  /** Shown until the first batch is loaded; by default grey lines. */
  loading?: ReactNode
  empty: ReactNode
  children: (items: readonly Item[]) => ReactNode
}

/** A list with its loading, error and empty states, and a button to load more. */
export function PaginatedList<Item>({ query, loading = <Lines />, empty, children }: Props<Item>) {
  const { items, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!items) return <>{loading}</>
  if (items.length === 0) return <>{empty}</>
  return (
    <>
      {children(items)}
      {hasNextPage && (
        <div className="flex justify-center p-3">
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('app.more')}
          </Button>
        </div>
      )}
    </>
  )
}

function Lines() {
  return (
    <div className="p-4">
      <Skeleton lines={6} className="h-9 w-full" />
    </div>
  )
}
