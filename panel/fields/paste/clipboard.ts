import { isPlain, type Pasted } from './pasted.ts'
import { readHtml } from './read-html.ts'

/** Copied from an editor of the panel, which parses its own HTML. */
export const isOwn = (html: string): boolean => html.includes('data-pm-slice')

/** Source code editors copy their syntax colours as HTML, which is of no use. */
export const isSourceCode = (data: DataTransfer): boolean => data.types.includes('vscode-editor-data')

/** Formatted content of the clipboard; undefined if there is none, or if it was copied from an editor of the panel. */
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

/** Markdown in the plain text of a clipboard without a better format. */
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

export const imagesIn = (data: DataTransfer): File[] => [...data.files].filter(({ type }) => type.startsWith('image/'))

/** Images in the clipboard. Some programs add an image to copied text, such as table cells; that one is ignored. */
export function pastedImages(data: DataTransfer): File[] {
  const images = imagesIn(data)
  if (images.length === 0) return []
  const pasted = readClipboard(data) ?? []
  return pasted.every(({ kind }) => kind === 'image') ? images : []
}
