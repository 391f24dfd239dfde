import { Mark, mergeAttributes, Node } from '@tiptap/core'
import type { AnyExtension, Extensions } from '@tiptap/core'
import { Blockquote } from '@tiptap/extension-blockquote'
import { Bold } from '@tiptap/extension-bold'
import { Code } from '@tiptap/extension-code'
import { CodeBlock } from '@tiptap/extension-code-block'
import { HardBreak } from '@tiptap/extension-hard-break'
import { Heading } from '@tiptap/extension-heading'
import { HorizontalRule } from '@tiptap/extension-horizontal-rule'
import { Italic } from '@tiptap/extension-italic'
import { BulletList } from '@tiptap/extension-list/bullet-list'
import { ListItem } from '@tiptap/extension-list/item'
import { ListKeymap } from '@tiptap/extension-list/keymap'
import { OrderedList } from '@tiptap/extension-list/ordered-list'
import { Paragraph } from '@tiptap/extension-paragraph'
import { Strike } from '@tiptap/extension-strike'
import { Text } from '@tiptap/extension-text'
import { Underline } from '@tiptap/extension-underline'
import { Gapcursor } from '@tiptap/extensions/gap-cursor'
import { UndoRedo } from '@tiptap/extensions/undo-redo'
import { type FieldDefinition, isMap, listIn } from '../field.ts'
import { linkMark } from './link-mark.ts'

export type MarkName = 'bold' | 'italic' | 'underline' | 'strike' | 'code' | 'link' | 'email' | 'sup' | 'sub'
export type NodeName = 'paragraph' | 'heading' | 'bulletList' | 'orderedList' | 'quote' | 'horizontalRule' | 'codeBlock'

const allMarks: readonly MarkName[] = ['bold', 'italic', 'underline', 'strike', 'code', 'link', 'email', 'sup', 'sub']
const defaultMarks: readonly MarkName[] = ['bold', 'italic', 'underline', 'strike', 'code', 'link', 'email']
const allNodes: readonly NodeName[] = ['heading', 'bulletList', 'orderedList', 'quote', 'horizontalRule', 'codeBlock']
const defaultNodes: readonly NodeName[] = ['heading', 'bulletList', 'orderedList', 'quote', 'horizontalRule']

/** The names that a setting allows: a list or map of names, none if it is `false`, otherwise the defaults. */
function named<Name extends string>(setting: unknown, all: readonly Name[], defaults: readonly Name[]): Name[] {
  if (setting === false) return []
  if (Array.isArray(setting)) return all.filter(name => listIn(setting).includes(name))
  if (isMap(setting)) return all.filter(name => name in setting && setting[name] !== false)
  return [...defaults]
}

/** What the editor of a field offers, from the settings of the field. */
export interface EditorFeatures {
  marks: readonly MarkName[]
  nodes: readonly NodeName[]
  headings: readonly number[]
  /** A single paragraph, stored without its `<p>`. */
  inline: boolean
  /** Only a list. */
  list: boolean
}

export function featuresOf(field: FieldDefinition): EditorFeatures {
  const list = field.type === 'list'
  const inline = !list && field['inline'] === true
  const levels = listIn(field['headings']).filter(level => typeof level === 'number')
  return {
    marks: named(field['marks'], allMarks, defaultMarks),
    nodes: list
      ? ['bulletList', 'orderedList']
      : inline
        ? []
        : named(field['nodes'], allNodes, defaultNodes).filter(name => !listIn(field['ownBlocks']).includes(name)),
    headings: levels.length > 0 ? levels : [1, 2, 3, 4, 5, 6],
    inline,
    list,
  }
}

/** Marks without a button. They are preserved if the text has them. */
const preservedMarks = ['abbr', 'cite', 'ins', 'kbd', 'mark', 'q', 'small'].map(tag =>
  Mark.create({
    name: tag,
    addAttributes: () => ({ title: { default: null } }),
    parseHTML: () => [{ tag }],
    renderHTML: ({ HTMLAttributes }) => [tag, mergeAttributes(HTMLAttributes), 0],
  }),
)

const raised = (name: 'sup' | 'sub') =>
  Mark.create({
    name,
    parseHTML: () => [{ tag: name }],
    renderHTML: () => [name, 0],
  })

const whole = (content: string) => Node.create({ name: 'doc', topNode: true, content })

/**
 * The extensions for the marks and nodes that the field offers, plus those that the text already contains, so that
 * editing loses nothing.
 */
export function extensionsFor(offer: EditorFeatures, html: string, { undo = true } = {}): Extensions {
  const has = (tags: RegExp) => tags.test(html)
  const mark = (extension: AnyExtension, name: MarkName, tags: RegExp) =>
    offer.marks.includes(name) || has(tags) ? [extension] : []
  const node = (extension: AnyExtension, name: NodeName, tags: RegExp) =>
    !offer.inline && (offer.nodes.includes(name) || (has(tags) && !offer.list)) ? [extension] : []
  const lists = [...node(BulletList, 'bulletList', /<ul\b/i), ...node(OrderedList, 'orderedList', /<ol\b/i)]
  const isLinked = offer.marks.includes('link') || offer.marks.includes('email') || has(/<a\b/i)

  return [
    whole(offer.inline ? 'paragraph' : offer.list ? '(bulletList | orderedList)+' : 'block+'),
    Paragraph,
    Text,
    HardBreak,
    ...(undo ? [UndoRedo] : []),
    ...(offer.inline || offer.list ? [] : [Gapcursor]),
    ...mark(Bold, 'bold', /<(?:b|strong)\b/i),
    ...mark(Italic, 'italic', /<(?:i|em)\b/i),
    ...mark(Underline, 'underline', /<u\b/i),
    ...mark(Strike, 'strike', /<(?:s|del)\b/i),
    ...mark(Code, 'code', /<code\b/i),
    ...(isLinked ? [linkMark({ automatic: offer.marks.includes('link') })] : []),
    ...node(Heading, 'heading', /<h[1-6]\b/i),
    ...lists,
    ...(lists.length > 0 ? [ListItem, ListKeymap] : []),
    ...node(Blockquote, 'quote', /<blockquote\b/i),
    ...node(HorizontalRule, 'horizontalRule', /<hr\b/i),
    ...node(CodeBlock, 'codeBlock', /<pre\b/i),
    ...(offer.marks.includes('sup') || has(/<sup\b/i) ? [raised('sup')] : []),
    ...(offer.marks.includes('sub') || has(/<sub\b/i) ? [raised('sub')] : []),
    ...preservedMarks.filter(preserved => has(new RegExp(`<${preserved.name}\\b`, 'i'))),
    ...(has(/<figure\b/i) && !offer.inline && !offer.list ? [figure, figcaption] : []),
  ]
}

const figure = Node.create({
  name: 'figure',
  group: 'block',
  content: 'block* figcaption?',
  parseHTML: () => [{ tag: 'figure' }],
  renderHTML: () => ['figure', 0],
})

const figcaption = Node.create({
  name: 'figcaption',
  content: 'inline*',
  parseHTML: () => [{ tag: 'figcaption' }],
  renderHTML: () => ['figcaption', 0],
})
