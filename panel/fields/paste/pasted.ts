/** Marks of a piece of text. */
export interface Marks {
  bold?: boolean
  italic?: boolean
  underline?: boolean
  strike?: boolean
  code?: boolean
  sup?: boolean
  sub?: boolean
  href?: string
}

/** Text with one set of marks. A line break is the text `\n`. */
export interface TextRun extends Marks {
  text: string
}

export interface PastedItem {
  runs: TextRun[]
  lists: PastedList[]
}

export interface PastedList {
  kind: 'list'
  ordered: boolean
  items: PastedItem[]
}

/** Pasted content, independent of the program that it comes from. Each type of field renders it in its own way. */
export type Pasted =
  | { kind: 'paragraph'; runs: TextRun[] }
  | { kind: 'heading'; level: number; runs: TextRun[] }
  | { kind: 'quote'; runs: TextRun[] }
  | { kind: 'code'; code: string; language: string | undefined }
  | { kind: 'table'; header: boolean; rows: TextRun[][][] }
  | { kind: 'image'; src: string; alt: string }
  | { kind: 'line' }
  | PastedList

const names = ['bold', 'italic', 'underline', 'strike', 'code', 'sup', 'sub', 'href'] as const

/** Joins adjacent runs with the same marks, and trims spaces at the edges of lines. */
export function joinRuns(runs: readonly TextRun[]): TextRun[] {
  const joined: TextRun[] = []
  for (const run of runs) {
    const last = joined.at(-1)
    const isBreak = run.text === '\n'
    const text = !last || last.text === '\n' || last.text.endsWith(' ') ? run.text.replace(/^ +/, '') : run.text
    if (text === '') continue
    if (isBreak && last) last.text = last.text.replace(/ +$/, '')
    if (last && !isBreak && last.text !== '\n' && names.every(name => last[name] === run[name])) last.text += text
    else joined.push({ ...run, text })
  }
  const isEdge = (run: TextRun | undefined) => run !== undefined && /^[\s\u00A0]*$/.test(run.text)
  while (isEdge(joined[0])) joined.shift()
  while (isEdge(joined.at(-1))) joined.pop()
  const last = joined.at(-1)
  if (last) last.text = last.text.replace(/ +$/, '')
  return joined
}

/** Paragraphs as one text with line breaks. */
export const withBreaks = (parts: readonly (readonly TextRun[])[]): TextRun[] =>
  parts.flatMap((runs, index) => (index === 0 ? runs : [{ text: '\n' }, ...runs]))

/** Cells of a table row as one line of text. */
export const rowRuns = (row: readonly (readonly TextRun[])[]): TextRun[] =>
  row.flatMap((cell, index) => [
    ...(index === 0 ? [] : [{ text: ' | ' }]),
    ...cell.map(run => (run.text === '\n' ? { text: ' ' } : run)),
  ])

/** Only paragraphs without marks, equivalent to plain text. */
export const isPlain = (pasted: readonly Pasted[]): boolean =>
  pasted.every(
    part =>
      part.kind === 'paragraph' && part.runs.every(run => names.every(name => run[name] === undefined || !run[name])),
  )
