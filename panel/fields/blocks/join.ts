import { equal } from '../../editor/equal.ts'
import { type FieldDefinition, wordIn } from '../field.ts'
import { conform, endOf } from '../rich/conform.ts'
import { unwrap } from '../rich/around.ts'
import { type BlockValue, createBlock, type Fieldset, type Fieldsets } from './block-value.ts'
import { isFilled, writtenIn } from './written.ts'

interface Joined {
  /** The end of the earlier block with the text, in its field `part`. */
  block: BlockValue
  part: string
  /** Where the two texts meet. */
  caret: number
  /** The paragraphs that stay in the later block. */
  rest: string
}

const parse = (html: string) => new DOMParser().parseFromString(html, 'text/html').body

/** Moves the first paragraph of a text to the end of an earlier block. Undefined if one of them has no such place. */
export function joinInto(
  previous: BlockValue,
  html: string,
  isSameType: boolean,
  set: Fieldset | undefined,
): Joined | undefined {
  // The API accepts texts without paragraphs.
  const body = parse(/^\s*<(?:p|ul|ol|h\d|blockquote|pre|hr|figure)\b/i.test(html) ? html : `<p>${html}</p>`)
  const first = body.firstElementChild
  const part = writtenIn(set).findLast((name, at) => at === 0 || isFilled(previous.content[name]))
  if (!set || part === undefined || first?.localName !== 'p') return undefined
  first.remove()
  const field = set.fields[part]!
  // Texts of the same type may have the same marks, also those without a button.
  const moved = isSameType ? first.innerHTML : inlineFor(first.innerHTML, field)
  const before = wordIn(previous.content[part])
  const content = { ...previous.content, [part]: appended(before, moved, set, field) }
  return { block: { ...previous, content }, part, caret: endOf(before, field), rest: body.innerHTML }
}

const inlineFor = (html: string, field: FieldDefinition) =>
  unwrap(conform(`<p>${html}</p>`, { ...field, type: 'writer', inline: true }))

function appended(before: string, moved: string, { preview }: Fieldset, field: FieldDefinition): string {
  if (preview !== 'list' && field['inline'] === true) return before + moved
  const body = parse(before)
  const end = preview === 'list' ? [...body.querySelectorAll('li')].at(-1) : body
  const last = end?.lastElementChild
  if (!end) return `<ul><li><p>${moved}</p></li></ul>`
  if (last?.localName === 'p') last.insertAdjacentHTML('beforeend', moved)
  else if (preview === 'list') end.insertAdjacentHTML('beforeend', moved)
  else end.insertAdjacentHTML('beforeend', `<p>${moved}</p>`)
  return body.innerHTML
}

/** Takes the first item out of a list. Undefined if it has none. */
export function takeItem(html: string): { text: string; rest: string } | undefined {
  const body = parse(html)
  const item = body.querySelector('li')
  if (!item) return undefined
  item.before(...item.querySelectorAll(':scope > ul > li, :scope > ol > li'))
  item.remove()
  for (const list of item.querySelectorAll('ul, ol')) list.remove()
  const text = item.firstElementChild?.localName === 'p' ? item.innerHTML : `<p>${item.innerHTML}</p>`
  return { text, rest: body.querySelector('li') ? body.innerHTML : '' }
}

/** Whether the block has something in other fields, which would be lost. */
export function hasMore({ type, content }: BlockValue, part: string, fieldsets: Fieldsets): boolean {
  const initial = createBlock(type, fieldsets).content
  return Object.entries(content).some(
    ([name, value]) =>
      name !== part && !equal(value, initial[name]) && (isFilled(value) || (Array.isArray(value) && value.length > 0)),
  )
}
