import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Clock } from 'lucide-react'
import { client } from '../../app/client.ts'
import { formatDate, t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { DateInput } from '../../ui/date-input.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TimeInput } from '../../ui/time-input.tsx'
import { idOf, type PageModel } from '../page.ts'
import { refreshPages } from '../page-query.ts'
import { statusName } from '../status-mark.tsx'

export interface DateAndTime {
  date: string
  time: string
}

/** In the time zone of the browser. Undefined if the time is invalid or in the past. */
export function toFutureDate({ date, time }: DateAndTime): Date | undefined {
  const moment = new Date(`${date}T${time}`)
  return Number.isNaN(moment.getTime()) || moment.getTime() <= Date.now() ? undefined : moment
}

interface Props {
  value: DateAndTime | undefined
  onChange: (value: DateAndTime | undefined) => void
  error?: string | undefined
}

export function DateAndTimeField({ value, onChange, error }: Props) {
  return (
    <div className="flex flex-col gap-3">
      <Checkbox
        label={t('pages.schedule.later')}
        value={value !== undefined}
        onChange={isLater => onChange(isLater ? { date: '', time: '09:00' } : undefined)}
      />
      {value && (
        <Field group label={t('pages.schedule.when')} error={error} help={t('pages.schedule.help')}>
          <div className="flex flex-wrap gap-2">
            <DateInput
              aria-label={t('pages.schedule.date')}
              value={value.date}
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
    mutationFn: () => client.pages.schedule.delete({ id: idOf(page) }),
    onSuccess: () => refreshPages(queryClient),
  })
  const { schedule, blueprint } = page
  if (!schedule) return null
  const status = blueprint.status?.[schedule.status]?.label ?? statusName(schedule.status)
  const data = { status, time: formatDate(schedule.at) }
  return (
    <Notice
      tone={schedule.problem === null ? 'info' : 'warn'}
      icon={Clock}
      action={
        <Button size="small" busy={forget.isPending} onClick={() => forget.mutate()}>
          {t('pages.schedule.forget')}
        </Button>
      }
    >
      {schedule.problem !== null
        ? t('pages.schedule.failed', data)
        : t(schedule.publishChanges ? 'pages.schedule.plannedWithChanges' : 'pages.schedule.planned', data)}
    </Notice>
  )
}
