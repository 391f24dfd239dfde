import { iconOf } from '../app/icons.ts'
import type { Option } from '../ui/option.ts'
import { type FieldDefinition, type FieldOption, optionsIn } from './field.ts'

/** The options of a field for the controls. If the field accepts any value, the stored value is added as an option. */
export function choicesOf(field: FieldDefinition, stored = ''): Option[] {
  const options = optionsIn(field)
  const isOther = field['accept'] === 'all' && stored !== '' && !options.some(({ value }) => value === stored)
  return [...options, ...(isOther ? [{ value: stored, text: stored }] : [])].map(
    ({ value, text, info, icon, disabled }: FieldOption) => ({
      value,
      text: text || value,
      info: info ?? undefined,
      icon: iconOf(icon),
      disabled: disabled === true,
    }),
  )
}
