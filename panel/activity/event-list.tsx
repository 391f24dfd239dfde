import { cloneElement } from 'react'
import { linkTo } from '../sections/link.tsx'
import { formatDate, t } from '../texts/texts.ts'
import { Avatar } from '../ui/avatar.tsx'
import { cx } from '../ui/cx.ts'
import { sentence, type SiteEvent, titleMark, eventTitle } from './events.ts'

/** Events, the newest first, under the day on which they happened. */
export function EventList({ events }: { events: readonly SiteEvent[] }) {
  const days = Map.groupBy(events, ({ time }) => formatDate(time, { dateStyle: 'full' }))
  return [...days].map(([day, eventsOfDay]) => (
    <section key={day} aria-label={day} className="border-b last:border-0">
      <h2 className="px-4 pt-4 pb-1 text-sm font-semibold text-muted">{day}</h2>
      <ol className="pb-2">
        {eventsOfDay.map(event => (
          <Entry key={event.id} event={event} />
        ))}
      </ol>
    </section>
  ))
}

function Entry({ event }: { event: SiteEvent }) {
  const { user, time, detail } = event
  const { oldPath, path, fields, expires } = detail
  const more =
    typeof oldPath === 'string'
      ? t('activity.path', { from: oldPath, to: String(path) })
      : Array.isArray(fields) && fields.length > 0
        ? t('activity.fields', { names: fields.join(', ') })
        : typeof expires === 'string'
          ? t('activity.expires', { time: formatDate(expires) })
          : undefined
  return (
    <li className={cx('flex gap-3 px-4 py-2', more === undefined ? 'items-center' : 'items-start')}>
      <Avatar name={user?.username || t('activity.someone')} url={user?.avatar} />
      <div className="min-w-0 flex-1 wrap-anywhere">
        <p>
          <Sentence event={event} />
        </p>
        {more !== undefined && <p className="text-sm text-muted">{more}</p>}
      </div>
      <time dateTime={time} title={formatDate(time)} className="text-sm whitespace-nowrap text-muted tabular-nums">
        {formatDate(time, { timeStyle: 'short' })}
      </time>
    </li>
  )
}

function Sentence({ event }: { event: SiteEvent }) {
  const [before, after] = sentence(event).split(titleMark)
  if (after === undefined) return before
  const link = event.link === null ? undefined : linkTo(event.link)
  const title = eventTitle(event)
  return (
    <>
      {before}
      {link ? (
        cloneElement(link, { className: 'font-medium text-accent hover:underline' }, title)
      ) : (
        <b className="font-medium">{title}</b>
      )}
      {after}
    </>
  )
}
