/** A Markdown link in a text, or the selected text that is to become one. */
export interface MarkdownLink {
  start: number
  end: number
  text: string
  href: string
}

/** The link around the selection; without one, the selection with an empty target. */
export function linkAt(whole: string, start: number, end: number): MarkdownLink {
  for (const found of whole.matchAll(/(?<!!)\[((?:[^\]\\\n]|\\.)*)\]\(([^()\s]*)\)/g)) {
    const last = found.index + found[0].length
    if (found.index <= start && end <= last) return { start: found.index, end: last, text: found[1]!, href: found[2]! }
  }
  return { start, end, text: whole.slice(start, end), href: '' }
}

/** Escapes text for use in a Markdown link. */
export const escapeMarkdown = (text: string): string => text.replaceAll(/[[\]\\]/g, String.raw`\$&`)

/** Spaces and parentheses would end the URL, so they are encoded. */
export const markdownLink = (text: string, href: string): string =>
  `[${text}](${href.replaceAll(/[ ()]/g, sign => `%${sign.codePointAt(0)!.toString(16)}`)})`
