import type { BlockValue } from './block-value.ts'

/** The selected blocks: all from the anchor to the head, which moves. */
export interface BlockSelection {
  anchor: string
  head: string
}

/** The ids of the selected blocks, in order. None if one of the ends is gone. */
export function selectedIn(blocks: readonly BlockValue[], selection: BlockSelection | undefined): string[] {
  if (!selection) return []
  const [one, other] = [selection.anchor, selection.head].map(end => blocks.findIndex(({ id }) => id === end))
  if (one === undefined || other === undefined || one < 0 || other < 0) return []
  return blocks.slice(Math.min(one, other), Math.max(one, other) + 1).map(({ id }) => id)
}

/** The block before or after another; the same at the end of the list. */
export function neighbourOf(blocks: readonly BlockValue[], id: string, step: number): string {
  const index = blocks.findIndex(block => block.id === id) + step
  return blocks[Math.max(0, Math.min(index, blocks.length - 1))]?.id ?? id
}
