import { useMemo, useRef } from 'react'
import { t } from '../../texts/texts.ts'
import { type FieldProps, numberIn, textIn } from '../field.ts'
import { BlockList } from './block-list.tsx'
import { blocksIn, fieldsetsIn } from './block-value.ts'
import { BlockHistory, useHistory } from './use-history.ts'

export function BlocksField({
  field,
  value,
  onChange,
  disabled,
  renderForm,
  errors,
  nestedErrors,
}: FieldProps<readonly unknown[]>) {
  const fieldsets = useMemo(() => fieldsetsIn(field['fieldsets']), [field])
  const blocks = useMemo(() => blocksIn(value), [value])
  const max = numberIn(field.max)
  const nothing = textIn(field['empty']) ?? t('fields.blocks.empty')
  const empty = useMemo(() => <span className="block px-3 py-4 text-muted">{nothing}</span>, [nothing])

  const frame = useRef<HTMLDivElement>(null)
  const history = useHistory<readonly unknown[]>({ value: value ?? none, onChange, frame, disabled })

  return (
    <div
      ref={frame}
      tabIndex={-1}
      className="control"
      data-invalid={errors ? '' : undefined}
      data-disabled={disabled ? '' : undefined}
    >
      <BlockHistory value={history.context}>
        <BlockList
          blocks={blocks}
          onChange={history.put}
          fieldsets={fieldsets}
          disabled={disabled}
          renderForm={renderForm}
          nestedErrors={nestedErrors}
          room={max === undefined ? undefined : max - blocks.length}
          label={field.label ?? t('fields.blocks.list')}
          empty={empty}
        />
      </BlockHistory>
    </div>
  )
}

const none: readonly unknown[] = []
