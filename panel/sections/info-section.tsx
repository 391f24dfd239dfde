import { Info } from 'lucide-react'
import { iconOf } from '../app/icons.ts'
import type { ContentResource } from '../editor/content-resource.ts'
import { Html } from '../fields/html.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { toneOf } from './tone.ts'
import { useSection } from './use-section.ts'

export function InfoSection({ resource, name }: { resource: ContentResource; name: string }) {
  const { data } = useSection(resource, name, 'info')
  if (!data) return <Skeleton className="h-12" />
  return (
    <Notice tone={toneOf(data.theme)} title={data.label} icon={data.icon ? (iconOf(data.icon) ?? Info) : undefined}>
      {data.text && (
        <div className="rich">
          <Html value={data.text} />
        </div>
      )}
    </Notice>
  )
}
