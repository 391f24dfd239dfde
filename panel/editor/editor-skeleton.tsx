import { Skeleton } from '../ui/skeleton.tsx'

/** Placeholder while a screen loads. */
export function EditorSkeleton() {
  return (
    <div className="flex flex-col gap-8">
      <Skeleton className="h-8 w-64" />
      <Skeleton className="h-40" lines={2} />
    </div>
  )
}
