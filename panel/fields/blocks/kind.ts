import type { Values } from '../field.ts'
import type { Pasted } from '../paste/pasted.ts'
import type { Around, Place } from '../rich/rich-editor.tsx'
import type { BlockValue, Fieldset, Fieldsets } from './block-value.ts'

/** Which text of a list of blocks is being written: only that one has an editor. */
export interface Active {
  block: string
  part: string
  place: Place
}

/** Where blocks are put: behind a block (at the end without one), or into a text of it. */
export type Insertion = { after: string | undefined } | { block: string; part: string; around: Around }

/** What a block asks of the list it stands in. These never change, so that a block is only drawn when it does itself. */
export interface BlockActions {
  change: (id: string, content: Values) => void
  activate: (active: Active | undefined) => void
  /** The same blocks in another order. */
  sort: (order: readonly BlockValue[]) => void
  /** The caret leaves the block for its neighbour. */
  leave: (id: string, to: 'before' | 'after') => void
  remove: (id: string) => void
  insert: (type: string, after: string | undefined) => void
  /** A block in the place of a line of a text, which is cut in two there. */
  insertAt: (type: string, id: string, part: string, around: { before: string; after: string }) => void
  /** Pasted content as blocks. False if the list cannot take it. */
  paste: (pasted: readonly Pasted[], to: Insertion) => boolean
  /** Uploads pictures, each as a block. */
  addPictures: (files: readonly File[], to: Insertion) => void
  duplicate: (id: string) => void
  hide: (id: string, hidden: boolean) => void
  move: (id: string, step: number) => void
  /** Shows all fields of the block. */
  edit: (id: string) => void
}

export interface KindProps {
  block: BlockValue
  fieldset: Fieldset
  /** If a text of this block is being written. */
  active: Active | undefined
  actions: BlockActions
  disabled: boolean
  /** The kind of block that follows when Enter is pressed in a heading; none if there is no such kind. */
  follow: string | undefined
  /** The kinds of blocks that a slash offers; none where nothing can be added. */
  slash: Fieldsets | undefined
}
