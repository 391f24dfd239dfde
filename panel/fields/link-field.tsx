import { type FieldProps, textIn, textsIn } from './field.ts'
import { kinds, type LinkKind } from './link/kinds.ts'
import { LinkInput } from './link/link-input.tsx'

/** A field for a link. */
export function LinkField({ field, value = '', onChange, disabled }: FieldProps<string>) {
  const named = textsIn(field['options']).filter((name): name is LinkKind => name in kinds)
  return (
    <LinkInput
      value={value}
      onChange={link => onChange(link)}
      offered={named.length > 0 ? named : undefined}
      placeholder={textIn(field.placeholder)}
      disabled={disabled}
    />
  )
}
