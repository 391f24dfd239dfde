import { equal } from '../../editor/equal.ts'
import { type FieldDefinition, primitiveText } from '../field.ts'
import { conform, endOf } from '../rich/conform.ts'
import { unwrapParagraph } from '../rich/surrounding-html.ts'
import { type BlockValue, createBlock, type Fieldset, type Fieldsets } from './block-value.ts'
import { isFilled, writtenIn } from './written.ts'

interface MergedBlock {
  /** The earlier block, with the moved paragraph at the end of its field `fieldName`. */
  block: BlockValue
  fieldName: string
  /** Position in the editor of this field, where the two texts meet. */
  caret: number
  /** What remains of the later block's text. */
  rest: string
}

const parse = (html: string) => new DOMParser().parseFromString(html, 'text/html').body

/** Puts a text without paragraphs into one: the API accepts such texts. */
const parseParagraphs = (html: string) =>
  parse(/^\s*<(?:p|ul|ol|h\d|blockquote|pre|hr|figure)\b/i.test(html) ? html : `<p>${html}</p>`)

/**
 * Moves the first paragraph of a text to the end of the previous block: to its last filled text field, or the first one
 * if all are empty. Undefined if the text does not begin with a paragraph, or the previous block has no text field.
 */
export function mergeIntoPrevious(
  previous: BlockValue,
  html: string,
  isSameType: boolean,
  set: Fieldset | undefined,
): MergedBlock | undefined {
  const body = parseParagraphs(html)
  const first = body.firstElementChild
  const fieldName = writtenIn(set).findLast((name, index) => index === 0 || isFilled(previous.content[name]))
  if (!set || fieldName === undefined || first?.localName !== 'p') return undefined
  first.remove()
  const field = set.fields[fieldName]!
  // Texts of the same type may have the same marks, also those without a button.
  const moved = isSameType ? first.innerHTML : inlineFor(first.innerHTML, field)
  const before = primitiveText(previous.content[fieldName])
  const content = { ...previous.content, [fieldName]: appended(before, moved, set, field) }
  return { block: { ...previous, content }, fieldName, caret: endOf(before, field), rest: body.innerHTML }
}

const inlineFor = (html: string, field: FieldDefinition) =>
  unwrapParagraph(conform(`<p>${html}</p>`, { ...field, type: 'writer', inline: true }))

function appended(before: string, moved: string, { preview }: Fieldset, field: FieldDefinition): string {
  if (preview !== 'list' && field['inline'] === true) return before + moved
  const body = parseParagraphs(before)
  const end = preview === 'list' ? [...body.querySelectorAll('li')].at(-1) : body
  const last = end?.lastElementChild
  if (!end) return `<ul><li><p>${moved}</p></li></ul>`
  if (last?.localName === 'p') last.insertAdjacentHTML('beforeend', moved)
  else if (preview === 'list') end.insertAdjacentHTML('beforeend', moved)
  else end.insertAdjacentHTML('beforeend', `<p>${moved}</p>`)
  return body.innerHTML
}

/** Takes the first item out of a list; items nested in it move up one level. Undefined if the list has none. */
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

/** Whether the block has input in fields other than this one: it would be lost if the block were removed. */
export function hasMore({ type, content }: BlockValue, fieldName: string, fieldsets: Fieldsets): boolean {
  const initial = createBlock(type, fieldsets).content
  return Object.entries(content).some(
    ([name, value]) =>
      name !== fieldName &&
      !equal(value, initial[name]) &&
      (isFilled(value) || (Array.isArray(value) && value.length > 0)),
  )
}
