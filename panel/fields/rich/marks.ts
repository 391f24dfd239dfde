import { Mark, mergeAttributes, Node } from '@tiptap/core'
import { StarterKit } from '@tiptap/starter-kit'
import type { Extensions } from '@tiptap/core'
import { type FieldDefinition, isMap, listIn } from '../field.ts'

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
    nodes: list ? ['bulletList', 'orderedList'] : inline ? [] : named(field['nodes'], allNodes, defaultNodes),
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
export function extensionsFor(offer: EditorFeatures, html: string): Extensions {
  const has = (tags: RegExp) => tags.test(html)
  const mark = (name: MarkName, tags: RegExp) => (offer.marks.includes(name) || has(tags) ? {} : (false as const))
  const node = (name: NodeName, tags: RegExp) =>
    !offer.inline && (offer.nodes.includes(name) || (has(tags) && !offer.list)) ? {} : (false as const)
  const lists = node('bulletList', /<ul\b/i) || node('orderedList', /<ol\b/i)
  const link = offer.marks.includes('link') || offer.marks.includes('email') || has(/<a\b/i)

  return [
    whole(offer.inline ? 'paragraph' : offer.list ? '(bulletList | orderedList)+' : 'block+'),
    StarterKit.configure({
      document: false,
      dropcursor: false,
      gapcursor: offer.inline || offer.list ? false : {},
      trailingNode: false,
      bold: mark('bold', /<(?:b|strong)\b/i),
      italic: mark('italic', /<(?:i|em)\b/i),
      underline: mark('underline', /<u\b/i),
      strike: mark('strike', /<(?:s|del)\b/i),
      code: mark('code', /<code\b/i),
      link: link && {
        openOnClick: false,
        autolink: offer.marks.includes('link'),
        linkOnPaste: offer.marks.includes('link'),
        HTMLAttributes: { target: null, rel: null },
        isAllowedUri: (address: string) => !/^\s*(?:javascript|data|vbscript):/i.test(address),
      },
      heading: node('heading', /<h[1-6]\b/i) && { levels: [1, 2, 3, 4, 5, 6] },
      bulletList: node('bulletList', /<ul\b/i),
      orderedList: node('orderedList', /<ol\b/i),
      listItem: lists ? {} : false,
      listKeymap: lists ? {} : false,
      blockquote: node('quote', /<blockquote\b/i),
      horizontalRule: node('horizontalRule', /<hr\b/i),
      codeBlock: node('codeBlock', /<pre\b/i),
    } as Parameters<typeof StarterKit.configure>[0]),
    ...(offer.marks.includes('sup') || has(/<sup\b/i) ? [raised('sup')] : []),
    ...(offer.marks.includes('sub') || has(/<sub\b/i) ? [raised('sub')] : []),
    ...preservedMarks.filter(one => has(new RegExp(`<${one.name}\\b`, 'i'))),
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
