import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type Message, message } from '../../platform/texts.ts'
import { brokenValue, isBroken } from './broken.ts'
import { spendParts } from './budget.ts'
import { type BrokenValue, fieldType, type StoredValue, type WriteResult } from './field.ts'
import { sanitise, sanitiseSent, textIn, withoutBlocks } from './html.ts'
import { offeredMarks, tooMuchHtml } from './rich-text.ts'
import { checkListRules, tooManyParts, wrongType } from './rules.ts'
import { counts, flag, saved, textSetting } from './settings.ts'
import { isList, isMap, textOf } from './stored.ts'
import { refuseOverwritingBroken } from './values.ts'
import { parseStructured } from './yaml.ts'

interface Table {
  /** Whether the first row is the header. */
  header: boolean
  /** The cells of each row, as HTML without paragraphs. All rows have the same length. */
  rows: readonly (readonly string[])[]
}

const maxRows = 200
const maxColumns = 50
/** In characters of HTML. */
const maxCellLength = 5000

const empty: Table = { header: false, rows: [] }

/** Rows and columns of text. */
export const table = fieldType({
  settings: () =>
    z.strictObject({
      ...saved(),
      ...counts(),
      empty: textSetting().optional(),
      header: flag(true),
      marks: offeredMarks().optional(),
    }),
  storedAs: 'map',
  read: stored => tableIn(stored),
  write(sent, _field, before): WriteResult {
    const previous = tableIn(before)
    if (isBroken(previous)) return refuseOverwritingBroken()
    // Sent back as it was read, whatever was stored.
    if (before !== undefined && isDeepStrictEqual(sent === '' ? empty : sent, previous)) return { stored: before }
    const written = sent === '' ? empty : tableOf(sent)
    if (!('rows' in written)) return written
    if (before !== undefined && isDeepStrictEqual(written, previous)) return { stored: before }
    return { stored: written.rows.length === 0 ? '' : { header: written.header, rows: written.rows } }
  },
  check: ({ rows }, field, isActive = true) => checkListRules(field, isActive, isBlank(rows) ? [] : rows),
})

const isBlank = (rows: Table['rows']) => rows.every(row => row.every(cell => textIn(cell).trim() === ''))

/** A stored table. Rows that are too short are filled up. */
function tableIn(stored: StoredValue | undefined): Table | BrokenValue {
  if (stored === undefined || stored === null || (typeof stored === 'string' && stored.trim() === '')) return empty
  const value = typeof stored === 'string' ? parseStructured(stored) : stored
  if (isBroken(value)) return value
  if (value === null) return empty
  const rows: unknown = isMap(value) ? value['rows'] : undefined
  if (!isMap(value) || !isList(rows) || !rows.every(isList)) return brokenValue(stored, 'unreadable')
  const columns = Math.max(0, ...rows.slice(0, maxRows).map(row => row.length))
  if (rows.length > maxRows || columns > maxColumns) return brokenValue(stored, 'tooLarge')
  const cells: string[][] = []
  for (const row of rows) {
    const shown = row.map(cell => inline(sanitise(textOf(cell as StoredValue))))
    if (shown.includes(undefined)) return brokenValue(stored, 'tooLarge')
    cells.push([...(shown as string[]), ...Array<string>(columns - row.length).fill('')])
  }
  return columns === 0 ? empty : { header: value['header'] === true, rows: cells }
}

const inline = (html: string | undefined) => (html === undefined ? undefined : withoutBlocks(html))

/** A sent table, or what is wrong with it. */
function tableOf(sent: unknown): Table | Exclude<WriteResult, { stored: StoredValue }> {
  if (!isMap(sent)) return wrongType('object')
  const unknown = Object.keys(sent).find(name => name !== 'header' && name !== 'rows')
  if (unknown !== undefined) return refusal(message('validation.unknownInside', { name: unknown.slice(0, 50) }))
  const { header = false, rows } = sent
  if (typeof header !== 'boolean') return named('header', wrongType('boolean'))
  if (!isList(rows)) return named('rows', wrongType('list'))
  if (rows.length > maxRows) return { errors: { max: message('validation.count.max', { max: String(maxRows) }) } }
  const columns = isList(rows[0]) ? rows[0].length : 0
  if (!spendParts(rows.length * (1 + columns))) return tooManyParts()
  const cells: string[][] = []
  for (const [index, row] of rows.entries()) {
    const problem = problemOf(row, columns)
    if (problem) return refusal(message('validation.row', { row: String(index + 1), problem }))
    const clean = (row as string[]).map(cell => inline(sanitiseSent(cell.trim())))
    if (clean.includes(undefined)) return tooMuchHtml()
    cells.push(clean as string[])
  }
  return cells.length === 0 ? empty : { header, rows: cells }
}

function problemOf(row: unknown, columns: number): Message | undefined {
  if (!isList(row)) return message('validation.type', { kind: message('kind.list') })
  if (row.length !== columns || columns === 0 || columns > maxColumns)
    return message('validation.columns', { max: String(maxColumns) })
  if (!row.every(cell => typeof cell === 'string')) return message('validation.type', { kind: message('kind.text') })
  return row.some(cell => cell.length > maxCellLength)
    ? message('validation.maxlength', { max: String(maxCellLength) })
    : undefined
}

const refusal = (problem: Message) => ({ errors: { table: problem } })

const named = (field: string, { errors: { type } }: ReturnType<typeof wrongType>) =>
  refusal(message('validation.object', { field, problem: type! }))
