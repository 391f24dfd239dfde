import { useMemo } from 'react'
import { useGroup } from '../ui/control.ts'
import { type FieldProps, textIn } from './field.ts'
import { featuresOf } from './rich/marks.ts'
import { RichEditor } from './rich/rich-editor.tsx'

/** A rich text or a rich list. */
export function WriterField({ field, value, onChange, disabled }: FieldProps<string>) {
  const offer = useMemo(() => featuresOf(field), [field])
  const group = useGroup({})

  return (
    <div
      className="control"
      data-disabled={disabled ? '' : undefined}
      data-invalid={group['aria-invalid'] ? '' : undefined}
    >
      <RichEditor
        value={value ?? ''}
        onChange={onChange}
        offer={offer}
        disabled={disabled}
        placeholder={textIn(field.placeholder)}
        toolbar="top"
        attributes={{
          id: group.id,
          class: 'rich min-h-16 px-3 py-2 outline-none',
          'aria-labelledby': group['aria-labelledby'],
          'aria-describedby': group['aria-describedby'],
          'aria-invalid': group['aria-invalid'] ? 'true' : undefined,
          'aria-required': group['aria-required'] ? 'true' : undefined,
          'aria-disabled': disabled ? 'true' : undefined,
        }}
      />
    </div>
  )
}
