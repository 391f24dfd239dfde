import { useQueries } from '@tanstack/react-query'
import { Ellipsis, FileText } from 'lucide-react'
import { useMemo, useState } from 'react'
import { t } from '../../texts/texts.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import type { TreeNode, TreePlace } from '../../ui/tree-rows.ts'
import { Tree } from '../../ui/tree.tsx'
import { StateMarks } from '../state-marks.tsx'
import { statusTone } from '../status-mark.tsx'
import { ancestorPaths, batchSize, type TreePage, type TreePages, treePagesQuery, parentOf } from './nodes.ts'

interface Props {
  label: string
  language: string | undefined
  /** The path of the current or chosen page; `''` is the site, if that can be chosen. */
  selected?: string | undefined
  onSelect: (leaf: TreePage | undefined) => void
  onHover?: ((leaf: TreePage) => void) | undefined
  /** Resolves to the new path of the page. */
  onMove?: ((leaf: TreePage, place: TreePlace, target: TreePage) => Promise<string>) | undefined
  canMove?: MovePredicate<boolean> | undefined
  /** Called for a move that `canMove` does not allow. */
  onRefused?: MovePredicate<void> | undefined
  /**
   * Why a page cannot be chosen, although it is shown; `''` for a reason that is not known yet. Undefined as page is the
   * site.
   */
  reasonOf?: ((leaf: TreePage | undefined) => string | undefined) | undefined
  /** A page that cannot be chosen is clicked. */
  onDisabled?: ((reason: string) => void) | undefined
  /** Title of the site. If set, the site is shown above all pages and can be chosen. */
  root?: string | undefined
  className?: string | undefined
}

/** `parent` is the parent of the target; undefined at the top level. */
type MovePredicate<Result> = (
  leaf: TreePage,
  place: TreePlace,
  target: TreePage,
  parent: TreePage | undefined,
) => Result

const more = '…'
const site = '/'

/** The pages of the site as a tree. Children are loaded when a page is opened. */
export function PageTree({
  label,
  language,
  selected,
  onSelect,
  onHover,
  onMove,
  canMove,
  onRefused,
  reasonOf,
  onDisabled,
  root,
  className,
}: Props) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(['', ...ancestorPaths(selected ?? '')]))
  const [parts, setParts] = useState<Readonly<Record<string, number>>>({})
  const parents = useMemo(() => [...open], [open])
  const found = useQueries({ queries: parents.map(parent => treePagesQuery(parent, language, parts[parent] ?? 1)) })
  const levels = new Map(parents.map((parent, index) => [parent, found[index]?.data]))
  const leaves = new Map([...levels.values()].flatMap(level => level?.data ?? []).map(leaf => [leaf.id, leaf]))

  function nodesOf(parent: string, level: TreePages | undefined): TreeNode[] | undefined {
    if (!level) return undefined
    const { data, total } = level
    const nodes: TreeNode[] = data.map(leaf => ({
      id: leaf.id,
      text: leaf.title,
      icon: FileText,
      after: (
        <>
          <StateMarks state={leaf.state} />
          <StatusDot tone={statusTone[leaf.status]} label={leaf.state.statusLabel} />
        </>
      ),
      hasChildren: leaf.hasChildren || leaf.hasDrafts,
      children: open.has(leaf.id) ? nodesOf(leaf.id, levels.get(leaf.id)) : undefined,
      ...disabledBy(reasonOf?.(leaf)),
      fixed: leaf.options['move'] !== true && !leaf.isSortable,
    }))
    const left = total - data.length
    if (left <= 0) return nodes
    return [
      ...nodes,
      {
        id: `${parent}/${more}`,
        text: t('pages.tree.more', { count: left }),
        icon: Ellipsis,
        hasChildren: false,
        fixed: true,
      },
    ]
  }

  const top = nodesOf('', levels.get(''))
  if (!top) return <Skeleton className="h-6" lines={6} />
  const nodes: TreeNode[] =
    root === undefined
      ? top
      : [
          {
            id: site,
            text: root,
            hasChildren: top.length > 0,
            children: top,
            ...disabledBy(reasonOf?.(undefined)),
            fixed: true,
          },
        ]
  const openNodes = root === undefined ? open : new Set([...open, site])

  return (
    <Tree
      label={label}
      nodes={nodes}
      open={openNodes}
      className={className}
      selected={selected === '' ? site : selected}
      onOpen={(id, isOpen) => {
        if (id === site) return
        const next = new Set(open)
        if (isOpen) next.add(id)
        else next.delete(id)
        setOpen(next)
      }}
      onSelect={({ id }) => {
        if (id === site) onSelect(undefined)
        else if (id.endsWith(`/${more}`)) {
          const parent = id.slice(0, -1 - more.length)
          setParts({ ...parts, [parent]: (parts[parent] ?? 1) + Math.max(1, Math.round(1000 / batchSize)) })
        } else onSelect(leaves.get(id))
      }}
      onHover={({ id }) => {
        const leaf = leaves.get(id)
        if (leaf) onHover?.(leaf)
      }}
      onMove={
        onMove &&
        (async (id, place, target) => {
          const [leaf, other] = [leaves.get(id), leaves.get(target)]
          if (!leaf || !other) return id
          if (place === 'inside') setOpen(new Set([...open, target]))
          const path = await onMove(leaf, place, other)
          // Wait until the reloaded pages are rendered.
          await new Promise(drawn => setTimeout(drawn))
          return path
        })
      }
      canMove={(id, place, target) => {
        const [leaf, other] = [leaves.get(id), leaves.get(target)]
        return (
          leaf !== undefined &&
          other !== undefined &&
          (canMove?.(leaf, place, other, leaves.get(parentOf(target))) ?? true)
        )
      }}
      onRefused={(id, place, target) => {
        const [leaf, other] = [leaves.get(id), leaves.get(target)]
        if (leaf && other) onRefused?.(leaf, place, other, leaves.get(parentOf(target)))
      }}
      onDisabled={({ reason }) => onDisabled?.(reason ?? '')}
    />
  )
}

const disabledBy = (reason: string | undefined) => ({ disabled: reason !== undefined, reason: reason || undefined })
