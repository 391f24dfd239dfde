import { readClipboard } from '../paste/clipboard.ts'
import type { Pasted } from '../paste/pasted.ts'
import { escapeHtml, runsToHtml } from '../paste/to-html.ts'
import { maxColumns, maxRows, type TableValue } from './table-value.ts'

/** The cells of a table in the clipboard, as spreadsheets and other programs copy them. Undefined if there is none. */
export function cellsIn(data: DataTransfer): string[][] | undefined {
  const pasted = readClipboard(data)
  const [only, ...more] = pasted ?? []
  if (only?.kind === 'table' && more.length === 0) return cellsOf(only)
  return pasted === undefined ? separatedTexts(data.getData('text/plain'))?.map(row => row.map(htmlOf)) : undefined
}

const cellsOf = ({ rows }: Pasted & { kind: 'table' }) => rows.map(row => row.map(runsToHtml))

/** A pasted table as a value. What a table cannot hold is left out. */
export function tableOf(pasted: Pasted & { kind: 'table' }): TableValue {
  const rows = cellsOf(pasted).slice(0, maxRows)
  const columns = Math.min(maxColumns, Math.max(1, ...rows.map(row => row.length)))
  return {
    header: pasted.header,
    rows: rows.map(row => Array.from({ length: columns }, (_, index) => row[index] ?? '')),
  }
}

/** Plain text of a spreadsheet as a table with at least two rows. */
export function separatedTable(data: DataTransfer): Pasted | undefined {
  const rows = data.getData('text/html') === '' ? separatedTexts(data.getData('text/plain')) : undefined
  return rows && rows.length > 1 ? { kind: 'table', header: false, rows: rows.map(row => row.map(runsOf)) } : undefined
}

const runsOf = (text: string) => text.split(/(\n)/).filter(part => part !== '').map(part => ({ text: part })) // prettier-ignore
const htmlOf = (text: string) => escapeHtml(text).replaceAll('\n', '<br>')

/** Text with a tab between two cells. Cells with line breaks or quotes are quoted. */
function separatedTexts(text: string): string[][] | undefined {
  const lines = text.replaceAll('\r\n', '\n').replace(/\n$/, '')
  if (!lines.includes('\t')) return undefined
  const rows: string[][] = [[]]
  for (const [, quoted, plain = '', end] of lines.matchAll(/(?:"((?:[^"]|"")*)"(?=[\t\n]|$)|([^\t\n]*))(\t|\n|$)/g)) {
    rows.at(-1)!.push((quoted === undefined ? plain : quoted.replaceAll('""', '"')).trim())
    if (end === '\n') rows.push([])
    if (end === '') break
  }
  // Indented text is no table: its lines have different numbers of tabs, or nothing before them.
  const isTable = rows.every(row => row.length === rows[0]!.length) && rows.some(row => row[0] !== '')
  return isTable ? rows : undefined
}
