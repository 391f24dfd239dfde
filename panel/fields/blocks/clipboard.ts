import { isMap, listIn, textIn, primitiveText } from '../field.ts'
import { textOfHtml } from '../html.tsx'
import { readHtml } from '../paste/read-html.ts'
import { escapeHtml } from '../paste/to-html.ts'
import { entriesIn } from '../picker/entries.ts'
import { valueText } from '../preview.tsx'
import { tableIn, type TableValue } from '../table/table-value.ts'
import { type BlockValue, blocksIn, copyOf, createBlock, type Fieldset, type Fieldsets } from './block-value.ts'
import { withoutReferences } from './foreign.ts'
import { blocksFrom } from './pasted-blocks.ts'

const blocksType = 'application/x-quoin-blocks+json'
/** Holds the same JSON in the HTML, because some programs keep only that. */
const blocksAttribute = 'data-quoin-blocks'
const maxBlocks = 2000

/** The site whose files and pages the blocks refer to. */
const thisSite = () => document.baseURI.replace(/\/panel\b.*$/, '')

interface CopiedBlocks {
  site: string
  blocks: BlockValue[]
}

/** Writes blocks into the clipboard: for blocks fields of any site, and as text for other programs. */
export function writeBlocks(data: DataTransfer, blocks: readonly BlockValue[], fieldsets: Fieldsets): void {
  const json = JSON.stringify({ site: thisSite(), blocks })
  const html = blocks.map(block => htmlOf(block, fieldsets.get(block.type))).join('')
  data.setData(blocksType, json)
  data.setData('text/html', `<div ${blocksAttribute}="${escapeHtml(json)}">${html}</div>`)
  data.setData('text/plain', plainText(html))
}

/** The blocks in a clipboard; undefined if there are none. The content may come from anywhere, so it is checked. */
export function readBlocks(data: DataTransfer): CopiedBlocks | undefined {
  const json = data.getData(blocksType) || jsonIn(data.getData('text/html'))
  if (!json) return undefined
  try {
    const copied: unknown = JSON.parse(json)
    const blocks = isMap(copied) ? blocksIn(listIn(copied['blocks']).slice(0, maxBlocks)) : []
    return blocks.length === 0 ? undefined : { site: primitiveText((copied as { site?: unknown }).site), blocks }
  } catch {
    return undefined
  }
}

function jsonIn(html: string): string | undefined {
  if (!html.includes(blocksAttribute)) return undefined
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  return body.querySelector(`[${blocksAttribute}]`)?.getAttribute(blocksAttribute) ?? undefined
}

/**
 * Copies of blocks for a field: with new ids, and only with what the field offers. Blocks of other types become text.
 * References to files, pages and accounts of another site are left out.
 */
export function adoptBlocks({ site, blocks }: CopiedBlocks, fieldsets: Fieldsets) {
  const isForeign = site !== thisSite()
  let leftOut = 0
  const adopted = blocks.flatMap(block => {
    const set = fieldsets.get(block.type)
    if (!set || set.disabled) {
      const converted = blocksFrom(readHtml(htmlOf(block, set)), fieldsets)
      leftOut += converted?.skippedImages ?? 1
      return converted?.blocks ?? []
    }
    const known = Object.fromEntries(Object.entries(block.content).filter(([name]) => name in set.fields))
    const { content, count } = isForeign ? withoutReferences(set.fields, known) : { content: known, count: 0 }
    leftOut += count
    // All fields, as in a new block.
    const whole = { ...createBlock(block.type, fieldsets).content, ...content }
    return [copyOf({ ...block, isHidden: (block.isHidden as unknown) === true, content: whole })]
  })
  return { blocks: adopted, leftOut }
}

/** What other programs show of a block. */
function htmlOf({ type, content }: BlockValue, set: Fieldset | undefined): string {
  const text = primitiveText(content['text'])
  switch (set?.preview ?? type) {
    case 'heading': {
      const level = /^h[1-6]$/.exec(primitiveText(content['level']))?.[0] ?? 'h2'
      return `<${level}>${text}</${level}>`
    }
    case 'quote': {
      const source = primitiveText(content['citation'])
      return `<blockquote>${text}</blockquote>${source === '' ? '' : `<p>${source}</p>`}`
    }
    case 'text':
    case 'list':
      return text
    case 'code':
      return `<pre><code>${escapeHtml(primitiveText(content['code']))}</code></pre>`
    case 'markdown':
      return `<p>${escapeHtml(text).replaceAll('\n', '<br>')}</p>`
    case 'table':
      return tableHtml(tableIn(content['table']))
    case 'line':
      return '<hr>'
    case 'image':
    case 'gallery':
      return images(content) || `<p>${escapeHtml(primitiveText(content['alt']))}</p>`
    default:
      return Object.entries(set?.fields ?? {})
        .map(([name, field]) => valueText(field, content[name]))
        .filter(line => line !== '')
        .map(line => `<p>${escapeHtml(line)}</p>`)
        .join('')
  }
}

function tableHtml({ header, rows }: TableValue): string {
  const lines = rows.map((row, index) => `<tr>${cellsHtml(row, header && index === 0 ? 'th' : 'td')}</tr>`)
  return `<table>${lines.join('')}</table>`
}

const cellsHtml = (row: readonly string[], tag: string) => row.map(cell => `<${tag}>${cell}</${tag}>`).join('')

function images(content: BlockValue['content']): string {
  const sources =
    content['location'] === 'web'
      ? [textIn(content['src'])]
      : entriesIn(content['images'] ?? content['image']).map(({ url, image }) => textIn(url) ?? textIn(image?.['url']))
  const alt = escapeHtml(primitiveText(content['alt']))
  return sources
    .flatMap(source => (source === undefined ? [] : [new URL(source, document.baseURI).href]))
    .map(source => `<img src="${escapeHtml(source)}" alt="${alt}">`)
    .join('')
}

/** Lines for programs without formatting. */
const plainText = (html: string) =>
  html
    .replaceAll(/<\/t[dh]><t[dh]>/g, '\t')
    .split(/<\/(?:p|h\d|li|blockquote|pre|tr)>|<br\s*\/?>/i)
    .map(line => textOfHtml(line))
    .filter(line => line !== '')
    .join('\n')
