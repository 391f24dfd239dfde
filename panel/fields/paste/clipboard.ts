import { isPlain, type Pasted } from './pasted.ts'
import { readHtml } from './read-html.ts'

/** Written by an editor of the panel itself, which reads it back as it is. */
export const isOwn = (html: string): boolean => html.includes('data-pm-slice')

/** An editor of source code marks the colours of its syntax, and not what the text says. */
export const isSourceCode = (data: DataTransfer): boolean => data.types.includes('vscode-editor-data')

/** Formatted content of a clipboard; undefined if it has none, or comes from an editor of the panel. */
export function readClipboard(data: DataTransfer): Pasted[] | undefined {
  const html = data.getData('text/html')
  if (html === '' || isOwn(html) || isSourceCode(data)) return undefined
  const pasted = readHtml(html)
  return pasted.length > 0 ? pasted : undefined
}

const marks = [
  /^#{1,6} \S/m, // heading
  /^(?:[-*+]|\d+[.)]) \S.*\n+\s*(?:[-*+]|\d+[.)]) \S/m, // two list items
  /^> \S/m,
  /^```/m,
  /(?<![\w*])\*\*[^\s*][^*\n]*\*\*(?![\w*])/, // bold
  /\[[^\]\n]+\]\((?:https?:|mailto:|\/)[^)\s]*\)/, // link
]

/** Markdown in the plain text of a clipboard that has no better form. */
export function markdownIn(data: DataTransfer): string | undefined {
  const text = data.getData('text/plain').replaceAll('\r\n', '\n')
  if (!marks.some(mark => mark.test(text)) || isOwn(data.getData('text/html'))) return undefined
  const pasted = readClipboard(data)
  return pasted === undefined || isPlain(pasted) ? text : undefined
}

export async function readMarkdown(text: string): Promise<Pasted[]> {
  const { marked } = await import('marked')
  return readHtml(await marked(text, { gfm: true }))
}

export const picturesIn = (data: DataTransfer): File[] =>
  [...data.files].filter(({ type }) => type.startsWith('image/'))

/** A picture in a clipboard of words, such as cells of a table, is only another form of them. */
export function pastedPictures(data: DataTransfer): File[] {
  const pictures = picturesIn(data)
  if (pictures.length === 0) return []
  const pasted = readClipboard(data) ?? []
  return pasted.every(({ kind }) => kind === 'image') ? pictures : []
}
