import { t } from '../texts/texts.ts'
import { Switch } from '../ui/switch.tsx'
import { type FieldProps, textIn, textsIn } from './field.ts'

export function ToggleField({ field, value, onChange, disabled }: FieldProps<boolean>) {
  const [off, on] = textsIn(field['text'])
  const isOn = value === true
  const text = textIn(field['text']) ?? (isOn ? on || t('fields.on') : off || t('fields.off'))

  return <Switch value={isOn} onChange={onChange} label={text} disabled={disabled} />
}
