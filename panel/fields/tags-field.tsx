import { TagInput } from '../ui/tag-input.tsx'
import { type FieldProps, numberIn, textIn, textsIn } from './field.ts'
import { choicesOf } from './options.ts'

export function TagsField({ field, value, onChange, disabled }: FieldProps<readonly string[]>) {
  return (
    <TagInput
      value={textsIn(value)}
      onChange={tags => onChange(field['sort'] === true ? tags.toSorted((a, b) => a.localeCompare(b)) : tags)}
      suggestions={choicesOf(field)}
      fixed={field['accept'] === 'options'}
      separator={textIn(field['separator'])}
      max={numberIn(field.max)}
      placeholder={textIn(field.placeholder)}
      disabled={disabled}
    />
  )
}
