import { type FieldDefinition, type Values, primitiveText } from '../field.ts'
import type { Pasted } from '../paste/pasted.ts'
import { readHtml } from '../paste/read-html.ts'
import { escapeHtml, toHtml, toInlineHtml, toListHtml } from '../paste/to-html.ts'
import { toMarkdown } from '../paste/to-markdown.ts'
import { textOfHtml } from '../html.tsx'
import { conform } from '../rich/conform.ts'
import { type BlockValue, createBlock, type Fieldset, type Fieldsets } from './block-value.ts'
import { choicesIn } from './choices.ts'

/** The field with the text of a block, by its preview. */
const parts: Readonly<Record<string, string>> = {
  text: 'text',
  heading: 'text',
  list: 'text',
  quote: 'text',
  markdown: 'text',
  code: 'code',
}

const partOf = (set: Fieldset | undefined): string | undefined => {
  const part = parts[set?.preview ?? '']
  return part !== undefined && set && part in set.fields ? part : undefined
}

/** The types that at least one of the blocks can be turned into. */
export function turnsFor(blocks: readonly BlockValue[], fieldsets: Fieldsets): Fieldset[] {
  const types = new Set(blocks.map(({ type }) => type).filter(type => partOf(fieldsets.get(type)) !== undefined))
  const isOther = (set: Fieldset) => types.size > 1 || !types.has(set.type)
  if (types.size === 0) return []
  return choicesIn(fieldsets).flatMap(({ sets }) => sets.filter(set => isOther(set) && partOf(set) !== undefined))
}

/** The same text as a block of another type, if both types have one. Other fields stay if that type has them. */
export function turnedInto(block: BlockValue, type: string, fieldsets: Fieldsets): BlockValue {
  const [from, to] = [fieldsets.get(block.type), fieldsets.get(type)]
  const [fromPart, toPart] = [partOf(from), partOf(to)]
  if (!from || !to || from === to || fromPart === undefined || toPart === undefined) return block
  const pasted = textIn(primitiveText(block.content[fromPart]), from)
  const shared = Object.entries(block.content).filter(([name]) => name !== fromPart && name in to.fields)
  const content: Values = {
    ...createBlock(type, fieldsets).content,
    ...Object.fromEntries(shared),
    [toPart]: textFor(pasted, to, to.fields[toPart]!),
  }
  return { ...block, type, content }
}

function textIn(text: string, { preview }: Fieldset): Pasted[] {
  const isPlain = preview === 'code' || preview === 'markdown'
  return readHtml(isPlain ? text.split('\n').map(line => `<p>${escapeHtml(line)}</p>`).join('') : text) // prettier-ignore
}

function textFor(pasted: readonly Pasted[], { preview }: Fieldset, field: FieldDefinition): string {
  if (pasted.length === 0) return ''
  switch (preview) {
    case 'code':
      return toHtml(pasted).split(/<\/(?:p|li)>|<br>/).map(textOfHtml).filter(line => line !== '').join('\n') // prettier-ignore
    case 'markdown':
      return toMarkdown(pasted)
    case 'list':
      return conform(toListHtml(pasted), field)
    case 'text':
      return conform(toHtml(pasted.flatMap(asParagraphs)), field)
    default:
      return conform(toInlineHtml(pasted), field)
  }
}

/** The items of a list, each as a paragraph. */
function asParagraphs(part: Pasted): Pasted[] {
  if (part.kind === 'list')
    return part.items.flatMap(({ runs, lists }) => [
      { kind: 'paragraph', runs } as const,
      ...lists.flatMap(asParagraphs),
    ])
  return [part.kind === 'heading' || part.kind === 'quote' ? { kind: 'paragraph', runs: part.runs } : part]
}
