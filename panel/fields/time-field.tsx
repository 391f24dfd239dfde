import { X } from 'lucide-react'
import { t } from '../texts/texts.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { TimeInput } from '../ui/time-input.tsx'
import { type FieldProps, isMap, numberIn, textIn, type Values } from './field.ts'

/** A time as the API stores it: `HH:mm:ss`. */
export function TimeField({ field, value, onChange, disabled }: FieldProps<string>) {
  const step = secondsIn(isMap(field['step']) ? field['step'] : undefined)
  const showsSeconds = step < 60

  return (
    <div className="flex gap-2">
      <TimeInput
        value={(value ?? '').slice(0, showsSeconds ? 8 : 5)}
        onChange={next => onChange(next === '' ? '' : `${next}:00`.slice(0, 8))}
        step={step}
        {...notationIn(field)}
        disabled={disabled}
        className="max-w-48"
      />
      {(value ?? '') !== '' && !field.required && !disabled && (
        <IconButton icon={X} label={t('fields.clear')} onClick={() => onChange('')} />
      )}
    </div>
  )
}

/**
 * The display format of a field. Undefined for the API's default (`defaultDisplay`), so that the format follows the language of
 * the panel.
 */
export function displayIn({ display }: Values, defaultDisplay: string): string | undefined {
  return display === defaultDisplay ? undefined : textIn(display)
}

export function notationIn(field: Values): { display: string | undefined; notation: 12 | 24 } {
  return { display: displayIn(field, 'HH:mm'), notation: field['notation'] === 12 ? 12 : 24 }
}

const seconds: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3600 }

export function secondsIn(step: Values | undefined): number {
  const size = numberIn(step?.['size']) ?? 5
  return size * (seconds[textIn(step?.['unit']) ?? 'minute'] ?? 60)
}
