import type { Values } from '../field.ts'
import type { PrefixedParagraph } from '../rich/surrounding-html.ts'
import { conform } from '../rich/conform.ts'
import { type BlockValue, createBlock, type Fieldset, type Fieldsets } from './block-value.ts'
import { fieldsetWith, levelFor } from './pasted-blocks.ts'

/** The block that a paragraph with a prefix such as `# ` or `- ` becomes. Undefined if the field does not offer it. */
export function blockFor({ prefix, html }: PrefixedParagraph, fieldsets: Fieldsets): BlockValue | undefined {
  const [set, content] = partsFor(prefix, html, fieldsets) ?? []
  if (!set) return undefined
  const block = createBlock(set.type, fieldsets)
  return { ...block, content: { ...block.content, ...content } }
}

function partsFor(prefix: string, html: string, fieldsets: Fieldsets): [Fieldset, Values] | undefined {
  if (prefix.startsWith('#')) {
    const set = fieldsetWith(fieldsets, 'heading', 'text')
    return set && [set, { ...levelFor(prefix.length, set), text: conform(html, set.fields['text']!) }]
  }
  if (prefix === '>') {
    const set = fieldsetWith(fieldsets, 'quote', 'text')
    return set && [set, { text: conform(html, set.fields['text']!) }]
  }
  if (prefix === '```') {
    const set = fieldsetWith(fieldsets, 'code', 'code')
    return set && html === '' ? [set, {}] : undefined
  }
  if (prefix === '---') {
    const set = [...fieldsets.values()].find(({ preview, disabled }) => preview === 'line' && !disabled)
    return set && html === '' ? [set, {}] : undefined
  }
  const set = fieldsetWith(fieldsets, 'list', 'text')
  const tag = /^\d/.test(prefix) ? 'ol' : 'ul'
  return set && [set, { text: conform(`<${tag}><li><p>${html}</p></li></${tag}>`, set.fields['text']!) }]
}
