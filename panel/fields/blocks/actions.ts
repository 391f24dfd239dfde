import type { RefObject } from 'react'
import { t } from '../../texts/texts.ts'
import { toast } from '../../ui/toast.ts'
import type { Values } from '../field.ts'
import { type BlockValue, copyOf, createBlock, type Fieldset } from './block-value.ts'
import type { BlockActions, Insertion } from './block-actions.ts'
import type { ActiveText } from './active-text.ts'
import type { UndoStep } from './history.ts'
import type { FieldHistory } from './use-history.ts'
import { blocksFrom, imageBlocks, type ImageBlock } from './pasted-blocks.ts'
import type { LatestProps, ListActions } from './list-actions.ts'
import { turnedInto } from './turn-into.ts'
import { isFilled, writtenIn } from './written.ts'
import { createWritingActions } from './writing-actions.ts'

interface ActionParts {
  latest: RefObject<LatestProps>
  activeText: ActiveText
  frame: RefObject<HTMLElement | null>
  history: FieldHistory
  /** Opens the drawer with all fields of a block. */
  open: (id: string) => void
  /** Uploads the images of blocks that are already in the list. */
  upload: (images: readonly ImageBlock[]) => void
}

/** Creates the actions on the blocks of a list. */
export function createActions({ latest, activeText, frame, history, open, upload }: ActionParts): {
  actions: BlockActions
  list: ListActions
} {
  const put = (next: readonly BlockValue[], step?: UndoStep) => {
    latest.current = { ...latest.current, blocks: next }
    latest.current.onChange([...next], step)
  }
  const all = () => latest.current.blocks
  const indexOf = (id: string) => all().findIndex(block => block.id === id)
  const update = (id: string, part: (block: BlockValue) => Partial<BlockValue>, step?: UndoStep) => {
    // The block of an upload may be gone.
    if (indexOf(id) === -1) return
    put(
      all().map(block => (block.id === id ? { ...block, ...part(block) } : block)),
      step,
    )
  }
  const elementOf = (id: string) => frame.current?.querySelector(`[data-block="${CSS.escape(id)}"]`)
  const focusBlock = (id: string) =>
    requestAnimationFrame(() => {
      const element = elementOf(id)
      element?.scrollIntoView({ block: 'nearest' })
      // Selected blocks have no caret.
      if (activeText.selection()) return
      const control = element?.querySelector<HTMLElement>('[role="textbox"], textarea, button')
      if (!element?.contains(document.activeElement)) control?.focus()
    })

  /** Focuses the first text of a new block, or opens its drawer. */
  function begin({ id, type }: BlockValue) {
    const set = latest.current.fieldsets.get(type)
    const [first] = writtenIn(set)
    if (first) activeText.activate({ block: id, part: first, position: 'end' })
    else {
      activeText.activate(undefined)
      if (set && !isSimple(set) && Object.keys(set.fields).length > 0) open(id)
    }
    focusBlock(id)
  }

  function insert(type: string, after: string | undefined) {
    const block = createBlock(type, latest.current.fieldsets)
    put(all().toSpliced(after === undefined ? all().length : indexOf(after) + 1, 0, block))
    begin(block)
  }

  const insertAt: BlockActions['insertAt'] = (type, id, part, { before, after }) => {
    const index = indexOf(id)
    const block = all()[index]
    if (!block) return
    const created = createBlock(type, latest.current.fieldsets)
    const withText = (text: string, of = block) => ({ ...of, content: { ...of.content, [part]: text } })
    const parts = [before && withText(before), created, after && withText(after, before ? copyOf(block) : block)].filter(piece => piece !== '') // prettier-ignore
    const fits = parts.length - 1 <= latest.current.room
    put(all().toSpliced(index, 1, ...(fits ? parts : [withText(before + after), created])))
    begin(created)
  }

  /** Returns false if the maximum number of blocks would be exceeded. */
  function place(created: readonly BlockValue[], to: Insertion, step?: UndoStep): boolean {
    if (created.length === 0) return false
    if ('after' in to) {
      if (created.length > latest.current.room) return false
      put(all().toSpliced(to.after === undefined ? all().length : indexOf(to.after) + 1, 0, ...created), step)
      return true
    }
    const index = indexOf(to.block)
    const block = all()[index]
    if (!block) return false
    const { before, after } = to.around
    const withText = (text: string, of = block) => ({ ...of, content: { ...of.content, [to.part]: text } })
    const isLeft = before === '' && after === '' && Object.keys(block.content).some(name => name !== to.part && isFilled(block.content[name])) // prettier-ignore
    const parts = [
      ...(before !== '' || isLeft ? [withText(before)] : []),
      ...created,
      ...(after === '' ? [] : [withText(after, before === '' ? block : copyOf(block))]),
    ]
    if (parts.length - 1 > latest.current.room) return false
    put(all().toSpliced(index, 1, ...parts), step)
    return true
  }

  function paste(pasted: Parameters<BlockActions['paste']>[0], to: Insertion): boolean {
    const created = blocksFrom(pasted, latest.current.fieldsets)
    if (!created) return false
    const isEmpty = created.blocks.length === 0 && created.skippedImages > 0
    if (!isEmpty && !place(created.blocks, to, created.images.length > 0 ? uploaded : undefined)) return false
    if (created.skippedImages > 0) toast({ title: t('fields.paste.leftOut', { count: created.skippedImages }) })
    if (isEmpty) return true
    upload(created.images)
    const last = created.blocks.at(-1)!
    const part = writtenIn(latest.current.fieldsets.get(last.type)).at(-1)
    activeText.activate(part === undefined ? undefined : { block: last.id, part, position: 'end' })
    focusBlock(last.id)
    return true
  }

  function addImages(files: readonly File[], to: Insertion) {
    const images = imageBlocks(files, latest.current.fieldsets)
    const blocks = images.map(({ block }) => block)
    if (!place(blocks, to, uploaded)) return toast({ title: t('fields.paste.noPictures') })
    activeText.activate(undefined)
    upload(images)
    focusBlock(blocks.at(-1)!.id)
  }

  function leave(id: string, to: 'before' | 'after') {
    const next = all()[indexOf(id) + (to === 'before' ? -1 : 1)]
    if (!next) return
    activeText.activate(undefined)
    const element = elementOf(next.id)
    const controls = [...(element?.querySelectorAll<HTMLElement>('[role="textbox"], textarea, button') ?? [])]
    const texts = controls.filter(control => control.matches('[role="textbox"], textarea'))
    const target = texts.length > 0 ? texts.at(to === 'before' ? -1 : 0) : controls[0]
    target?.focus()
    // The caret enters the text at its start.
    if (to === 'after' && target?.matches('[role="textbox"]'))
      activeText.activate(now => now && { ...now, position: 'start' })
  }

  function remove(id: string) {
    const index = indexOf(id)
    const block = all()[index]
    if (!block) return
    const before = all()
    const isEmpty = !Object.values(block.content).some(isFilled)
    const neighbour = before[index - 1] ?? before[index + 1]
    put(before.toSpliced(index, 1))
    // Synchronously, not with the next render, so that typing can continue after Backspace.
    const part = neighbour && writtenIn(latest.current.fieldsets.get(neighbour.type)).at(-1)
    activeText.activate(neighbour && part !== undefined ? { block: neighbour.id, part, position: 'end' } : undefined)
    if (neighbour) focusBlock(neighbour.id)
    else requestAnimationFrame(() => frame.current?.querySelector<HTMLElement>('[data-add]')?.focus())
    if (isEmpty) return
    const name = latest.current.fieldsets.get(block.type)?.name ?? block.type
    toast({
      title: t('fields.blocks.deleted', { name }),
      action: {
        text: t('fields.blocks.undo'),
        onSelect: () => put(all().toSpliced(Math.min(index, all().length), 0, block)),
      },
    })
  }

  const scrollTo = (id: string) => void requestAnimationFrame(() => elementOf(id)?.scrollIntoView({ block: 'nearest' }))
  const list: ListActions = { latest, all, put, place, focusBlock, scrollTo }
  const select = (id: string) => {
    activeText.activate(undefined)
    activeText.select({ anchor: id, head: id })
    frame.current?.focus({ preventScroll: true })
  }
  const actions: BlockActions = {
    ...createWritingActions({ list, activeText, select }),
    change: (id, content, source) =>
      update(id, block => ({ content: { ...block.content, ...content } }), stepOf(id, content, source)),
    caretMoved: history.caretMoved,
    activate: activeText.activate,
    leave,
    remove,
    insert,
    insertAt,
    paste,
    addImages,
    duplicate(id) {
      const index = indexOf(id)
      const copy = copyOf(all()[index]!)
      put(all().toSpliced(index + 1, 0, copy))
      focusBlock(copy.id)
    },
    turnInto(id, type) {
      const { fieldsets } = latest.current
      const block = all()[indexOf(id)]
      if (!block) return
      const turned = turnedInto(block, type, fieldsets)
      put(all().map(other => (other === block ? turned : other)))
      const [part] = writtenIn(fieldsets.get(type))
      activeText.activate(part === undefined ? undefined : { block: id, part, position: 'end' })
      focusBlock(id)
    },
    hide: (id, isHidden) => update(id, () => ({ isHidden })),
    move(id, step) {
      const index = indexOf(id)
      const block = all()[index]
      const to = index + step
      if (!block || to < 0 || to >= all().length) return
      put(all().toSpliced(index, 1).toSpliced(to, 0, block))
    },
    edit: open,
    sort(order) {
      const blocksById = new Map(all().map(block => [block.id, block]))
      put(order.map(block => blocksById.get(block.id) ?? block))
    },
  }
  return { actions, list }
}

/** An image appears later than its block, but both are undone together. */
const uploaded: UndoStep = { key: 'upload', joins: true }

function stepOf(id: string, content: Values, source: Parameters<BlockActions['change']>[2]): UndoStep {
  if (source === 'uploaded') return uploaded
  if (source === 'pasted') return { caret: 'before' }
  return { key: [id, ...Object.keys(content)].join(' '), caret: source === 'typed' ? 'before' : 'none' }
}

/** Blocks without further fields to fill in, so the drawer does not open. */
const isSimple = ({ preview = '' }: Fieldset) => ['line', 'code', 'markdown', 'table'].includes(preview)
