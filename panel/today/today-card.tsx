import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { SectionFailed } from '../sections/section-failed.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import type { Icon } from '../ui/icon.ts'
import { Skeleton } from '../ui/skeleton.tsx'

interface Props<Data> {
  title: string
  icon: Icon
  /** Shown if there is nothing: what will be here. */
  empty: string
  query: Pick<UseQueryResult<readonly Data[]>, 'data' | 'error'>
  actions?: ReactNode
  children: (items: readonly Data[]) => ReactNode
}

/** A part of the start screen. Each loads, fails and is empty on its own. */
export function TodayCard<Data>({ title, icon, empty, query: { data, error }, actions, children }: Props<Data>) {
  return (
    <Card flush title={title} actions={actions}>
      {error ? (
        <SectionFailed error={error} />
      ) : !data ? (
        <div className="p-4">
          <Skeleton className="h-6" lines={3} />
        </div>
      ) : data.length === 0 ? (
        <EmptyState small icon={icon} text={empty} />
      ) : (
        children(data)
      )}
    </Card>
  )
}
