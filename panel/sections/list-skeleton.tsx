import { Skeleton } from '../ui/skeleton.tsx'

/** Placeholder while a list loads, as high as a short list. */
export function ListSkeleton() {
  return (
    <div className="rounded-lg border bg-surface p-4">
      <Skeleton className="h-6" lines={4} />
    </div>
  )
}
