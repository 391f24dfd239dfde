import { type FieldProps, textIn, textsIn } from './field.ts'
import { linkKinds, type LinkKind } from './link/kinds.ts'
import { LinkInput } from './link/link-input.tsx'

export function LinkField({ field, value = '', onChange, disabled }: FieldProps<string>) {
  const allowedKinds = textsIn(field['options']).filter((name): name is LinkKind => name in linkKinds)
  return (
    <LinkInput
      value={value}
      onChange={link => onChange(link)}
      offered={allowedKinds.length > 0 ? allowedKinds : undefined}
      placeholder={textIn(field.placeholder)}
      disabled={disabled}
    />
  )
}
