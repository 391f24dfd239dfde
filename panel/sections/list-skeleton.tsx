import { Skeleton } from '../ui/skeleton.tsx'

/** A list that is on its way, as high as a short one. */
export function ListSkeleton() {
  return (
    <div className="rounded-lg border bg-surface p-4">
      <Skeleton className="h-6" lines={4} />
    </div>
  )
}
