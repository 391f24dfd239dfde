import { readClipboard } from './clipboard.ts'
import { isPlain } from './pasted.ts'
import { toMarkdown } from './to-markdown.ts'

/** Formatted content of the clipboard as Markdown; undefined if its plain text is equivalent. */
export function pastedMarkdown(data: DataTransfer): string | undefined {
  const pasted = readClipboard(data)
  return pasted === undefined || isPlain(pasted) ? undefined : toMarkdown(pasted)
}
