import { Columns3, Copy, Ellipsis, Plus, Settings2, Trash2 } from 'lucide-react'
import { memo, useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Column, Columns } from '../../ui/columns.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Sortable } from '../../ui/sortable.tsx'
import { toast } from '../../ui/toast.ts'
import { BlockDrawer } from '../blocks/block-drawer.tsx'
import { BlockList } from '../blocks/block-list.tsx'
import { type BlockValue, fieldsetIn, type Fieldsets, fieldsetsIn } from '../blocks/block-value.ts'
import type { UndoStep } from '../blocks/history.ts'
import { LateMenu } from '../blocks/late-menu.tsx'
import { BlockHistory, useHistory } from '../blocks/use-history.ts'
import { defaultValuesOf } from '../defaults.ts'
import { type FieldProps, type RenderForm, isMap, numberIn, textIn } from '../field.ts'
import { errorsBelow, type NestedError } from '../field-errors.ts'
import { ErrorMark } from '../error-mark.tsx'
import {
  copyOfRow,
  createRow,
  type LayoutColumn,
  type LayoutRow,
  layoutsIn,
  moveBlocks,
  rowsIn,
  withWidths,
} from './layout-value.ts'

/** Rows of columns of blocks. */
export function LayoutField({
  field,
  value,
  onChange,
  disabled,
  renderForm,
  nestedErrors,
}: FieldProps<readonly unknown[]>) {
  const rows = useMemo(() => rowsIn(value), [value])
  const fieldsets = useMemo(() => fieldsetsIn(field['fieldsets']), [field])
  const layouts = useMemo(() => layoutsIn(field['layouts']), [field])
  const settings = useMemo(
    () => (isMap(field['settings']) ? fieldsetIn(field['settings'], 'settings') : undefined),
    [field],
  )
  const group = useId()
  const [choosing, setChoosing] = useState<string | true>()
  const [open, setOpen] = useState<string>()
  const max = numberIn(field.max)
  const full = max !== undefined && rows.length >= max
  const frame = useRef<HTMLDivElement>(null)
  const history = useHistory<readonly unknown[]>({ value: value ?? none, onChange, frame, disabled })
  const latest = useRef(rows)
  useLayoutEffect(() => {
    latest.current = rows
  })

  // Stable functions, so that a column renders again only when its own blocks change.
  const calls = useMemo(() => {
    const put = (next: LayoutRow[], step?: UndoStep) => {
      latest.current = next
      history.put(next, step)
    }
    return {
      put,
      change: (column: string, blocks: BlockValue[], step?: UndoStep) =>
        put(
          latest.current.map(row =>
            row.columns.some(other => other.id === column)
              ? { ...row, columns: row.columns.map(other => (other.id === column ? { ...other, blocks } : other)) }
              : row,
          ),
          step,
        ),
      receive: (to: string, from: string, keys: readonly string[], index: number) =>
        put(moveBlocks(latest.current, new Set(keys), from, to, index)),
    }
  }, [history.put])

  function choose(widths: readonly string[]) {
    if (choosing === true) calls.put([...rows, createRow(widths, defaultValuesOf(settings?.fields ?? {}))])
    else calls.put(rows.map(row => (row.id === choosing ? withWidths(row, widths) : row)))
    setChoosing(undefined)
  }

  function add() {
    if (layouts.length > 1) setChoosing(true)
    else calls.put([...rows, createRow(layouts[0]!, defaultValuesOf(settings?.fields ?? {}))])
  }

  function remove(row: LayoutRow) {
    const index = rows.indexOf(row)
    calls.put(rows.filter(other => other !== row))
    const back = () => calls.put(latest.current.toSpliced(index, 0, row))
    toast({ title: t('fields.layout.deleted'), action: { text: t('fields.blocks.undo'), onSelect: back } })
  }

  const opened = rows.find(row => row.id === open)
  const errorsByPart = useMemo(() => byPart(rows, nestedErrors), [nestedErrors])

  return (
    <BlockHistory value={history.context}>
      <div ref={frame} tabIndex={-1} className="flex flex-col gap-2 outline-none">
        <Sortable
          items={rows}
          keyOf={row => row.id}
          nameOf={row => t('fields.layout.row', { number: rows.indexOf(row) + 1 })}
          onChange={next => calls.put(next)}
          disabled={disabled}
          label={t('fields.layout.rows')}
          className="flex flex-col gap-2"
          empty={
            <p className="rounded-md border border-dashed border-line-strong px-3 py-4 text-muted">
              {textIn(field['empty']) ?? t('fields.layout.empty')}
            </p>
          }
        >
          {(row, { handle, index }) => (
            <div className="flex items-start gap-1">
              <span className="flex w-6 shrink-0 justify-center pt-1.5">{handle}</span>
              <div className="min-w-0 flex-1">
                <Columns gap="row">
                  {row.columns.map((column, at) => (
                    <Column key={column.id} width={column.width}>
                      <BlockColumn
                        column={column}
                        label={`${t('fields.layout.row', { number: index + 1 })}, ${t('fields.layout.column', { number: at + 1 })}`}
                        fieldsets={fieldsets}
                        disabled={disabled}
                        renderForm={renderForm}
                        nestedErrors={errorsByPart.get(column.id)}
                        group={group}
                        onChange={calls.change}
                        onReceive={calls.receive}
                      />
                    </Column>
                  ))}
                </Columns>
              </div>
              {errorsByPart.has(row.id) && <ErrorMark className="mt-3" />}
              {!disabled && (
                <LateMenu
                  label={t('fields.layout.options', { number: index + 1 })}
                  icon={Ellipsis}
                  className="mt-1"
                  items={() => [
                    settings !== undefined && {
                      text: t('fields.layout.settings'),
                      icon: Settings2,
                      onSelect: () => setOpen(row.id),
                    },
                    layouts.length > 1 && {
                      text: t('fields.layout.change'),
                      icon: Columns3,
                      onSelect: () => setChoosing(row.id),
                    },
                    {
                      text: t('fields.layout.duplicate'),
                      icon: Copy,
                      disabled: full,
                      onSelect: () => calls.put(rows.toSpliced(index + 1, 0, copyOfRow(row))),
                    },
                    'line',
                    { text: t('fields.layout.delete'), icon: Trash2, danger: true, onSelect: () => remove(row) },
                  ]}
                />
              )}
            </div>
          )}
        </Sortable>
        {!disabled && !full && (
          <div>
            <Button size="small" icon={Plus} onClick={add}>
              {t('fields.layout.add')}
            </Button>
          </div>
        )}
        <Dialog
          open={choosing !== undefined}
          onClose={() => setChoosing(undefined)}
          title={t('fields.layout.choose')}
          size="small"
        >
          <div className="grid grid-cols-2 gap-3">
            {layouts.map(widths => (
              <button
                key={widths.join()}
                type="button"
                onClick={() => choose(widths)}
                aria-label={nameOf(widths)}
                className="rounded-md border border-line-strong p-2 hover:border-accent hover:bg-hover"
              >
                <span className="flex h-8 gap-1">
                  {widths.map((width, index) => (
                    <span
                      key={index}
                      className="rounded-sm bg-line-strong"
                      style={{ flexGrow: shareOf(width), flexBasis: 0 }}
                    />
                  ))}
                </span>
                <span className="mt-1.5 block text-xs text-muted" dir="ltr">
                  {widthsText(widths)}
                </span>
              </button>
            ))}
          </div>
        </Dialog>
        <BlockDrawer
          block={opened && { id: opened.id, content: opened.attrs }}
          fieldset={settings && { ...settings, type: 'attrs', name: t('fields.layout.settings') }}
          renderForm={renderForm}
          nestedErrors={opened && errorsByPart.get(opened.id)}
          onChange={(id, attrs) =>
            calls.put(
              rows.map(row => (row.id === id ? { ...row, attrs: { ...row.attrs, ...attrs } } : row)),
              { key: [id, ...Object.keys(attrs)].join(' '), caret: 'none' },
            )
          }
          onClose={() => setOpen(undefined)}
        />
      </div>
    </BlockHistory>
  )
}

