import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { t } from '../../texts/texts.ts'
import type { TextCaret } from '../blocks/block-actions.ts'
import { useHistory } from '../blocks/use-history.ts'
import { type FieldProps, textIn } from '../field.ts'
import { cellIn, partFor } from './active-cell.ts'
import { TableGrid } from './table-grid.tsx'
import { type TableValue, tableIn } from './table-value.ts'

/** The history is that of blocks, with the table as the only one. */
const id = 'table'
const only = [{ id, type: 'table', isHidden: false, content: {} }]

export function TableField({ field, value, onChange, disabled, errors }: FieldProps<TableValue>) {
  const table = useMemo(() => tableIn(value), [value])
  const [active, setActive] = useState<TextCaret>()
  const frame = useRef<HTMLDivElement>(null)
  const { put, context } = useHistory<TableValue>({ value: table, onChange, frame, disabled })
  useLayoutEffect(() => context.register({ blocks: () => only, activate: setActive, focusBlock: () => {} }), [context])

  return (
    <div
      ref={frame}
      tabIndex={-1}
      className="control p-2"
      data-invalid={errors ? '' : undefined}
      data-disabled={disabled ? '' : undefined}
    >
      <TableGrid
        table={table}
        field={field}
        label={textIn(field.label) ?? t('fields.table.name')}
        disabled={disabled}
        active={cellIn(active)}
        onActivate={cell => setActive(cell && { block: id, part: partFor(cell), position: cell.position })}
        onCaret={(cell, position, isTyped) => context.caretMoved({ block: id, part: partFor(cell), position }, isTyped)}
        onChange={(next, textChange) =>
          put(next, textChange === 'typed' ? { key: id, caret: 'before' } : { caret: 'before' })
        }
        onEscape={() => {
          setActive(undefined)
          frame.current?.focus({ preventScroll: true })
        }}
      />
    </div>
  )
}
