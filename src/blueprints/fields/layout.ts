import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type Message, message } from '../../texts.ts'
import { type Block, type BlockList, createBlockList, idFor, keptById, listIn } from './block-list.ts'
import { blockSettings } from './blocks.ts'
import { type FieldType, fieldType, type FindType, type Nested, type Stored } from './field.ts'
import { within } from './nested.ts'
import { judgeList, wrongType } from './rules.ts'
import { isList, isMap, toStored } from './stored.ts'

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

const widths = z.union([z.string().transform(row => row.split(',').map(width => width.trim())), z.array(z.string())])

/** Rows of columns of blocks, stored as JSON. */
export function layout(findType: FindType): FieldType<never, readonly Row[]> {
  const list = createBlockList(findType)
  return fieldType({
    settings: () =>
      z.strictObject({
        ...blockSettings(),
        layouts: z.array(widths).default([['1/1']]),
        selector: z.record(z.string(), z.unknown()).optional(),
      }),
    nested: ['fieldsets', 'settings'],
    read: (stored, field) => (listIn(stored) ?? []).filter(isMap).map((row, index) => readRow(list, row, index, field)),
    write(sent, field, before) {
      const rows = listIn(sent)
      if (!rows) return wrongType('list')
      const kept = keptIn(listIn(before) ?? [])
      const stored: Stored[] = []
      for (const [index, row] of rows.entries()) {
        const written = writeRow(list, row, field, kept)
        if ('wrong' in written)
          return {
            broken: { layout: message('validation.layout', { row: String(index + 1), problem: written.wrong }) },
          }
        stored.push(written.stored)
      }
      return { stored }
    },
    encode: stored => JSON.stringify(stored),
    check(rows, field, asked = true) {
      const { min, max, ...broken } = judgeList(field, asked, rows)
      const wrong = min ?? max ?? firstWrong(list, rows, field)
      return wrong ? { ...broken, layout: wrong } : broken
    },
    *inside(rows, { fieldsets, settings }) {
      for (const [index, { attrs, columns }] of rows.entries()) {
        yield* within(list.insideValues(attrs, settings), index, 'attrs')
        for (const [at, { blocks }] of columns.entries())
          yield* within(list.inside(blocks, fieldsets), index, 'columns', at, 'blocks')
      }
    },
  })
}

type Sets = Pick<Nested, 'fieldsets' | 'settings'>

function readRow(list: BlockList, row: Readonly<Record<string, unknown>>, index: number, field: Sets): Row {
  const { attrs, columns, id } = row
  return {
    attrs: hasSettings(field) ? list.readValues(attrs, field.settings) : isMap(attrs) ? attrs : {},
    columns: (isList(columns) ? columns.filter(isMap) : []).map((column, at) => ({
      blocks: list.read(listIn(column['blocks']) ?? [], field.fieldsets),
      id: nameOr(column['id'], () => idFor([row, at], index)),
      width: nameOr(column['width'], () => '1/1'),
    })),
    id: nameOr(id, () => idFor(row, index)),
  }
}

/** Where a blueprint has none, what earlier ones had is kept. */
const hasSettings = ({ settings: { fields, broken } }: Sets) => fields.size > 0 || broken.size > 0

const nameOr = (name: unknown, otherwise: () => string) =>
  typeof name === 'string' && name !== '' ? name : otherwise()

const invalid = () => ({ wrong: message('validation.invalid') })

/** What was stored before, by ids. */
interface Kept {
  attrs: ReadonlyMap<unknown, unknown>
  blocks: ReturnType<typeof keptById>
}

function keptIn(stored: readonly unknown[]): Kept {
  const rows = stored.filter(isMap)
  const columns = rows.flatMap(row => (isList(row['columns']) ? row['columns'].filter(isMap) : []))
  return {
    attrs: new Map(rows.map(({ id, attrs }) => [id, attrs])),
    blocks: keptById(columns.flatMap(({ blocks }) => listIn(blocks) ?? [])),
  }
}

function writeRow(list: BlockList, row: unknown, field: Sets, kept: Kept): { stored: Stored } | { wrong: Message } {
  const { attrs = {}, columns = [], id = '' } = isMap(row) ? row : { id: 0 }
  if (!isList(columns) || typeof id !== 'string') return invalid()
  const settings = writeAttrs(list, attrs, field, kept.attrs.get(id))
  if ('wrong' in settings) return settings
  const stored: Stored[] = []
  for (const column of columns) {
    const written = writeColumn(list, column, field, kept)
    if ('wrong' in written) return written
    stored.push(written.stored)
  }
  return { stored: { attrs: settings.stored, columns: stored, id: id || randomUUID() } }
}

function writeAttrs(
  list: BlockList,
  attrs: unknown,
  field: Sets,
  before: unknown,
): { stored: Stored } | { wrong: Message } {
  if (isList(attrs) && attrs.length === 0) return writeAttrs(list, {}, field, before) // an empty map that a PHP program wrote
  if (!isMap(attrs)) return invalid()
  if (!hasSettings(field)) {
    const stored = toStored(attrs)
    return stored === undefined ? { wrong: message('validation.tooLarge') } : { stored }
  }
  const written = list.writeValues(attrs, field.settings, before)
  return 'wrong' in written ? { wrong: message('validation.object', { ...written.wrong }) } : written
}

function writeColumn(
  list: BlockList,
  column: unknown,
  field: Sets,
  kept: Kept,
): { stored: Stored } | { wrong: Message } {
  const { blocks = [], width = '1/1', id = '' } = isMap(column) ? column : { id: 0 }
  if (!isList(blocks) || typeof width !== 'string' || typeof id !== 'string') return invalid()
  const written = list.write(blocks, field.fieldsets, kept.blocks)
  return 'wrong' in written ? written : { stored: { blocks: written.stored, id: id || randomUUID(), width } }
}

function firstWrong(list: BlockList, rows: readonly Row[], field: Sets): Message | undefined {
  for (const [index, { attrs, columns }] of rows.entries()) {
    const setting = list.firstWrongValue(attrs, field.settings)
    const problem = setting
      ? message('validation.object', { ...setting })
      : columns.map(({ blocks }) => list.firstWrong(blocks, field.fieldsets)).find(wrong => wrong !== undefined)
    if (problem) return message('validation.layout', { row: String(index + 1), problem })
  }
  return undefined
}
