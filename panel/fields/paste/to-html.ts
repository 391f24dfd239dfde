import { type Pasted, type PastedList, rowRuns, type TextRun, withBreaks } from './pasted.ts'

const tags = {
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  strike: 's',
  sup: 'sup',
  sub: 'sub',
  code: 'code',
} as const

export const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

export const runsToHtml = (runs: readonly TextRun[]): string => runs.map(runToHtml).join('')

function runToHtml(run: TextRun): string {
  if (run.text === '\n') return '<br>'
  let html = escapeHtml(run.text)
  for (const [name, tag] of Object.entries(tags).toReversed())
    if (run[name as keyof typeof tags]) html = `<${tag}>${html}</${tag}>`
  return run.href === undefined ? html : `<a href="${escapeHtml(run.href)}">${html}</a>`
}

/** For texts with several paragraphs. Images are left out. */
export const toHtml = (pasted: readonly Pasted[]): string => pasted.map(partToHtml).join('')

function partToHtml(part: Pasted): string {
  switch (part.kind) {
    case 'paragraph':
      return `<p>${runsToHtml(part.runs)}</p>`
    case 'heading':
      return `<h${part.level}>${runsToHtml(part.runs)}</h${part.level}>`
    case 'quote':
      return `<blockquote><p>${runsToHtml(part.runs)}</p></blockquote>`
    case 'list':
      return listToHtml(part)
    case 'code':
      return `<pre><code>${escapeHtml(part.code)}</code></pre>`
    case 'table':
      return part.rows.map(row => `<p>${runsToHtml(rowRuns(row))}</p>`).join('')
    case 'line':
      return '<hr>'
    default:
      return ''
  }
}

export function listToHtml({ ordered, items }: PastedList): string {
  const tag = ordered ? 'ol' : 'ul'
  const inner = items.map(({ runs, lists }) => `<li><p>${runsToHtml(runs)}</p>${lists.map(listToHtml).join('')}</li>`)
  return `<${tag}>${inner.join('')}</${tag}>`
}

/** A part as one or more lines of text. */
function linesIn(part: Pasted): TextRun[][] {
  switch (part.kind) {
    case 'list':
      return part.items.flatMap(({ runs, lists }) => [runs, ...lists.flatMap(linesIn)])
    case 'table':
      return part.rows.map(rowRuns)
    case 'code':
      return part.code.split('\n').map(text => [{ text }])
    case 'line':
    case 'image':
      return []
    default:
      return [part.runs]
  }
}

/** For texts with a single paragraph. */
export const toInlineHtml = (pasted: readonly Pasted[]): string => runsToHtml(withBreaks(pasted.flatMap(linesIn)))

/** For lists: every line outside of a list becomes an item. */
export function toListHtml(pasted: readonly Pasted[]): string {
  const lists: PastedList[] = []
  for (const part of pasted) {
    if (part.kind === 'list') {
      lists.push(part)
      continue
    }
    const items = linesIn(part).map(runs => ({ runs, lists: [] }))
    if (items.length > 0) lists.push({ kind: 'list', ordered: false, items })
  }
  const joined: PastedList[] = []
  for (const list of lists) {
    const last = joined.at(-1)
    if (last?.ordered === list.ordered) last.items = [...last.items, ...list.items]
    else joined.push({ ...list })
  }
  return joined.map(listToHtml).join('')
}
