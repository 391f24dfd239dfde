import type { ReactNode } from 'react'
import type { Icon } from './icon.ts'

export interface TreeNode {
  id: string
  text: string
  icon?: Icon | undefined
  /** At the end of the row: a status. */
  after?: ReactNode
  /** Whether it has children, loaded or not. */
  hasChildren: boolean
  /** Undefined until loaded. */
  children?: readonly TreeNode[] | undefined
  fixed?: boolean | undefined
  /** Cannot be selected, and is shown only for its descendants. */
  disabled?: boolean | undefined
  /** Why it cannot be selected. */
  reason?: string | undefined
}

export type TreePlace = 'before' | 'inside' | 'after'

/** Resolves, after the tree is rendered with the change, to the new id of the node. */
export type TreeMove = (id: string, place: TreePlace, target: string) => Promise<string>

export type CanMove = (id: string, place: TreePlace, target: string) => boolean

/** Called for a move that `canMove` does not allow. */
export type RefuseMove = (id: string, place: TreePlace, target: string) => void

export interface VisibleRow {
  /** Undefined while the children of `parent` load. */
  node: TreeNode | undefined
  level: number
  parent: string | undefined
  position: number
  siblings: readonly TreeNode[]
}

/** The visible rows of a tree, from top to bottom. */
export function rowsOf(nodes: readonly TreeNode[], open: ReadonlySet<string>): VisibleRow[] {
  const rows: VisibleRow[] = []
  const add = (siblings: readonly TreeNode[], level: number, parent: string | undefined) => {
    for (const [position, node] of siblings.entries()) {
      rows.push({ node, level, parent, position, siblings })
      if (!node.hasChildren || !open.has(node.id)) continue
      if (node.children) add(node.children, level + 1, node.id)
      else rows.push({ node: undefined, level: level + 1, parent: node.id, position: 0, siblings: [] })
    }
  }
  add(nodes, 1, undefined)
  return rows
}
