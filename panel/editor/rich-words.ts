/** A word of a rich text, a run of whitespace or a punctuation mark, with its marks: `bold`, `link https://…`. */
export interface RichWord {
  text: string
  marks: readonly string[]
}

const markNames: Readonly<Record<string, string>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  s: 'strike',
  del: 'strike',
  strike: 'strike',
  code: 'code',
  sup: 'sup',
  sub: 'sub',
}

const blockNames = new Set([
  'p',
  'div',
  'ul',
  'ol',
  'li',
  'blockquote',
  'pre',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'hr',
])
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00A0' }

export const isRich = (text: string) => /<[a-z/!][^>]*>/i.test(text)

/**
 * Splits HTML into words. Headings, lists and other blocks become line breaks that carry the name of the block as a
 * mark. Parsed without the DOM, and the result is never rendered as HTML.
 */
export function richWords(html: string): RichWord[] {
  const words: RichWord[] = []
  const open: { tag: string; mark: string }[] = []
  const marks = () => [...new Set(open.map(({ mark }) => mark))].filter(mark => mark !== '').toSorted()
  for (const [part, tag] of html.matchAll(/<(\/?[a-z][a-z0-9]*)\b[^>]*>|<!--[\s\S]*?-->|[^<]+|</gi)) {
    if (part.startsWith('<!--')) continue
    if (tag === undefined) {
      for (const text of wordsIn(decoded(part))) words.push({ text, marks: marks() })
      continue
    }
    const name = tag.replace('/', '').toLowerCase()
    if (name === 'br') words.push({ text: '\n', marks: [] })
    else if (blockNames.has(name)) {
      if (!tag.startsWith('/'))
        words.push({ text: '\n', marks: name === 'p' || name === 'div' ? [] : [`block ${name}`] })
    } else if (tag.startsWith('/')) {
      const index = open.findLastIndex(element => element.tag === name)
      if (index >= 0) open.splice(index, 1)
    } else if (!part.endsWith('/>')) open.push({ tag: name, mark: markOf(name, part) })
  }
  // The first paragraph needs no line break.
  return words[0]?.text === '\n' && words[0].marks.length === 0 ? words.slice(1) : words
}

/** The mark of a link has its target, every other mark its name. */
function markOf(name: string, tag: string): string {
  if (name === 'a')
    return `link ${decoded(/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag)?.slice(1).find(Boolean) ?? '')}`
  return markNames[name] ?? name
}

export const wordsIn = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}_]+|\s+|[^\p{L}\p{M}\p{N}_\s]/gu) ?? []

function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (all, decimal, hex, name: string) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(String(hex), 16) : undefined
    if (code !== undefined) return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : all
    return entities[name.toLowerCase()] ?? all
  })
}
