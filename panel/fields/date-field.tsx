import { X } from 'lucide-react'
import { useId } from 'react'
import { t } from '../texts/texts.ts'
import { DateInput } from '../ui/date-input.tsx'
import { today } from '../ui/dates.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { TimeInput } from '../ui/time-input.tsx'
import { type FieldProps, isMap, textIn } from './field.ts'
import { displayIn, notationIn, secondsIn } from './time-field.tsx'

/** A date as the API stores it, `YYYY-MM-DD HH:mm:ss`, with or without an input for the time. */
export function DateField({ field, value, onChange, disabled }: FieldProps<string>) {
  const timeId = useId()
  const [date = '', time = ''] = (value ?? '').split(' ')
  const asksTime = field['time'] !== false && field['time'] !== undefined && field['time'] !== null

  const change = (nextDate: string, nextTime: string) =>
    onChange(nextDate === '' ? '' : `${nextDate} ${(nextTime || '00:00').slice(0, 5)}:${nextTime.slice(6, 8) || '00'}`)

  return (
    <div className="flex flex-wrap gap-2">
      <DateInput
        value={date}
        onChange={next => change(next, time)}
        min={limit(field.min)}
        max={limit(field.max)}
        display={displayIn(field, 'YYYY-MM-DD')}
        calendar={field['calendar'] !== false}
        disabled={disabled}
        className="min-w-36 flex-1"
      />
      {asksTime && (
        <TimeInput
          aria-label={t('fields.time')}
          // The label of the field is connected to the date input.
          id={timeId}
          value={time.slice(0, 5)}
          onChange={next => change(date || today(), next)}
          step={Math.max(60, secondsIn(isMap(field['step']) ? field['step'] : undefined))}
          {...notationIn(isMap(field['time']) ? field['time'] : {})}
          disabled={disabled}
          className="min-w-28 flex-1"
        />
      )}
      {date !== '' && !field.required && !disabled && (
        <IconButton icon={X} label={t('fields.clear')} onClick={() => onChange('')} />
      )}
    </div>
  )
}

const limit = (setting: unknown) => textIn(setting)?.slice(0, 10)
