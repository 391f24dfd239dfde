import { Mark, markPasteRule } from '@tiptap/core'
import { isHistoryTransaction } from '@tiptap/pm/history'
import { type EditorState, Plugin, type Transaction } from '@tiptap/pm/state'
import { ReplaceStep } from '@tiptap/pm/transform'

const isAllowed = (href: string) => !/^\s*(?:javascript|data|vbscript):/i.test(href)

/** Web and email addresses in a text. Punctuation at the end does not belong to them. */
const addresses = /\b(?:https?:\/\/|www\.)[^\s<>"]*[^\s<>"'.,;:!?)\]}]|[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b/giu

interface Found {
  text: string
  index: number
  href: string
}

const addressesIn = (text: string): Found[] =>
  [...text.matchAll(addresses)].map(({ 0: found, index }) => ({ text: found, index, href: hrefOf(found) }))

function hrefOf(address: string): string {
  if (/^https?:/i.test(address)) return address
  return address.includes('@') && !/^www\./i.test(address) ? `mailto:${address}` : `https://${address}`
}

/** Formatted content has its own links. */
const addressesPasted = (text: string, event?: ClipboardEvent | null) =>
  /<a\b/i.test(event?.clipboardData?.getData('text/html') ?? '')
    ? []
    : addressesIn(text).map(({ href, ...found }) => ({ ...found, data: { href } as Record<string, unknown> }))

/** A link. With `automatic`, typed and pasted addresses become links. */
export const linkMark = ({ automatic }: { automatic: boolean }) =>
  Mark.create({
    name: 'link',
    priority: 1000,
    keepOnSplit: false,
    inclusive: false,
    addAttributes: () => ({
      href: { default: null },
      target: { default: null },
      rel: { default: null },
      class: { default: null },
      title: { default: null },
    }),
    parseHTML: () => [{ tag: 'a[href]', getAttrs: element => isAllowed(element.getAttribute('href') ?? '') && null }],
    renderHTML: ({ HTMLAttributes: { href, ...attributes } }) => [
      'a',
      { ...attributes, href: typeof href === 'string' && isAllowed(href) ? href : '' },
      0,
    ],
    addPasteRules() {
      if (!automatic) return []
      return [markPasteRule({ find: addressesPasted, type: this.type, getAttributes: ({ data }) => data ?? null })]
    },
    addProseMirrorPlugins() {
      return automatic ? [linkWhileTyping, linkSelectionOnPaste] : []
    },
  })

/** A space or Enter after an address makes it a link. */
const linkWhileTyping = new Plugin({
  appendTransaction: (transactions, _before, state) =>
    transactions.some(isSpaceTyped) ? linkBefore(state, state.selection.from) : undefined,
})

function isSpaceTyped(transaction: Transaction): boolean {
  const [step] = transaction.steps
  if (transaction.steps.length !== 1 || !(step instanceof ReplaceStep) || isHistoryTransaction(transaction))
    return false
  return /^\s?$/.test(step.slice.content.textBetween(0, step.slice.content.size)) && step.slice.size > 0
}

/** Links the address that ends before a position, or at the end of the paragraph before it. */
function linkBefore({ doc, tr, schema }: EditorState, position: number): Transaction | undefined {
  const resolved = doc.resolve(position)
  const end =
    resolved.parentOffset === 0 && resolved.depth > 0 ? doc.resolve(Math.max(0, resolved.before() - 1)) : resolved
  const { parent } = end
  const type = schema.marks['link']
  if (!type || !parent.isTextblock || parent.type.spec.code) return undefined
  const text = parent.textBetween(0, end.parentOffset, undefined, '\uFFFC').trimEnd()
  const found = addressesIn(text).at(-1)
  // Behind the address there may be punctuation, such as the end of a sentence.
  if (!found || /[\s\p{L}]/u.test(text.slice(found.index + found.text.length))) return undefined
  const from = end.start() + found.index
  const to = from + found.text.length
  const { code } = schema.marks
  if (doc.rangeHasMark(from, to, type) || (code && doc.rangeHasMark(from, to, code))) return undefined
  return tr.addMark(from, to, type.create({ href: found.href }))
}

/** An address that is pasted onto selected text links it. */
const linkSelectionOnPaste = new Plugin({
  props: {
    handlePaste: ({ state, dispatch }, event) => {
      const text = event.clipboardData?.getData('text/plain').trim() ?? ''
      const { empty, from, to } = state.selection
      const [found] = addressesIn(text)
      const type = state.schema.marks['link']
      if (empty || found?.text !== text || !type) return false
      dispatch(state.tr.addMark(from, to, type.create({ href: found.href })))
      return true
    },
  },
})
