import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Clock } from 'lucide-react'
import { client } from '../../app/client.ts'
import { formatDate, formatZone, t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { DateInput } from '../../ui/date-input.tsx'
import { today } from '../../ui/dates.ts'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TimeInput } from '../../ui/time-input.tsx'
import { pageIdOf, type PageModel } from '../page.ts'
import { refreshPages } from '../page-query.ts'
import { toastScheduleRemoved, scheduleText, statusLabel } from '../publish.ts'

export interface DateAndTime {
  date: string
  time: string
}

/** In the time zone of the browser. Undefined if the time is invalid. */
function toDate({ date, time }: DateAndTime): Date | undefined {
  const moment = new Date(`${date}T${time}`)
  return Number.isNaN(moment.getTime()) ? undefined : moment
}

const isPast = (moment: Date) => moment.getTime() <= Date.now()

/** Undefined if the time is invalid or in the past. */
export function toFutureDate(value: DateAndTime): Date | undefined {
  const moment = toDate(value)
  return moment && !isPast(moment) ? moment : undefined
}

interface Props {
  value: DateAndTime | undefined
  onChange: (value: DateAndTime | undefined) => void
  error?: string | undefined
}

export function DateAndTimeField({ value, onChange, error }: Props) {
  const moment = value && toDate(value)
  return (
    <div className="flex flex-col gap-3">
      <Checkbox
        label={t('pages.schedule.later')}
        value={value !== undefined}
        onChange={isLater => onChange(isLater ? { date: '', time: '09:00' } : undefined)}
      />
      {value && (
        <Field
          group
          label={t('pages.schedule.when')}
          error={moment && isPast(moment) ? t('pages.schedule.past') : error}
          help={t('pages.schedule.zone', { zone: formatZone(moment ?? new Date()) })}
        >
          <div className="flex flex-wrap gap-2">
            <DateInput
              aria-label={t('pages.schedule.date')}
              value={value.date}
              min={today()}
              outside={t('pages.schedule.past.days')}
              onChange={date => onChange({ ...value, date })}
              className="w-44"
            />
            <TimeInput
              aria-label={t('pages.schedule.time')}
              value={value.time}
              onChange={time => onChange({ ...value, time })}
              className="w-36"
            />
          </div>
        </Field>
      )}
    </div>
  )
}

/** The scheduled change, or why it failed. */
export function ScheduleNotice({ page }: { page: PageModel }) {
  const queryClient = useQueryClient()
  const forget = useMutation({
    mutationFn: () => client.pages.schedule.delete({ id: pageIdOf(page) }),
    onSuccess: async () => {
      if (page.schedule) toastScheduleRemoved(page, page.schedule)
      await refreshPages(queryClient)
    },
  })
  const { schedule } = page
  if (!schedule) return null
  const time = formatDate(schedule.at)
  return (
    <Notice
      tone={schedule.problem === null ? 'info' : 'warn'}
      icon={Clock}
      title={t(schedule.problem === null ? 'pages.schedule.for' : 'pages.schedule.missed', { time })}
      action={
        <Button size="small" busy={forget.isPending} onClick={() => forget.mutate()}>
          {t('pages.schedule.forget')}
        </Button>
      }
    >
      {schedule.problem === null
        ? scheduleText(page, schedule)
        : t('pages.schedule.failed', { status: statusLabel(page, schedule.status), time })}
    </Notice>
  )
}
