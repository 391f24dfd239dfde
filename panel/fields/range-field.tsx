import { X } from 'lucide-react'
import { t } from '../texts/texts.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { RangeInput } from '../ui/range-input.tsx'
import { type FieldProps, isMap, numberIn, textIn } from './field.ts'

export function RangeField({ field, value = '', onChange, disabled }: FieldProps<number | ''>) {
  const min = numberIn(field.min) ?? 0
  const max = numberIn(field.max) ?? 100
  const tooltip = field['tooltip']
  const around = isMap(tooltip) ? tooltip : {}
  const parts = [textIn(around['before']), value === '' ? '–' : String(value), textIn(around['after'])]

  return (
    <div className="flex items-center gap-1">
      <div className="min-w-0 flex-1">
        <RangeInput
          value={value === '' ? (numberIn(field.default) ?? min) : value}
          onChange={onChange}
          min={min}
          max={max}
          step={numberIn(field['step']) ?? 1}
          disabled={disabled}
          text={parts.filter(part => part !== undefined).join(' ')}
          hideText={tooltip === false}
        />
      </div>
      {value !== '' && !field.required && !disabled && (
        <IconButton size="small" icon={X} label={t('fields.clear')} onClick={() => onChange('')} />
      )}
    </div>
  )
}
