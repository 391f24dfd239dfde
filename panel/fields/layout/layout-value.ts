import { type BlockValue, blocksIn, copyOf } from '../blocks/block-value.ts'
import { isMap, listIn, textIn, textsIn, type Values } from '../field.ts'
import { createId } from '../id.ts'

export interface LayoutColumn {
  id: string
  width: string
  blocks: BlockValue[]
}

export interface LayoutRow {
  id: string
  attrs: Values
  columns: LayoutColumn[]
}

export const rowsIn = (value: unknown): LayoutRow[] =>
  listIn(value)
    .filter(isMap)
    .map((row, index) => ({
      id: textIn(row['id']) ?? `row-${index}`,
      attrs: isMap(row['attrs']) ? row['attrs'] : {},
      columns: listIn(row['columns'])
        .filter(isMap)
        .map((column, columnIndex) => ({
          id: textIn(column['id']) ?? `column-${index}-${columnIndex}`,
          width: textIn(column['width']) ?? '1/1',
          blocks: blocksIn(column['blocks']),
        })),
    }))

/** The available layouts, each a list of column widths. */
export const layoutsIn = (setting: unknown): string[][] => {
  const found = listIn(setting).map(textsIn).filter(widths => widths.length > 0) // prettier-ignore
  return found.length > 0 ? found : [['1/1']]
}

export const createRow = (widths: readonly string[], attrs: Values): LayoutRow => ({
  id: createId(),
  attrs,
  columns: widths.map(width => ({ id: createId(), width, blocks: [] })),
})

export const copyOfRow = (row: LayoutRow): LayoutRow => ({
  ...row,
  id: createId(),
  columns: row.columns.map(column => ({ ...column, id: createId(), blocks: column.blocks.map(copyOf) })),
})

/** Changes the columns of a row. Blocks of removed columns move to the last one. */
export function withWidths(row: LayoutRow, widths: readonly string[]): LayoutRow {
  const columns = widths.map((width, index) => {
    const before = row.columns[index]
    return before ? { ...before, width } : { id: createId(), width, blocks: [] }
  })
  const rest = row.columns.slice(widths.length).flatMap(column => column.blocks)
  const last = columns.at(-1)
  if (last && rest.length > 0) columns[columns.length - 1] = { ...last, blocks: [...last.blocks, ...rest] }
  return { ...row, columns }
}

/** Moves blocks to an index of another column, in the same row or another. */
export function moveBlocks(
  rows: readonly LayoutRow[],
  keys: ReadonlySet<string>,
  from: string,
  to: string,
  index: number,
): LayoutRow[] {
  const columns = rows.flatMap(row => row.columns)
  const blocks = columns.find(column => column.id === from)?.blocks.filter(({ id }) => keys.has(id)) ?? []
  return rows.map(row => ({
    ...row,
    columns: row.columns.map(column => {
      if (column.id === from) return { ...column, blocks: column.blocks.filter(({ id }) => !keys.has(id)) }
      return column.id === to ? { ...column, blocks: column.blocks.toSpliced(index, 0, ...blocks) } : column
    }),
  }))
}
