import { ArrowDown, ArrowUp } from 'lucide-react'
import { type ComponentProps, type ReactNode, useRef } from 'react'
import { Checkbox } from './checkbox.tsx'
import { cx } from './cx.ts'
import { type SortedRow, useSortedRow, useSorting } from './sorting.tsx'
import { fillText, useUiTexts } from './texts.ts'

export interface TableColumn<Row> {
  name: string
  label: ReactNode
  cell: (row: Row) => ReactNode
  /** A class such as `w-40`; columns without one share the rest. */
  width?: string | undefined
  align?: 'start' | 'center' | 'end' | undefined
  /** Hidden in a narrow container. */
  wide?: boolean | undefined
  sortable?: boolean | undefined
}

interface Props<Row> {
  rows: readonly Row[]
  columns: readonly TableColumn<Row>[]
  keyOf: (row: Row) => string
  /** Accessible name of the table. */
  label: string
  onOpen?: ((row: Row) => void) | undefined
  sort?: { name: string; down: boolean } | undefined
  onSort?: ((sort: { name: string; down: boolean }) => void) | undefined
  selected?: ReadonlySet<string> | undefined
  onSelect?: ((keys: Set<string>) => void) | undefined
  /** Whether the header has a checkbox for all rows. */
  canSelectAll?: boolean | undefined
  nameOf?: ((row: Row) => string) | undefined
  /** Number of rows, from the first one, that can be sorted, by pointer and by arrow keys. */
  sortableCount?: number | undefined
  onOrder?: ((rows: Row[]) => void) | undefined
  /** Shown if there are no rows. */
  empty?: ReactNode
}

const aligned = { start: 'text-start', center: 'text-center', end: 'text-end' }

export function Table<Row>(props: Props<Row>) {
  const { rows, columns, keyOf, label, onOpen, sort, onSort, selected, onSelect, nameOf = keyOf, empty } = props
  const { canSelectAll = true, sortableCount = 0, onOrder = () => {} } = props
  const texts = useUiTexts()
  const body = useRef<HTMLTableSectionElement>(null)
  const isSortable = sortableCount > 1
  const { rowAt, status } = useSorting(
    { items: rows, keyOf, nameOf, onChange: onOrder, count: sortableCount, disabled: !isSortable },
    body,
  )

  if (rows.length === 0 && empty) return <>{empty}</>

  const areAllSelected = rows.length > 0 && rows.every(row => selected?.has(keyOf(row)))
  const areSomeSelected = rows.some(row => selected?.has(keyOf(row)))

  return (
    <div className="@container overflow-x-auto">
      <table aria-label={label} className="w-full table-fixed border-collapse">
        <thead>
          <tr className="border-b text-sm text-muted">
            {isSortable && <td className="w-8" />}
            {onSelect && !canSelectAll && <td className="w-11" />}
            {onSelect && canSelectAll && (
              <th className="w-11 ps-3 text-start">
                <Checkbox
                  aria-label={texts.selectAll}
                  value={areAllSelected}
                  indeterminate={areSomeSelected && !areAllSelected}
                  onChange={value => onSelect(new Set(value ? rows.map(keyOf) : []))}
                />
              </th>
            )}
            {columns.map(column => (
              <th
                key={column.name}
                scope="col"
                aria-sort={sort?.name === column.name ? (sort.down ? 'descending' : 'ascending') : undefined}
                className={cx(
                  'h-9 px-3 font-medium first:ps-4 last:pe-4',
                  aligned[column.align ?? 'start'],
                  column.width,
                  column.wide && '@max-xl:hidden',
                )}
              >
                {column.sortable && onSort ? (
                  <button
                    type="button"
                    onClick={() => onSort({ name: column.name, down: sort?.name === column.name ? !sort.down : false })}
                    className="-mx-1.5 inline-flex min-h-6 items-center gap-1 rounded-sm px-1.5 hover:bg-hover hover:text-ink"
                  >
                    {column.label}
                    {sort?.name === column.name &&
                      (sort.down ? <ArrowDown aria-hidden="true" /> : <ArrowUp aria-hidden="true" />)}
                  </button>
                ) : (
                  <span className="block truncate">{column.label}</span>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row, index) => {
            const key = keyOf(row)
            const chosen = selected?.has(key) ?? false

            return (
              <TableRow
                key={key}
                sorted={rowAt(index)}
                isSortable={isSortable}
                onClick={onOpen && (() => onOpen(row))}
                aria-selected={onSelect ? chosen : undefined}
                className={cx(
                  'border-b last:border-b-0',
                  onOpen && 'cursor-pointer hover:bg-hover',
                  chosen && 'bg-accent-soft',
                )}
              >
                {onSelect && (
                  <td className="ps-3" onClick={event => event.stopPropagation()}>
                    <Checkbox
                      aria-label={fillText(texts.selectRow, { name: nameOf(row) })}
                      value={chosen}
                      onChange={value => {
                        const next = new Set(selected)
                        if (value) next.add(key)
                        else next.delete(key)
                        onSelect(next)
                      }}
                    />
                  </td>
                )}
                {columns.map(column => (
                  <td
                    key={column.name}
                    className={cx(
                      'h-11 px-3 py-1.5 wrap-anywhere first:ps-4 last:pe-4',
                      aligned[column.align ?? 'start'],
                      column.wide && '@max-xl:hidden',
                    )}
                  >
                    {column.cell(row)}
                  </td>
                ))}
              </TableRow>
            )
          })}
        </tbody>
      </table>
      {status}
    </div>
  )
}

interface RowProps extends ComponentProps<'tr'> {
  sorted: SortedRow
  isSortable: boolean
}

function TableRow({ sorted, isSortable, className, children, ...rest }: RowProps) {
  const { row, handle, dragging, edge } = useSortedRow<HTMLTableRowElement>(sorted, 'rows')
  return (
    <tr
      {...rest}
      ref={row}
      className={cx(
        className,
        dragging && 'opacity-40',
        edge === 'before' && '[&>td]:shadow-[inset_0_2px_var(--accent)]',
        edge === 'after' && '[&>td]:shadow-[inset_0_-2px_var(--accent)]',
      )}
    >
      {isSortable && <td className="ps-2 pe-0">{handle}</td>}
      {children}
    </tr>
  )
}