const none: readonly unknown[] = []

const widthsText = (widths: readonly string[]) => widths.join(' · ')

/** The accessible name must contain the visible text (WCAG 2.5.3, label in name). */
function nameOf(widths: readonly string[]): string {
  const name = t('fields.layout.columns', { count: widths.length, widths: widthsText(widths) })
  return name.includes(widthsText(widths)) ? name : `${name}: ${widthsText(widths)}`
}

function shareOf(width: string): number {
  const [part, whole] = width.split('/').map(Number)
  return part && whole ? part / whole : 1
}

/** Errors by id of rows (settings) and columns (blocks), so that they follow rows and columns that move. */
function byPart(rows: readonly LayoutRow[], nestedErrors: readonly NestedError[] = []) {
  const parts = rows.flatMap(({ id, columns }, index) => [
    [id, errorsBelow(nestedErrors, index, 'attrs')] as const,
    ...columns.map(
      (column, columnIndex) => [column.id, errorsBelow(nestedErrors, index, 'columns', columnIndex, 'blocks')] as const,
    ),
  ])
  return new Map(parts.filter(([, errors]) => errors.length > 0))
}

interface ColumnProps {
  column: LayoutColumn
  label: string
  fieldsets: Fieldsets
  disabled: boolean
  renderForm: RenderForm
  nestedErrors: readonly NestedError[] | undefined
  group: string
  onChange: (column: string, blocks: BlockValue[], step?: UndoStep) => void
  onReceive: (to: string, from: string, keys: readonly string[], index: number) => void
}

const BlockColumn = memo(function BlockColumn({
  column,
  label,
  fieldsets,
  disabled,
  renderForm,
  nestedErrors,
  group,
  onChange,
  onReceive,
}: ColumnProps) {
  return (
    <div
      className="control h-full"
      data-invalid={nestedErrors ? '' : undefined}
      data-disabled={disabled ? '' : undefined}
    >
      <BlockList
        blocks={column.blocks}
        onChange={(blocks, step) => onChange(column.id, blocks, step)}
        fieldsets={fieldsets}
        disabled={disabled}
        renderForm={renderForm}
        nestedErrors={nestedErrors}
        group={group}
        list={column.id}
        onReceive={(from, keys, index) => onReceive(column.id, from, keys, index)}
        label={label}
        empty={<span className="block px-3 py-3 text-sm text-faint">{t('fields.blocks.empty')}</span>}
      />
    </div>
  )
})
