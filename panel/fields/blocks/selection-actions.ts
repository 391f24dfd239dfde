import { t } from '../../texts/texts.ts'
import { toast } from '../../ui/toast.ts'
import type { ListActions } from './list-actions.ts'
import type { ActiveText } from './active-text.ts'
import { type BlockValue, copyOf } from './block-value.ts'
import { adoptBlocks, readBlocks } from './clipboard.ts'
import type { UndoStep } from './history.ts'
import type { SelectionActions } from './block-actions.ts'
import { neighbourOf, selectedIn } from './selection.ts'
import { turnedInto } from './turn-into.ts'

interface ActionParts {
  list: ListActions
  activeText: ActiveText
  focus: () => void
}

/** Undo does not put the caret into a text. */
const noCaret: UndoStep = { caret: 'none' }

export function createSelectionActions({ list, activeText, focus }: ActionParts): SelectionActions {
  const { all, put, place, focusBlock, latest } = list
  const selected = () => {
    const ids = new Set(selectedIn(all(), activeText.selection()))
    return all().filter(({ id }) => ids.has(id))
  }
  const select = (from: string, to = from) => {
    activeText.activate(undefined)
    activeText.select({ anchor: from, head: to })
    focus()
    list.scrollTo(to)
  }
  const selectThese = (blocks: readonly BlockValue[]) => {
    const [first, last] = [blocks[0], blocks.at(-1)]
    if (first && last) select(first.id, last.id)
  }
  const clear = () => activeText.select(undefined)

  return {
    selected,
    select,
    selectAll: () => selectThese(all()),
    clear,
    moveSelection(step, isExtended) {
      const range = activeText.selection()
      if (!range) return
      const head = neighbourOf(all(), range.head, step)
      select(isExtended ? range.anchor : head, head)
    },
    duplicate() {
      const blocks = selected()
      const last = blocks.at(-1)
      if (!last) return
      const copies = blocks.map(copyOf)
      if (!place(copies, { after: last.id }, noCaret)) return showNoRoom()
      selectThese(copies)
    },
    remove() {
      const blocks = selected()
      const [first, last] = [blocks[0], blocks.at(-1)]
      if (!first || !last) return
      const before = all()
      const [from, to] = [before.indexOf(first), before.indexOf(last)]
      const neighbour = before[to + 1] ?? before[from - 1]
      put(before.toSpliced(from, blocks.length), noCaret)
      if (neighbour) select(neighbour.id)
      else clear()
      // The undo of the field restores them; without a keyboard, so does this message.
      toast({
        title: t('fields.blocks.deletedMany', { count: blocks.length }),
        action: {
          text: t('fields.blocks.undo'),
          onSelect: () => put(all().toSpliced(Math.min(from, all().length), 0, ...blocks)),
        },
      })
    },
    move(step) {
      const blocks = selected()
      const first = blocks[0]
      const from = first ? all().indexOf(first) : -1
      const to = from + step
      if (from < 0 || to < 0 || to + blocks.length > all().length) return
      put(
        all()
          .toSpliced(from, blocks.length)
          .toSpliced(to, 0, ...blocks),
        noCaret,
      )
      list.scrollTo(step < 0 ? first!.id : blocks.at(-1)!.id)
    },
    turnInto(type) {
      const blocks = new Set(selected())
      const { fieldsets } = latest.current
      put(
        all().map(block => (blocks.has(block) ? turnedInto(block, type, fieldsets) : block)),
        noCaret,
      )
      focus()
    },
    paste(data, to) {
      const copied = readBlocks(data)
      if (!copied) return false
      const { blocks, leftOut } = adoptBlocks(copied, latest.current.fieldsets)
      if (blocks.length === 0) toast({ title: t('fields.blocks.notTaken') })
      else if (!place(blocks, to)) showNoRoom()
      else {
        selectThese(blocks)
        focusBlock(blocks.at(-1)!.id)
        if (leftOut > 0) toast({ title: t('fields.blocks.leftOut', { count: leftOut }) })
      }
      return true
    },
  }
}

const showNoRoom = () => toast({ title: t('fields.blocks.noRoom') })
