import { Combobox } from '../ui/combobox.tsx'
import { type FieldProps, numberIn, textIn, textsIn } from './field.ts'
import { choicesOf } from './options.ts'

export function MultiselectField({ field, value, onChange, disabled }: FieldProps<readonly string[]>) {
  const options = choicesOf(field)
  const max = numberIn(field.max)

  return (
    <Combobox
      multiple
      value={textsIn(value)}
      onChange={chosen => {
        if (max !== undefined && chosen.length > max) return
        onChange(field['sort'] === true ? sorted(chosen, options) : chosen)
      }}
      options={options}
      placeholder={textIn(field.placeholder)}
      disabled={disabled}
    />
  )
}

function sorted(chosen: readonly string[], options: readonly { value: string; text: string }[]): string[] {
  const textOf = (value: string) => options.find(option => option.value === value)?.text ?? value
  return chosen.toSorted((a, b) => textOf(a).localeCompare(textOf(b)))
}
