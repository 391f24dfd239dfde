import { iconOf } from '../app/icons.ts'
import type { Option } from '../ui/option.ts'
import { type FieldDefinition, optionsIn } from './field.ts'

/** The options of a field as the controls take them. */
export function choicesOf(field: FieldDefinition): Option[] {
  return optionsIn(field).map(({ value, text, info, icon, disabled }) => ({
    value,
    text: text || value,
    info: info ?? undefined,
    icon: iconOf(icon),
    disabled: disabled === true,
  }))
}
