import type { RefObject } from 'react'
import type { BlockValue, Fieldsets } from './block-value.ts'
import type { UndoStep } from './history.ts'
import type { Insertion } from './block-actions.ts'
import type { ListHandle } from './use-history.ts'

/** The current list. Actions read it from a ref, so that the actions themselves never change. */
export interface LatestProps {
  blocks: readonly BlockValue[]
  onChange: (blocks: BlockValue[], step?: UndoStep) => void
  fieldsets: Fieldsets
  room: number
}

/** What other actions on the list are made of. */
export interface ListActions extends Pick<ListHandle, 'focusBlock'> {
  latest: RefObject<LatestProps>
  all: () => readonly BlockValue[]
  put: (blocks: readonly BlockValue[], step?: UndoStep) => void
  /** Returns false if the maximum number of blocks would be exceeded. */
  place: (blocks: readonly BlockValue[], to: Insertion, step?: UndoStep) => boolean
  scrollTo: (id: string) => void
}
