import { infiniteQueryOptions, keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Trouble } from './trouble.tsx'

interface Paging {
  page: number
  limit: number
}

/** As the API answers; what is in it says whoever asks. */
interface Answered {
  data: readonly unknown[]
  pagination: { total: number }
}

/** A long list that is read in parts, one after the other. */
export const inParts = <Item,>(queryKey: QueryKey, limit: number, read: (paging: Paging) => Promise<Answered>) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: async ({ pageParam: page }) => {
      const { data, pagination } = await read({ page, limit })
      return { items: data as readonly Item[], total: pagination.total }
    },
    initialPageParam: 1,
    getNextPageParam: ({ total }, parts) => (parts.length * limit < total ? parts.length + 1 : undefined),
  })

/** What is known of it so far. With `keep` what was found last stays until other words have found something. */
export function useParts<Item>(query: ReturnType<typeof inParts<Item>>, { keep = false }: { keep?: boolean } = {}) {
  const { data, ...rest } = useInfiniteQuery({ ...query, ...(keep && { placeholderData: keepPreviousData }) })
  return { ...rest, items: data?.pages.flatMap(({ items }) => items), total: data?.pages.at(-1)?.total }
}

interface Props<Item> {
  of: Pick<
    ReturnType<typeof useParts<Item>>,
    'items' | 'error' | 'refetch' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
  >
  /** Stands there until the first part has come. */
  waiting: ReactNode
  empty: ReactNode
  children: (items: readonly Item[]) => ReactNode
}

/** The list in each of its states, with the way to more of it. */
export function Parts<Item>({ of, waiting, empty, children }: Props<Item>) {
  const { items, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = of
  if (error) return <Trouble error={error} onRetry={() => void refetch()} />
  if (!items) return <>{waiting}</>
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
