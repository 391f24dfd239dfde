import { markdownLink } from '../link/markdown.ts'
import { type Pasted, type PastedList, type TextRun, withBreaks } from './pasted.ts'

/** For text areas, which use Markdown. */
export const toMarkdown = (pasted: readonly Pasted[]): string => pasted.map(partToMarkdown).filter(Boolean).join('\n\n')

function partToMarkdown(part: Pasted): string {
  switch (part.kind) {
    case 'paragraph':
      return text(part.runs)
    case 'heading':
      return `${'#'.repeat(part.level)} ${text(part.runs).replaceAll('\n', ' ')}`
    case 'quote':
      return text(part.runs).replaceAll(/^/gm, '> ')
    case 'list':
      return list(part).join('\n')
    case 'code':
      return `\`\`\`${part.language ?? ''}\n${part.code}\n\`\`\``
    case 'table':
      return table(part.rows)
    case 'line':
      return '---'
    default:
      return /^https?:/i.test(part.src) ? `!${markdownLink(escapeText(part.alt), part.src)}` : ''
  }
}

const escapeText = (content: string) => content.replaceAll(/[\\`*_[\]<]/g, String.raw`\$&`)

function text(runs: readonly TextRun[]): string {
  return runs
    .map(run => {
      if (run.text === '\n') return '  \n'
      const [, before = '', inner = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(run.text) ?? []
      if (inner === '') return run.text
      let markdown = run.code ? `\`${inner}\`` : escapeText(inner)
      if (run.strike) markdown = `~~${markdown}~~`
      if (run.italic) markdown = `*${markdown}*`
      if (run.bold) markdown = `**${markdown}**`
      if (run.href !== undefined) markdown = markdownLink(markdown, run.href)
      return before + markdown + after
    })
    .join('')
    .replaceAll(/^(#{1,6}|[-+>]|\d+[.)])(?= )/gm, String.raw`\$1`)
}

function list({ ordered, items }: PastedList): string[] {
  return items.flatMap(({ runs, lists }, index) => {
    const mark = ordered ? `${index + 1}. ` : '- '
    const indent = ' '.repeat(mark.length)
    return [
      mark + text(runs).replaceAll('\n', `\n${indent}`),
      ...lists.flatMap(list).map(line => indent + line.replaceAll('\n', `\n${indent}`)),
    ]
  })
}

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

function table(rows: readonly TextRun[][][]): string {
  const width = Math.max(...rows.map(row => row.length))
  const [head = [], ...rest] = rows.map(row =>
    Array.from({ length: width }, (_, index) =>
      text(withBreaks([row[index] ?? []]))
        .replaceAll(/\s*\n/g, ' ')
        .replaceAll('|', String.raw`\|`),
    ),
  )
  return [line(head), line(head.map(() => '---')), ...rest.map(line)].join('\n')
}
