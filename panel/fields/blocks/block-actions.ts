import type { Values } from '../field.ts'
import type { Pasted } from '../paste/pasted.ts'
import type { PrefixedParagraph, SurroundingHtml } from '../rich/surrounding-html.ts'
import type { CaretPosition, TextChange } from '../rich/rich-editor.tsx'
import type { BlockValue, Fieldset, Fieldsets } from './block-value.ts'

/** The caret in a text that is being edited. Only this text of a list has an editor. */
export interface TextCaret {
  block: string
  /** The field that has the text; `table 2 0` for a table cell. */
  part: string
  position: CaretPosition
}

/** Where blocks are inserted: after a block (at the end if undefined), or into one of its texts. */
export type Insertion = { after: string | undefined } | { block: string; part: string; around: SurroundingHtml }

/** Actions of a list on its blocks. The object is stable, so that a block re-renders only when the block changes. */
export interface BlockActions {
  /**
   * `textChange`: how a rich text editor changed the text, or `uploaded`. Omitted for other controls. Undo groups changes by
   * it.
   */
  change: (id: string, content: Values, textChange?: TextChange | 'uploaded') => void
  /** Tells the history that the caret has moved; `isTyped` if typing moved it. */
  caretMoved: (caret: TextCaret, isTyped: boolean) => void
  activate: (active: TextCaret | undefined) => void
  /** Puts the blocks in another order. */
  sort: (order: readonly BlockValue[]) => void
  /** The caret moves on to the neighbouring block. */
  leave: (id: string, to: 'before' | 'after') => void
  remove: (id: string) => void
  insert: (type: string, after: string | undefined) => void
  /** Replaces a line of a text by a new block, and splits the text there. */
  insertAt: (type: string, id: string, part: string, around: SurroundingHtml) => void
  /** Splits a text: what follows becomes a block. Returns false if the list cannot accept it. */
  split: (id: string, part: string, around: SurroundingHtml) => boolean
  /**
   * Joins a text with the block before it, or turns a heading, list or quotation into a text block first. Returns false if
   * there is nothing to do.
   */
  join: (id: string, part: string) => boolean
  /** Joins the block after a text with it. Returns false if there is none. */
  joinNext: (id: string, part: string) => boolean
  /** Makes a block of a paragraph that begins with `# `, `- ` and so on. Returns false if the list cannot accept it. */
  startBlock: (id: string, part: string, paragraph: PrefixedParagraph) => boolean
  /** Inserts pasted content as blocks. Returns false if the list cannot accept it. */
  paste: (pasted: readonly Pasted[], to: Insertion) => boolean
  /** Uploads images and inserts a block for each. */
  addImages: (files: readonly File[], to: Insertion) => void
  duplicate: (id: string) => void
  /** Makes it a block of another type with the same text. */
  turnInto: (id: string, type: string) => void
  hide: (id: string, hidden: boolean) => void
  move: (id: string, step: number) => void
  /** Opens the drawer with all fields of the block. */
  edit: (id: string) => void
}

export interface BlockContentProps {
  block: BlockValue
  fieldset: Fieldset
  /** Set if a text of this block is being edited. */
  active: TextCaret | undefined
  actions: BlockActions
  selection: SelectionActions
  disabled: boolean
  /** The block types in the slash menu; undefined if no blocks can be added. */
  slash: Fieldsets | undefined
}

/** Actions on the selected blocks of a list. */
export interface SelectionActions {
  selected: () => readonly BlockValue[]
  /** Selects a block, or all blocks from `from` to `to`. */
  select: (from: string, to?: string) => void
  selectAll: () => void
  clear: () => void
  /** Selects the next (1) or previous (-1) block; with `isExtended`, extends the selection to it. */
  moveSelection: (step: number, isExtended: boolean) => void
  duplicate: () => void
  remove: () => void
  move: (step: number) => void
  /** Turns those with a text into another type. */
  turnInto: (type: string) => void
  /** Inserts blocks of the clipboard. Returns false if it has none. */
  paste: (data: DataTransfer, to: Insertion) => boolean
}
