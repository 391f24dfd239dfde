import {
  joinRuns,
  type Marks,
  type Pasted,
  type PastedItem,
  type PastedList,
  type TextRun,
  withBreaks,
} from './pasted.ts'
import { type ListRules, listRules, nestItems, revealConditional, wordListItem, type WordItem } from './word-list.ts'

/**
 * Parses the HTML of the clipboard. The Content Security Policy of the panel forbids `style` attributes, so they are
 * renamed before parsing, and read as text.
 */
export function readHtml(html: string): Pasted[] {
  const sheets = [...html.matchAll(/<style\b[^>]*>([\s\S]*?)<\/style/gi)].map(([, sheet]) => sheet).join('\n')
  const source = {
    classes: classRules(sheets, /content="Cocoa HTML Writer"/i.test(html)),
    lists: listRules(sheets),
    keepsLines: html.includes('<!-- notionvc:'),
  }
  const safe = revealConditional(html)
    .replaceAll(/<(style|script|xml|title)\b[\s\S]*?<\/\1\s*>/gi, '')
    .replaceAll(/<[a-z](?:[^>"']|"[^"]*"|'[^']*')*>/gi, tag => tag.replace(/(\s)style(\s*=)/i, '$1data-style$2'))
  const { body } = new DOMParser().parseFromString(safe, 'text/html')
  return readChildren(body, {}, source)
}

/** Information from outside of the text. */
interface Source {
  /** Style sheet rules by `tag.class`. */
  classes: ReadonlyMap<string, string>
  lists: ListRules
  /** Notion writes line breaks as newline characters. */
  keepsLines: boolean
}

/**
 * Cocoa applications define marks as CSS rules for classes of spans and paragraphs. In Word, rules for paragraphs are
 * only defaults, so only those for spans are read.
 */
function classRules(sheets: string, isCocoa: boolean): Source['classes'] {
  const rules = sheets.matchAll(
    isCocoa ? /\b((?:span|p|li)\.[\w-]+)\s*\{([^}]*)\}/g : /\b(span\.[\w-]+)\s*\{([^}]*)\}/g,
  )
  return new Map([...rules].map(([, name, rule]) => [name!, rule!]))
}

const dropped = new Set(['head', 'template', 'svg', 'math', 'noscript', 'iframe', 'object', 'embed', 'button', 'select', 'input', 'textarea']) // prettier-ignore
const blockTags = new Set([
  'address', 'article', 'aside', 'body', 'center', 'dd', 'details', 'div', 'dl', 'dt', 'fieldset', 'figcaption', 'figure', 'footer', 'form',
  'header', 'li', 'main', 'nav', 'p', 'section', 'summary',
]) // prettier-ignore
const markTags: Readonly<Record<string, Marks>> = {
  b: { bold: true }, strong: { bold: true }, i: { italic: true }, em: { italic: true }, u: { underline: true }, ins: { underline: true },
  s: { strike: true }, del: { strike: true }, strike: { strike: true }, code: { code: true }, kbd: { code: true }, tt: { code: true },
  samp: { code: true }, sup: { sup: true }, sub: { sub: true },
} // prettier-ignore
/** Word has separate classes for the lines of a title. */
const headingClass = /^mso(title|subtitle)(?:cxsp(?:first|middle|last))?$/
/** Comments in Word: their anchors in the text, and the list at its end. */
const isComment = (element: Element, style: string) =>
  /mso-element:\s*comment-list|mso-special-character:\s*comment/i.test(style) ||
  /^(?:MsoCommentReference|msocomanchor)$/i.test(element.className)
/** Tracked changes in Word: insertions are included, deletions are not. */
const isTracked = (element: Element) => element.hasAttribute('cite') && element.hasAttribute('datetime')

function readChildren(parent: Node, outer: Marks, source: Source): Pasted[] {
  const found: Pasted[] = []
  let line: TextRun[] = []
  let wordItems: WordItem[] = []

  function endWordList() {
    if (wordItems.length > 0) found.push(...nestItems(wordItems))
    wordItems = []
  }

  function endLine(make: (runs: TextRun[]) => Pasted = runs => ({ kind: 'paragraph', runs })) {
    // Two line breaks in a row separate paragraphs.
    const parts = splitAtBlankLines(line)
    line = []
    const texts = parts.map(joinRuns).filter(runs => runs.length > 0)
    if (texts.length > 0) endWordList()
    found.push(...texts.map(make))
  }

  function add(pasted: Pasted) {
    endLine()
    endWordList()
    found.push(pasted)
  }

  function block(element: Element, marks: Marks, make?: (runs: TextRun[]) => Pasted) {
    endLine()
    for (const child of element.childNodes) walk(child, marks)
    endLine(make)
  }

  function walk(node: Node, marks: Marks) {
    if (node.nodeType === Node.TEXT_NODE) {
      addText(node.nodeValue ?? '', marks)
      return
    }
    if (!(node instanceof Element)) return
    const tag = node.localName
    const style = styleOf(node, source)
    if (dropped.has(tag) || /mso-list:\s*ignore/i.test(style) || /display:\s*none/i.test(style)) return
    if (isComment(node, style) || (tag === 'del' && isTracked(node))) return
    const next = marksOf(node, tag, style, marks)
    if (tag === 'br') line.push({ text: '\n' })
    else if (tag === 'hr') add({ kind: 'line' })
    else if (tag === 'img') addImage(node)
    else if (tag === 'pre') add(codeIn(node))
    else if (tag === 'ul' || tag === 'ol') {
      const list = listIn(node, marks, source)
      if (list.items.length > 0) add(list)
    } else if (tag === 'table') addTable(node, marks)
    else if (tag === 'blockquote') addQuote(node, marks)
    else if (/^h[1-6]$/.test(tag)) block(node, next, heading(Number(tag[1])))
    else if (node.classList.contains('Apple-converted-space')) line.push({ ...marks, text: ' ' })
    else if (blockTags.has(tag) || /^(?:p|div)$/i.test(tag)) addBlock(node, style, next)
    else for (const child of node.childNodes) walk(child, next)
  }

  function addText(text: string, marks: Marks) {
    // A line break between two tags is only formatting of the HTML.
    const lines = source.keepsLines && text.trim() !== '' ? text.replaceAll('\r\n', '\n').split('\n') : [text]
    for (const [index, part] of lines.entries()) {
      if (index > 0) line.push({ text: '\n' })
      const content = part.replaceAll(/[ \t\r\n]+/g, ' ')
      if (content !== '') line.push({ ...marks, text: content })
    }
  }

  function addBlock(element: Element, style: string, marks: Marks) {
    const item = wordListItem(element, style, source.lists)
    const name = element.className.toLowerCase()
    if (item) {
      endLine()
      const runs = textOf(readChildren(element, marks, source))
      if (runs.length > 0) wordItems.push({ ...item, runs })
    } else if (wordItems.length > 0 && name.startsWith('msolistparagraph')) {
      // Another paragraph of the previous item.
      const runs = textOf(readChildren(element, marks, source))
      const last = wordItems.at(-1)!
      if (runs.length > 0) last.runs = withBreaks([last.runs, runs])
    } else if (headingClass.test(name)) block(element, marks, heading(name.startsWith('msot') ? 1 : 2))
    else if (/^mso(?:intense)?quote$/.test(name))
      block(element, { ...marks, italic: false }, runs => ({ kind: 'quote', runs }))
    else block(element, marks)
  }

  function addImage(element: Element) {
    const src = element.getAttribute('src') ?? ''
    if (element.closest('[role=checkbox]') || src === '') return
    add({ kind: 'image', src, alt: element.getAttribute('alt') ?? '' })
  }

  function addTable(element: Element, marks: Marks) {
    const lines = [...element.querySelectorAll('tr')].filter(row => row.closest('table') === element)
    const header = lines[0]?.querySelector('td') === null && lines[0].querySelector('th') !== null
    const textIn = (cell: Element) =>
      textOf(readChildren(cell, marksOf(cell, cell.localName, styleOf(cell, source), marks), source))
    const rows = lines.map(row => [...row.children].map(textIn))
    const only = rows.length === 1 && rows[0]!.length === 1 && element.querySelector('td, th')
    // A table with a single cell is only a frame around its content.
    if (only) block(only, marks)
    else if (rows.some(row => row.some(cell => cell.length > 0))) add({ kind: 'table', header, rows })
  }

  function addQuote(element: Element, marks: Marks) {
    endLine()
    endWordList()
    const inner = readChildren(element, marks, source)
    const paragraphs = inner.filter(part => part.kind === 'paragraph')
    if (paragraphs.length > 0) found.push({ kind: 'quote', runs: withBreaks(paragraphs.map(({ runs }) => runs)) })
    found.push(...inner.filter(part => part.kind !== 'paragraph'))
  }

  for (const child of parent.childNodes) walk(child, outer)
  endLine()
  endWordList()
  return found
}

/** A heading is bold by default, so bold is marked only on a part of it. */
const heading =
  (level: number) =>
  (runs: TextRun[]): Pasted => ({
    kind: 'heading',
    level,
    runs: runs.every(({ bold, text }) => bold || text.trim() === '')
      ? joinRuns(runs.map(run => ({ ...run, bold: false })))
      : runs,
  })

function splitAtBlankLines(line: readonly TextRun[]): TextRun[][] {
  const parts: TextRun[][] = [[]]
  let breaks = 0
  for (const run of line) {
    if (run.text === '\n') breaks += 1
    else if (/^[\s\u00A0]*$/.test(run.text) && breaks > 0) continue
    else {
      if (breaks > 1) parts.push([])
      else if (breaks === 1) parts.at(-1)!.push({ text: '\n' })
      breaks = 0
      parts.at(-1)!.push(run)
    }
  }
  return parts
}

/** The content of a list item or a cell as a single text. */
function textOf(pasted: readonly Pasted[]): TextRun[] {
  const texts = pasted.flatMap(part => {
    if ('runs' in part) return [part.runs]
    if (part.kind === 'code') return [[{ text: part.code, code: true }]]
    if (part.kind === 'list') return part.items.map(({ runs }) => runs)
    return []
  })
  return withBreaks(texts.filter(runs => runs.length > 0))
}

/** Google Docs writes nested lists next to the item that they belong to, not inside it. */
function listIn(element: Element, marks: Marks, source: Source): PastedList {
  const items: PastedItem[] = []
  for (const child of element.children) {
    if (child.localName === 'ul' || child.localName === 'ol') {
      const inner = listIn(child, marks, source)
      const last = items.at(-1)
      if (last) last.lists.push(inner)
      else items.push(...inner.items)
    } else if (child.localName === 'li') {
      const inner = readChildren(child, marksOf(child, 'li', styleOf(child, source), marks), source)
      const lists = inner.filter(part => part.kind === 'list')
      const runs = textOf(inner.filter(part => part.kind !== 'list'))
      if (runs.length > 0 || lists.length > 0) items.push({ runs, lists })
    }
  }
  return { kind: 'list', ordered: element.localName === 'ol', items }
}

function codeIn(element: Element): Pasted {
  for (const br of element.querySelectorAll('br')) br.replaceWith('\n')
  const named = /\blang(?:uage)?-([\w+#-]+)/.exec(
    `${element.className} ${element.querySelector('code')?.className ?? ''}`,
  )
  return { kind: 'code', code: (element.textContent ?? '').replace(/\n$/, ''), language: named?.[1] }
}

function styleOf(element: Element, { classes }: Source): string {
  const own = element.getAttribute('data-style') ?? ''
  if (classes.size === 0) return own
  return [...[...element.classList].map(name => classes.get(`${element.localName}.${name}`) ?? ''), own].join(';')
}

function marksOf(element: Element, tag: string, style: string, outer: Marks): Marks {
  const marks: Marks = { ...outer, ...(isTracked(element) ? {} : markTags[tag]) }
  const isLink = tag === 'a' || outer.href !== undefined
  if (tag === 'a') {
    const href = element.getAttribute('href')?.trim() ?? ''
    if (/^(?:https?:|mailto:|tel:|ftp:)/i.test(href)) marks.href = href
  }
  if (style === '') return marks
  const value = (name: string) =>
    new RegExp(`(?:^|;)\\s*${name}\\s*:\\s*([^;]+)`, 'i').exec(style)?.[1]?.trim().toLowerCase()
  const weight = value('font-weight') ?? /\b(bold)\b/.exec(value('font') ?? '')?.[1]
  if (weight !== undefined) marks.bold = weight.startsWith('bold') || Number.parseInt(weight, 10) >= 600
  const slant = value('font-style')
  if (slant !== undefined) marks.italic = /italic|oblique/.test(slant)
  const line = value('text-decoration(?:-line)?') ?? ''
  // Links are underlined by default.
  if (line.includes('underline') && !isLink) marks.underline = true
  if (line.includes('line-through')) marks.strike = true
  const place = value('vertical-align')
  if (place === 'super') marks.sup = true
  if (place === 'sub') marks.sub = true
  return marks
}
