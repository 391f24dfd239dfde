import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { runToEnd } from '../../platform/lib/steps.ts'
import { type Message, message } from '../../platform/texts.ts'
import { type Block, blockList, idFor, isId, storedBlocksById, type StoredBlocks, listIn } from './block-list.ts'
import { blockSettings } from './blocks.ts'
import { brokenValue, isBroken } from './broken.ts'
import { spendParts } from './budget.ts'
import {
  type BrokenValue,
  type FieldType,
  fieldType,
  type NestedFields,
  type StoredValue,
  type WriteResult,
} from './field.ts'
import { storedUnlessChanged } from './merge.ts'
import { prefixPaths } from './nested.ts'
import { checkListRules, tooManyParts, wrongType } from './rules.ts'
import { isList, isMap } from './stored.ts'
import { refuseOverwritingBroken } from './values.ts'

interface Column {
  readonly blocks: readonly Block[]
  readonly id: string
  readonly width: string
}

interface Row {
  readonly attrs: Readonly<Record<string, unknown>>
  readonly columns: readonly Column[]
  readonly id: string
}

/** A fraction of the row width, with up to twelve columns. */
const widthPattern = /^(?:[1-9]|1[0-2])\/(?:[1-9]|1[0-2])$/

/** The widths of the columns of one row. A column with any other width could not be saved. */
const widths = z
  .union([z.string().transform(row => row.split(',').map(width => width.trim())), z.array(z.string())])
  .superRefine((row, context) => {
    const invalid = row.find(width => !widthPattern.test(width))
    if (invalid !== undefined)
      context.addIssue({
        code: 'custom',
        message: `"${invalid}" is not a width such as 1/2: both numbers must be from 1 to 12.`,
      })
  })

/** Rows of columns of blocks. */
export const layout: FieldType<never, readonly Row[]> = fieldType({
  settings: () =>
    z.strictObject({
      ...blockSettings(),
      layouts: z.array(widths).default([['1/1']]),
      selector: z.record(z.string(), z.unknown()).optional(),
    }),
  nested: ['fieldsets', 'settings'],
  storedAs: 'list',
  read(stored, field) {
    const rows = rowsIn(stored)
    return isBroken(rows) ? rows : rows.map((row, index) => readRow(row, index, field))
  },
  write: (sent, field, before) => runToEnd(writeRows(sent, field, before)),
  writeInSteps: writeRows,
  check(rows, field, isActive = true) {
    const { min, max, ...errors } = checkListRules(field, isActive, rows)
    const error = min ?? max ?? firstError(rows, field)
    return error ? { ...errors, layout: error } : errors
  },
  *nestedErrors(rows, { fieldsets, settings }) {
    for (const [index, { attrs, columns }] of rows.entries()) {
      yield* prefixPaths(blockList.nestedErrorsOfValues(attrs, settings), index, 'attrs')
      for (const [at, { blocks }] of columns.entries())
        yield* prefixPaths(blockList.nestedErrors(blocks, fieldsets), index, 'columns', at, 'blocks')
    }
  },
})

function* writeRows(sent: unknown, field: LayoutField, before: StoredValue | undefined): Generator<void, WriteResult> {
  const rows = typeof sent === 'string' && sent.trim() === '' ? [] : listIn(sent)
  if (!rows) return wrongType('list')
  const storedRows = rowsIn(before)
  if (isBroken(storedRows)) return refuseOverwritingBroken()
  if (rows.length > storedRows.length && !spendParts(partsPerEntry * rows.length)) return tooManyParts()
  const blocks = storedBlocksById(
    ...storedRows.flatMap(row => columnsIn(row).map(column => listIn(column['blocks']) ?? [])),
  )
  const byId = Map.groupBy(
    storedRows.map((row, index) => ({ row, index })),
    ({ row, index }) => idOf(row, index),
  )
  const stored: StoredValue[] = []
  for (const [index, row] of rows.entries()) {
    const written = yield* writeRow(row, field, { blocks, take: id => byId.get(id)?.shift() })
    if ('error' in written)
      return {
        errors: { layout: message('validation.layout', { row: String(index + 1), problem: written.error }) },
      }
    stored.push(written.stored)
  }
  return { stored: storedUnlessChanged(stored, storedRows, before) }
}

type LayoutField = Pick<NestedFields, 'fieldsets' | 'settings'>
type Values = Readonly<Record<string, unknown>>

/** The stored rows; broken if the value is neither empty nor a list of rows. */
function rowsIn(stored: StoredValue | undefined): readonly Values[] | BrokenValue {
  if (stored === undefined || stored === null || stored === '') return []
  const rows = listIn(stored)
  return rows?.every(isRow) ? rows : brokenValue(stored, 'unreadable')
}

const isRow = (row: unknown): row is Values =>
  isMap(row) && isListOf(row['columns'], column => isMap(column) && isListOf(column['blocks'], () => true))

/** A missing value counts as an empty list. */
function isListOf(value: unknown, matches: (entry: unknown) => boolean): boolean {
  return value === undefined || value === null || value === '' || listIn(value)?.every(matches) === true
}

const columnsIn = (row: Values) => (listIn(row['columns']) ?? []) as readonly Values[]

function readRow(row: Values, index: number, field: LayoutField): Row {
  return {
    attrs: shownAttrs(row, field),
    columns: columnsIn(row).map((column, at) => ({
      blocks: blockList.read(listIn(column['blocks']) ?? [], field.fieldsets),
      id: idOfColumn(row, index, column, at),
      width: nonEmptyOr(column['width'], () => '1/1'),
    })),
    id: idOf(row, index),
  }
}

