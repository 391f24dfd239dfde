import { Toggles } from '../ui/toggles.tsx'
import type { FieldProps } from './field.ts'
import { choicesOf } from './options.ts'

export function TogglesField({ field, value, onChange, disabled }: FieldProps<string>) {
  const options = choicesOf(field)

  return (
    <Toggles
      value={value || null}
      onChange={chosen => onChange(chosen ?? '')}
      options={options}
      grow={field['grow'] !== false}
      // Labels can be hidden only if every option has an icon.
      labels={field['labels'] !== false || options.some(option => !option.icon)}
      reset={field['reset'] !== false && !field.required}
      disabled={disabled}
    />
  )
}
