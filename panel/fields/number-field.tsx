import { useState } from 'react'
import { iconOf } from '../app/icons.ts'
import { Input } from '../ui/input.tsx'
import { type FieldProps, numberIn, textIn } from './field.ts'

/** Incomplete input (`1.`, `-`) stays in the control; only valid numbers are passed on. */
export function NumberField({ field, value = '', onChange, disabled }: FieldProps<number | ''>) {
  const [typed, setTyped] = useState(String(value))
  const shownText = numberOf(typed) === value ? typed : String(value)

  return (
    <Input
      type="number"
      inputMode="decimal"
      value={shownText}
      onChange={text => {
        setTyped(text)
        onChange(numberOf(text))
      }}
      min={numberIn(field.min)}
      max={numberIn(field.max)}
      step={numberIn(field['step']) ?? 'any'}
      disabled={disabled}
      placeholder={textIn(field.placeholder)}
      before={field.before}
      after={field.after}
      icon={iconOf(field.icon)}
    />
  )
}

function numberOf(text: string): number | '' {
  const number = Number.parseFloat(text.replace(',', '.'))
  return Number.isFinite(number) ? number : ''
}
