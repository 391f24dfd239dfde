import { ChevronDown, ChevronLeft, ChevronRight, ChevronUp, Copy, Ellipsis, Pencil, Plus, Trash2 } from 'lucide-react'
import { useId, useMemo, useRef, useState } from 'react'
import { t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { Drawer } from '../../ui/drawer.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Sortable } from '../../ui/sortable.tsx'
import { toast } from '../../ui/toast.ts'
import { defaultValuesOf } from '../defaults.ts'
import { type FieldProps, fieldsIn, isMap, listIn, numberIn, textIn, type Values, primitiveText } from '../field.ts'
import { createId } from '../id.ts'
import { ValuePreview, valueText } from '../preview.tsx'
import { errorsByName, errorsBelow, useErrorsOfEditedFields, type NestedError } from '../field-errors.ts'
import { ErrorMark } from '../error-mark.tsx'

interface Row {
  key: string
  values: Values
}

/** Rows with the same fields: a sortable table, and a drawer to edit one row. */
export function StructureField(props: FieldProps<readonly Values[]>) {
  const { field, value, onChange, disabled, renderForm, errors, nestedErrors } = props
  const rows = useKeyed(value)
  const fields = fieldsIn(field['fields'])
  const columns = columnsOf(field['columns'], Object.keys(fields))
  const [open, setOpen] = useState<string>()
  const [page, setPage] = useState(0)
  const id = useId()
  const max = numberIn(field.max)
  const min = numberIn(field.min) ?? 0
  const full = max !== undefined && rows.length >= max
  const limit = numberIn(field['limit']) ?? Infinity
  const sorting = textIn(field['sortBy'])
  const canSort = !disabled && field['sortable'] !== false && !sorting && rows.length > 1
  const openIndex = rows.findIndex(row => row.key === open)
  const current = rows[openIndex]
  const errorsByRow = useMemo(() => byRow(rows, nestedErrors), [nestedErrors])
  const fieldErrors = useErrorsOfEditedFields(open, current?.values ?? {}, errorsByName(errorsByRow.get(open) ?? []))

  const put = (next: readonly Row[]) => onChange(next.map(row => row.values))
  const nameOf = (row: Row) => {
    const [first] = columns
    const text = first && fields[first.name] ? valueText(fields[first.name]!, row.values[first.name]) : ''
    return text || t('fields.structure.row', { number: rows.indexOf(row) + 1 })
  }

  function add() {
    const row: Row = { key: createId(), values: defaultValuesOf(fields) }
    rememberKey(row.values, row.key)
    put(field['prepend'] === true ? [row, ...rows] : [...rows, row])
    if (limit < Infinity) setPage(field['prepend'] === true ? 0 : Math.floor(rows.length / limit))
    setOpen(row.key)
  }

  function change(row: Row, values: Values) {
    rememberKey(values, row.key)
    put(rows.map(other => (other.key === row.key ? { ...other, values } : other)))
  }

  function remove(row: Row) {
    const before = rows
    put(rows.filter(other => other.key !== row.key))
    toast({
      title: t('fields.structure.deleted'),
      action: { text: t('fields.blocks.undo'), onSelect: () => put(before) },
    })
  }

  const ordered = sorting ? sorted(rows, sorting) : rows
  const pages = Math.max(1, Math.ceil(ordered.length / limit))
  const currentPage = Math.min(page, pages - 1)
  const from = limit === Infinity ? 0 : currentPage * limit
  const visible = ordered.slice(from, limit === Infinity ? undefined : from + limit)

  return (
    <div
      id={id}
      data-rows=""
      className={cx('@container rounded-md border bg-surface', errors ? 'border-danger' : 'border-line-strong')}
    >
      {rows.length === 0 ? (
        <div className="flex min-h-12 flex-wrap items-center gap-2 px-3 py-2">
          <span className="me-auto text-muted">{textIn(field['empty']) ?? t('fields.structure.empty')}</span>
          {!disabled && (
            <Button size="small" icon={Plus} onClick={add} disabled={full}>
              {t('fields.structure.add')}
            </Button>
          )}
        </div>
      ) : (
        <>
          <div aria-hidden="true" className="flex items-center border-b text-sm text-muted">
            <span className="w-8 shrink-0" />
            {columns.map(column => (
              <span key={column.name} className={cx(cellClass(column), 'h-8 truncate px-2 leading-8 font-medium')}>
                {column.label}
              </span>
            ))}
            <span className="w-10 shrink-0" />
          </div>
          <Sortable
            items={visible}
            keyOf={row => row.key}
            nameOf={nameOf}
            onChange={next => put([...ordered.slice(0, from), ...next, ...ordered.slice(from + visible.length)])}
            disabled={!canSort}
            className="divide-y"
            label={t('fields.structure.rows')}
          >
            {(row, { handle, index }) => {
              const number = from + index + 1
              const hasErrors = errorsByRow.has(row.key)

              return (
                <div className="relative flex min-h-11 items-center hover:bg-hover">
                  <span className="relative z-10 flex w-8 shrink-0 justify-center">
                    {handle ?? <span className="text-sm text-faint">{number}</span>}
                  </span>
                  <button
                    type="button"
                    onClick={() => setOpen(row.key)}
                    data-has-error={hasErrors ? '' : undefined}
                    data-open-row={rows.indexOf(row)}
                    className="flex min-w-0 flex-1 items-center self-stretch text-start -outline-offset-2 after:absolute after:inset-0"
                  >
                    <span className="sr-only">{t('fields.structure.edit', { number })}</span>
                    {columns.map((column, position) => (
                      <span key={column.name} className={cx(cellClass(column), 'px-2')}>
                        {/* Positioned over the end of the row, so that no cell moves. */}
                        <span
                          className={cx(
                            'block min-w-0',
                            hasErrors && (position === columns.length - 1 ? 'pe-7' : '@max-md:pe-7'),
                          )}
                        >
                          <ValuePreview
                            field={fields[column.name] ?? { type: 'text' }}
                            value={row.values[column.name]}
                          />
                        </span>
                      </span>
                    ))}
                    {hasErrors && <ErrorMark className="absolute end-12" />}
                  </button>
                  <span className="relative z-10 flex w-10 shrink-0 justify-center">
                    <Menu
                      trigger={
                        <IconButton size="small" icon={Ellipsis} label={t('fields.structure.options', { number })} />
                      }
                      items={[
                        { text: t('fields.blocks.edit'), icon: Pencil, onSelect: () => setOpen(row.key) },
                        !disabled &&
                          field['duplicate'] !== false && {
                            text: t('fields.structure.duplicate'),
                            icon: Copy,
                            disabled: full,
                            onSelect: () => {
                              const copy = { key: createId(), values: { ...row.values } }
                              rememberKey(copy.values, copy.key)
                              put(rows.toSpliced(rows.indexOf(row) + 1, 0, copy))
                            },
                          },
                        !disabled && 'line',
                        !disabled && {
                          text: t('fields.structure.delete'),
                          icon: Trash2,
                          danger: true,
                          disabled: rows.length <= min,
                          onSelect: () => remove(row),
                        },
                      ]}
                    />
                  </span>
                </div>
              )
            }}
          </Sortable>
          <div className="flex flex-wrap items-center gap-2 border-t p-2 empty:hidden">
            {!disabled && (
              <Button size="small" icon={Plus} onClick={add} disabled={full}>
                {t('fields.structure.add')}
              </Button>
            )}
            {pages > 1 && (
              <span className="ms-auto flex items-center gap-1 text-sm text-muted tabular-nums">
                <IconButton
                  size="small"
                  icon={ChevronLeft}
                  className="rtl:rotate-180"
                  label={t('fields.structure.earlier')}
                  disabled={currentPage === 0}
                  onClick={() => setPage(currentPage - 1)}
                />
                {t('fields.structure.page', { from: from + 1, to: from + visible.length, total: rows.length })}
                <IconButton
                  size="small"
                  icon={ChevronRight}
                  className="rtl:rotate-180"
                  label={t('fields.structure.later')}
                  disabled={currentPage === pages - 1}
                  onClick={() => setPage(currentPage + 1)}
                />
              </span>
            )}
          </div>
        </>
      )}
      <Drawer
        open={current !== undefined}
        onClose={() => setOpen(undefined)}
        title={current ? nameOf(current) : ''}
        actions={
          <>
            <IconButton
              icon={ChevronUp}
              label={t('fields.structure.previous')}
              disabled={openIndex <= 0}
              onClick={() => setOpen(rows[openIndex - 1]?.key)}
            />
            <IconButton
              icon={ChevronDown}
              label={t('fields.structure.next')}
              disabled={openIndex >= rows.length - 1}
              onClick={() => setOpen(rows[openIndex + 1]?.key)}
            />
          </>
        }
        footer={
          <Button variant="primary" onClick={() => setOpen(undefined)}>
            {t('fields.done')}
          </Button>
        }
      >
        {/* The key gives every row its own form, so that no input carries over. */}
        {current && (
          <div key={current.key} data-row={openIndex} data-row-of={id}>
            {renderForm(fields, current.values, values => change(current, values), fieldErrors)}
          </div>
        )}
      </Drawer>
    </div>
  )
}

// ---- keys: rows have no ids, but React needs stable keys while they are moved and edited

const keys = new WeakMap<object, string>()
const rememberKey = (values: Values, key: string) => void keys.set(values, key)

function useKeyed(value: unknown): Row[] {
  const before = useRef<readonly Row[]>([])
  const usedKeys = new Set<string>()
  const rows = listIn(value)
    .filter(isMap)
    .map((values, index) => {
      // The key of the same object. If all rows were loaded again, the key at the same index.
      const previousKey = keys.get(values) ?? before.current[index]?.key
      const key = previousKey !== undefined && !usedKeys.has(previousKey) ? previousKey : createId()
      usedKeys.add(key)
      rememberKey(values, key)
      return { key, values }
    })
  before.current = rows
  return rows
}

/** Errors by key of the row, so that they follow a row that moves. */
function byRow(rows: readonly Row[], nestedErrors: readonly NestedError[] = []) {
  const indexes = new Set(nestedErrors.map(({ path: [index] }) => Number(index)))
  return new Map([...indexes].map(index => [rows[index]?.key, errorsBelow(nestedErrors, index)]))
}

// ---- columns

interface Column {
  name: string
  label: string
  width: string | undefined
  align: string | undefined
  mobile: boolean
}

function columnsOf(setting: unknown, names: readonly string[]): Column[] {
  const columns = isMap(setting) ? setting : Object.fromEntries(names.map(name => [name, {}]))
  return Object.entries(columns).flatMap(([name, column]) => {
    const own = isMap(column) ? column : {}
    return {
      name: name.toLowerCase(),
      label: textIn(own['label']) ?? name,
      width: textIn(own['width']),
      align: textIn(own['align']),
      mobile: own['mobile'] === true,
    }
  })
}

const shares: Readonly<Record<string, string>> = {
  '1/2': 'basis-1/2', '1/3': 'basis-1/3', '2/3': 'basis-2/3', '1/4': 'basis-1/4', '3/4': 'basis-3/4', '1/5': 'basis-1/5',
  '1/6': 'basis-1/6', '1/8': 'basis-[12.5%]',
} // prettier-ignore

const cellClass = ({ width, align, mobile }: Column) =>
  cx(
    'min-w-0',
    width && shares[width] ? `${shares[width]} shrink` : 'flex-1 basis-0',
    align === 'right' && 'text-end',
    align === 'center' && 'text-center',
    !mobile && '@max-md:hidden',
  )

function sorted(rows: readonly Row[], by: string): Row[] {
  const [name = '', direction] = by.split(' ')
  const order = rows.toSorted((a, b) =>
    primitiveText(a.values[name.toLowerCase()]).localeCompare(primitiveText(b.values[name.toLowerCase()]), undefined, {
      numeric: true,
    }),
  )
  return direction === 'desc' ? order.toReversed() : order
}
