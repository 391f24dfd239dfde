import { useMemo } from 'react'
import { t } from '../../texts/texts.ts'
import { type FieldProps, numberIn, textIn } from '../field.ts'
import { BlockList } from './block-list.tsx'
import { blocksIn, fieldsetsIn } from './block-value.ts'

export function BlocksField({
  field,
  value,
  onChange,
  disabled,
  form,
  errors,
  inside,
}: FieldProps<readonly unknown[]>) {
  const fieldsets = useMemo(() => fieldsetsIn(field['fieldsets']), [field])
  const blocks = useMemo(() => blocksIn(value), [value])
  const max = numberIn(field.max)
  const nothing = textIn(field['empty']) ?? t('fields.blocks.empty')
  const empty = useMemo(() => <p className="px-3 py-4 text-muted">{nothing}</p>, [nothing])

  return (
    <div className="control" data-invalid={errors ? '' : undefined} data-disabled={disabled ? '' : undefined}>
      <BlockList
        blocks={blocks}
        onChange={onChange}
        fieldsets={fieldsets}
        disabled={disabled}
        form={form}
        inside={inside}
        room={max === undefined ? undefined : max - blocks.length}
        label={field.label ?? t('fields.blocks.list')}
        empty={empty}
      />
    </div>
  )
}
