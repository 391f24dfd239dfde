import { Select } from '../ui/select.tsx'
import { type FieldProps, textIn } from './field.ts'
import { choicesOf } from './options.ts'

export function SelectField({ field, value, onChange, disabled }: FieldProps<string>) {
  return (
    <Select
      value={value || null}
      onChange={chosen => onChange(chosen ?? '')}
      options={choicesOf(field, value)}
      placeholder={textIn(field.placeholder)}
      empty={!field.required}
      disabled={disabled}
    />
  )
}