/** Parts of the CPU budget that a row or a column takes: itself and its three properties. */
const partsPerEntry = 4

const idOf = (row: Values, index: number) => nonEmptyOr(row['id'], () => idFor(row, index))
const idOfColumn = (row: Values, index: number, { id }: Values, at: number) =>
  nonEmptyOr(id, () => idFor([row, at], index))

function shownAttrs({ attrs }: Values, field: LayoutField): Values {
  return hasSettings(field) ? blockList.readValues(attrs, field.settings) : isMap(attrs) ? attrs : {}
}

/** Whether rows have fields, including fields with a mistake in the blueprint. Without any, stored `attrs` stay unchanged. */
const hasSettings = ({ settings: { fields, broken } }: LayoutField) => fields.size > 0 || broken.size > 0

const nonEmptyOr = (value: unknown, fallback: () => string) =>
  typeof value === 'string' && value !== '' ? value : fallback()

const invalid = () => ({ error: message('validation.invalid') })

/** The stored value: all its blocks, and its rows by the ids that are shown. */
interface StoredLayout {
  blocks: StoredBlocks
  /** The next stored row with this id. Each is returned only once, so a copy with the same id becomes a new row. */
  take(id: string): { row: Values; index: number } | undefined
}

type PartResult = { stored: StoredValue } | { error: Message }

function* writeRow(row: unknown, field: LayoutField, storedLayout: StoredLayout): Generator<void, PartResult> {
  if (!isMap(row)) return invalid()
  const { attrs = {}, columns = [], id = '' } = row
  if (!isList(columns) || typeof id !== 'string') return invalid()
  const before = storedLayout.take(id)
  if (!before && !isId(id)) return invalid()
  const writtenAttrs = writeAttrs(attrs, field, before && storedAttrs(before.row))
  if ('error' in writtenAttrs) return writtenAttrs
  const storedColumns = before ? columnsIn(before.row) : []
  if (columns.length > storedColumns.length && !spendParts(partsPerEntry * columns.length))
    return { error: message('validation.tooManyParts') }
  const byId = Map.groupBy(storedColumns.entries(), ([at, column]) =>
    idOfColumn(before!.row, before!.index, column, at),
  )
  const stored: StoredValue[] = []
  for (const column of columns) {
    const writtenColumn = yield* writeColumn(column, field, storedLayout.blocks, one => byId.get(one)?.shift()?.[1])
    if ('error' in writtenColumn) return writtenColumn
    stored.push(writtenColumn.stored)
  }
  const written = { attrs: writtenAttrs.stored, columns: stored }
  if (!before) return { stored: { ...written, id: id || randomUUID() } }
  return {
    stored: asBefore(before.row, { attrs: storedAttrs(before.row), columns: storedColumns }, { ...written, id }),
  }
}

/**
 * The stored form if nothing was changed. Otherwise the written parts replace the stored ones, and parts that are not
 * shown stay.
 */
function asBefore(raw: Values, before: Values, { id, ...written }: Readonly<Record<string, StoredValue>>): StoredValue {
  return (isDeepStrictEqual(written, before) ? raw : { ...raw, ...written, id }) as StoredValue
}

const storedAttrs = ({ attrs }: Values) => (isMap(attrs) ? attrs : {})

function writeAttrs(attrs: unknown, field: LayoutField, before: unknown): PartResult {
  const values = isList(attrs) && attrs.length === 0 ? {} : attrs // PHP encodes an empty map as `[]`
  if (!isMap(values)) return invalid()
  const stored = isMap(before) ? before : undefined
  // Without settings in the blueprint there are no fields for the sent values.
  if (!hasSettings(field)) return { stored: (stored ?? {}) as StoredValue }
  const written = blockList.writeValues(values, field.settings, stored)
  return 'error' in written ? { error: message('validation.object', { ...written.error }) } : written
}

/** `take` returns the next stored column of the row with this id, each only once. */
function* writeColumn(
  column: unknown,
  field: LayoutField,
  storedInLayout: StoredBlocks,
  take: (id: string) => Values | undefined,
): Generator<void, PartResult> {
  if (!isMap(column)) return invalid()
  const { blocks = [], width = '1/1', id = '' } = column
  if (!isList(blocks) || typeof width !== 'string' || typeof id !== 'string') return invalid()
  const before = take(id)
  const widthBefore = before && nonEmptyOr(before['width'], () => '1/1')
  if ((!before && !isId(id)) || (width !== widthBefore && !widthPattern.test(width))) return invalid()
  const storedBlocks = listIn(before?.['blocks']) ?? []
  const writtenBlocks = yield* blockList.write(blocks, field.fieldsets, storedBlocks, storedInLayout)
  if ('error' in writtenBlocks) return writtenBlocks
  const written = { blocks: writtenBlocks.stored, width }
  if (!before) return { stored: { ...written, id: id || randomUUID() } }
  return { stored: asBefore(before, { blocks: storedBlocks, width: widthBefore }, { ...written, id }) }
}

function firstError(rows: readonly Row[], field: LayoutField): Message | undefined {
  for (const [index, { attrs, columns }] of rows.entries()) {
    const attrsError = blockList.firstErrorOfValues(attrs, field.settings)
    const problem = attrsError
      ? message('validation.object', { ...attrsError })
      : columns.map(({ blocks }) => blockList.firstError(blocks, field.fieldsets)).find(error => error !== undefined)
    if (problem) return message('validation.layout', { row: String(index + 1), problem })
  }
  return undefined
}
