import { useMemo } from 'react'
import { cellIn, partFor } from '../table/active-cell.ts'
import { TableGrid } from '../table/table-grid.tsx'
import { tableIn } from '../table/table-value.ts'
import type { BlockContentProps } from './block-actions.ts'

export function TableBlock({ block, fieldset, active, actions, selection, disabled }: BlockContentProps) {
  const { id } = block
  const value = block.content['table']
  const table = useMemo(() => tableIn(value), [value])
  const cell = useMemo(() => cellIn(active), [active])

  return (
    <TableGrid
      table={table}
      field={fieldset.fields['table']!}
      label={fieldset.name}
      disabled={disabled}
      active={cell}
      onActivate={next => actions.activate(next && { block: id, part: partFor(next), position: next.position })}
      onCaret={(moved, position, isTyped) => actions.caretMoved({ block: id, part: partFor(moved), position }, isTyped)}
      onChange={(next, textChange) => actions.change(id, { table: next }, textChange)}
      onLeave={to => actions.leave(id, to)}
      onEscape={() => selection.select(id)}
    />
  )
}
