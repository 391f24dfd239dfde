import { flushSync } from 'react-dom'
import { primitiveText } from '../field.ts'
import { conform } from '../rich/conform.ts'
import type { ListActions } from './list-actions.ts'
import type { ActiveText } from './active-text.ts'
import { type BlockValue, createBlock, type Fieldsets } from './block-value.ts'
import { hasMore, mergeIntoPrevious, takeItem } from './join.ts'
import type { BlockActions } from './block-actions.ts'
import { fieldsetWith } from './pasted-blocks.ts'
import { blockFor } from './prefixes.ts'
import { turnedInto } from './turn-into.ts'
import { writtenIn } from './written.ts'

interface Place {
  list: ListActions
  activeText: ActiveText
  /** Selects a block. */
  select: (id: string) => void
}

type WritingActions = Pick<BlockActions, 'split' | 'join' | 'joinNext' | 'startBlock'>

const atStart = { anchor: 1, head: 1 }
const withText = (block: BlockValue, part: string, text: string): BlockValue => ({ ...block, content: { ...block.content, [part]: text } }) // prettier-ignore

/** The type of the paragraph after a heading, a quotation or a list. */
const textSet = (fieldsets: Fieldsets) => fieldsetWith(fieldsets, 'text', 'text')

/** What Enter, Backspace and prefixes such as `# ` do to the block with the caret and its neighbours. */
export function createWritingActions({ list, activeText, select }: Place): WritingActions {
  const { all, latest, focusBlock } = list
  // The texts have to be there before the caret is put into one.
  const put = (blocks: readonly BlockValue[]) => flushSync(() => list.put(blocks))
  const find = (id: string) => {
    const index = all().findIndex(block => block.id === id)
    const block = all()[index]
    const { fieldsets, room } = latest.current
    return { index, block, fieldsets, room, set: block && fieldsets.get(block.type) }
  }

  const writing: WritingActions = {
    split(id, part, { before, after }) {
      const { index, block, fieldsets, room, set } = find(id)
      const next = set?.preview === 'text' ? set : textSet(fieldsets)
      if (!block || !next || room < 1) return false
      const created = createBlock(next.type, fieldsets)
      // At the start, the block moves down as it is.
      const isPushed = before === '' && after !== ''
      if (isPushed) put(all().toSpliced(index, 1, created, withText(block, part, after)))
      else {
        const text = after === '' || next === set ? after : conform(after, next.fields['text']!)
        put(all().toSpliced(index, 1, withText(block, part, before), withText(created, 'text', text)))
      }
      activeText.activate(
        isPushed
          ? { block: id, part, position: { ...atStart } }
          : { block: created.id, part: 'text', position: 'start' },
      )
      focusBlock(isPushed ? id : created.id)
      return true
    },

    join(id, part) {
      const { index, block, fieldsets, room, set } = find(id)
      const previous = all()[index - 1]
      if (!block || !set) return false
      const value = primitiveText(block.content[part])
      // Captions stay what they are.
      if (!writtenIn(set).includes(part)) return false
      if (set.preview !== 'text') {
        const text = textSet(fieldsets)
        const item = set.preview === 'list' ? takeItem(value) : undefined
        if (!text || hasMore(block, part, fieldsets) || (item?.rest && room < 1)) return true
        const turned = item?.rest
          ? withText(createBlock(text.type, fieldsets), 'text', conform(item.text, text.fields['text']!))
          : turnedInto(block, text.type, fieldsets)
        put(all().toSpliced(index, 1, turned, ...(item?.rest ? [withText(block, part, item.rest)] : [])))
        activeText.activate({ block: turned.id, part: 'text', position: { ...atStart } })
        return true
      }
      if (!previous) return false
      const before = fieldsets.get(previous.type)
      const merged = hasMore(block, part, fieldsets)
        ? undefined
        : mergeIntoPrevious(previous, value, before === set, before)
      if (merged) {
        put(all().toSpliced(index - 1, 2, merged.block, ...(merged.rest === '' ? [] : [withText(block, part, merged.rest)]))) // prettier-ignore
        const position = { anchor: merged.caret, head: merged.caret }
        activeText.activate({ block: previous.id, part: merged.fieldName, position })
      } else if (writtenIn(before).length === 0) select(previous.id)
      else return false
      return true
    },

    joinNext(id, part) {
      const { index, block, fieldsets } = find(id)
      const next = all()[index + 1]
      if (!block || !next) return false
      const set = fieldsets.get(next.type)
      const [first] = writtenIn(set)
      if (first === undefined) select(next.id)
      else if (primitiveText(block.content[part]) === '' && !hasMore(block, part, fieldsets)) {
        put(all().toSpliced(index, 1))
        activeText.activate({ block: next.id, part: first, position: 'start' })
        focusBlock(next.id)
      } else if (writing.join(next.id, first) && set?.preview !== 'text') {
        // A heading, quotation or list is a text now, unless it has more fields.
        const made = all()[index + 1]
        if (made && made !== next) writing.join(made.id, 'text')
      }
      return true
    },

    startBlock(id, part, paragraph) {
      const { index, block, fieldsets, room } = find(id)
      const made = block && blockFor(paragraph, fieldsets)
      if (!made) return false
      const set = fieldsets.get(made.type)
      const started = { ...made, isHidden: block.isHidden, ...(paragraph.before === '' && { id }) }
      const text = (html: string) => withText(createBlock(block.type, fieldsets), part, html)
      // A line has no text, so writing continues below it.
      const follows = paragraph.after !== '' || set?.preview === 'line' ? [text(paragraph.after)] : []
      const parts = [...(paragraph.before === '' ? [] : [withText(block, part, paragraph.before)]), started, ...follows]
      if (parts.length - 1 > room || (paragraph.before === '' && hasMore(block, part, fieldsets))) return false
      put(all().toSpliced(index, 1, ...parts))
      const target = set?.preview === 'line' ? follows[0]! : started
      const [first] = writtenIn(fieldsets.get(target.type))
      activeText.activate(first === undefined ? undefined : { block: target.id, part: first, position: 'start' })
      focusBlock(target.id)
      return true
    },
  }
  return writing
}
