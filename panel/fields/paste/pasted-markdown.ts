import { readClipboard } from './clipboard.ts'
import { isPlain } from './pasted.ts'
import { toMarkdown } from './to-markdown.ts'

/** Formatted content of a clipboard as Markdown; undefined where its plain text says the same. */
export function pastedMarkdown(data: DataTransfer): string | undefined {
  const pasted = readClipboard(data)
  return pasted === undefined || isPlain(pasted) ? undefined : toMarkdown(pasted)
}
