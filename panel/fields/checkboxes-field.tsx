import { t } from '../texts/texts.ts'
import { Checkbox } from '../ui/checkbox.tsx'
import { type FieldProps, numberIn, textsIn } from './field.ts'
import { choicesOf } from './options.ts'

export function CheckboxesField({ field, value, onChange, disabled }: FieldProps<readonly string[]>) {
  const chosen = textsIn(value)
  const options = choicesOf(field)
  const max = numberIn(field.max)
  const full = max !== undefined && chosen.length >= max

  // In the order of the options, not in the order of the clicks.
  const set = (option: string, on: boolean) =>
    onChange(options.map(({ value: name }) => name).filter(name => (name === option ? on : chosen.includes(name))))

  return (
    <div className="flex flex-col gap-1.5">
      {field['batch'] === true && options.length > 1 && (
        <Checkbox
          label={t('fields.all')}
          value={chosen.length === options.length}
          indeterminate={chosen.length > 0 && chosen.length < options.length}
          onChange={on => onChange(on ? options.map(option => option.value) : [])}
          disabled={disabled}
          required={false}
        />
      )}
      <div
        className="grid gap-x-4 gap-y-1.5 max-sm:grid-cols-1!"
        style={{ gridTemplateColumns: `repeat(${numberIn(field['columns']) ?? 1}, minmax(0, 1fr))` }}
      >
        {options.map(option => {
          const on = chosen.includes(option.value)

          return (
            <Checkbox
              key={option.value}
              label={option.text}
              info={option.info}
              value={on}
              onChange={next => set(option.value, next)}
              disabled={disabled || option.disabled || (full && !on)}
              required={false}
            />
          )
        })}
      </div>
    </div>
  )
}
