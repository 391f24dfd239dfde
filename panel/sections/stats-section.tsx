import { cloneElement } from 'react'
import { iconOf } from '../app/icons.ts'
import type { ContentResource, SectionOf } from '../editor/content-resource.ts'
import { cx } from '../ui/cx.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { linkTo } from './link.tsx'
import { toneOf } from './tone.ts'
import { useSection } from './use-section.ts'

type Report = SectionOf<'stats'>['reports'][number]

const marks = { neutral: 'text-muted', info: 'text-info', good: 'text-good', warn: 'text-warn', danger: 'text-danger' }

/** The figures of a `stats` section. */
export function StatsSection({ resource, name }: { resource: ContentResource; name: string }) {
  const { data } = useSection(resource, name, 'stats')
  if (!data) return <Skeleton className="h-20" />
  return (
    <section aria-label={data.label ?? data.headline}>
      {data.label && <h2 className="mb-2 font-semibold">{data.label}</h2>}
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(8.5rem,1fr))] gap-3">
        {data.reports.map((report, index) => (
          <ReportCard key={index} report={report} large={['large', 'huge'].includes(data.size)} />
        ))}
      </dl>
    </section>
  )
}

function ReportCard({ report, large }: { report: Report; large: boolean }) {
  const { label, value, info, icon, link, theme } = report
  const Icon = iconOf(icon)
  const to = link ? linkTo(link) : undefined
  const tone = marks[toneOf(theme)]
  return (
    <div className={cx('relative min-w-0 rounded-lg border bg-surface px-4 py-3', to && 'hover:border-edge')}>
      <dt className="flex items-center gap-2 text-sm text-muted">
        {Icon && <Icon aria-hidden="true" />}
        {to ? cloneElement(to, { className: 'min-w-0 truncate after:absolute after:inset-0', children: label }) : label}
      </dt>
      <dd className={cx('mt-1 font-semibold wrap-anywhere', large ? 'text-2xl' : 'text-lg')}>{value}</dd>
      {info && <dd className={cx('text-sm', tone)}>{info}</dd>}
    </div>
  )
}
