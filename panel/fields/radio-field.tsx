import { RadioGroup } from '../ui/radio-group.tsx'
import { type FieldProps, numberIn } from './field.ts'
import { choicesOf } from './options.ts'

export function RadioField({ field, value, onChange, disabled }: FieldProps<string>) {
  return (
    <RadioGroup
      value={value || null}
      onChange={onChange}
      options={choicesOf(field)}
      columns={numberIn(field['columns'])}
      disabled={disabled}
    />
  )
}
