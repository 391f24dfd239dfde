import { useMemo } from 'react'
import { t } from '../../texts/texts.ts'
import { cx } from '../../ui/cx.ts'
import { textIn, primitiveText } from '../field.ts'
import { Html } from '../html.tsx'
import type { Pasted } from '../paste/pasted.ts'
import { type EditorFeatures, featuresOf } from '../rich/marks.ts'
import { type CaretPosition, RichEditor } from '../rich/rich-editor.tsx'
import { separatedTable } from '../table/clipboard.ts'
import type { Insertion, BlockContentProps } from './block-actions.ts'
import { fieldsetWith } from './pasted-blocks.ts'
import { useSlash } from './slash-menu.tsx'

interface Props extends BlockContentProps {
  /** The name of the field. */
  part: string
  label: string
  className?: string | undefined
  /** Whether the caret may leave to the previous or next block from here. */
  first?: boolean | undefined
  last?: boolean | undefined
  /** A slash in an empty line offers other blocks. */
  lines?: boolean | undefined
}

/** A text in a block: an editor while it is edited, otherwise static HTML. */
export function TextPart(props: Props) {
  const { block, fieldset, active, actions, disabled, part, label, className } = props
  const field = fieldset.fields[part] ?? { type: 'writer' }
  const offer = useMemo(() => featuresOf(field), [field])
  const value = primitiveText(block.content[part])
  const placeholder = textIn(field.placeholder) ?? label
  const frame = cx('rich min-h-6 outline-none', className)

  if (active?.part === part && !disabled)
    // A block of another type needs another editor.
    return <Writing key={block.type} {...props} value={value} offer={offer} frame={frame} position={active.position} />

  const begin = (position: 'end' | { x: number; y: number }) => actions.activate({ block: block.id, part, position })

  return (
    <div
      role="textbox"
      aria-multiline="true"
      aria-label={label}
      aria-readonly={disabled || undefined}
      tabIndex={0}
      dir="auto"
      className={cx(frame, !disabled && 'cursor-text')}
      onPointerDown={
        disabled
          ? undefined
          : event => {
              // The editor replaces this element and would miss the event, so it gets the coordinates.
              if (event.button !== 0) return
              event.preventDefault()
              begin({ x: event.clientX, y: event.clientY })
            }
      }
      onFocus={disabled ? undefined : () => begin('end')}
    >
      {value === '' ? (
        <span className="text-faint">{placeholder}</span>
      ) : (
        <Written value={value} inline={offer.inline} />
      )}
    </div>
  )
}

interface WritingProps extends Props {
  value: string
  offer: EditorFeatures
  frame: string
  position: CaretPosition
}

function Writing(props: WritingProps) {
  const { block, fieldset, actions, selection, part, label, value, offer, frame, position } = props
  const { first = true, last = true, lines = false } = props
  const offered = lines ? props.slash : undefined
  const slash = useSlash(offered, (type, line) => actions.insertAt(type, block.id, part, line.around()))
  const hasTables = props.slash !== undefined && fieldsetWith(props.slash, 'table', 'table') !== undefined
  const pasteBlocks = (data: DataTransfer, to: Insertion) => {
    if (selection.paste(data, to)) return true
    const table = hasTables ? separatedTable(data) : undefined
    return table !== undefined && actions.paste([table], to)
  }
  const placeholder = textIn(fieldset.fields[part]?.placeholder) ?? (offered ? t('fields.blocks.slash.hint') : label)

  return (
    <>
      <RichEditor
        value={value}
        onChange={(html, textChange) => actions.change(block.id, { [part]: html }, textChange)}
        onCaret={(range, isTyped) => actions.caretMoved({ block: block.id, part, position: range }, isTyped)}
        offer={offer}
        placeholder={placeholder}
        focus={position}
        toolbar="over"
        attributes={{ class: frame, 'aria-label': label }}
        onLeave={to => {
          if ((to === 'before' && first) || (to === 'after' && last)) actions.leave(block.id, to)
        }}
        onEscape={() => selection.select(block.id)}
        onSelectAll={selection.selectAll}
        onExtend={step => {
          selection.select(block.id)
          selection.moveSelection(step, true)
        }}
        onBlocks={props.slash && ((data, around) => pasteBlocks(data, { block: block.id, part, around: around() }))}
        onErase={first ? () => actions.remove(block.id) : undefined}
        onJoin={first ? () => actions.join(block.id, part) : undefined}
        onJoinNext={last ? () => actions.joinNext(block.id, part) : undefined}
        onSplit={props.slash && (around => actions.split(block.id, part, around))}
        onPrefix={offered && (line => actions.startBlock(block.id, part, line))}
        onLeaveList={props.slash?.has('text') ? around => actions.insertAt('text', block.id, part, around) : undefined}
        onLine={offered && slash.onLine}
        onKey={slash.onKey}
        onPaste={(pasted, around) =>
          props.slash !== undefined &&
          !isOneText(pasted, fieldset.preview, offer, hasTables) &&
          actions.paste(pasted, { block: block.id, part, around: around() })
        }
        onImages={
          props.slash && ((files, around) => actions.addImages(files, { block: block.id, part, around: around() }))
        }
      />
      {slash.menu}
    </>
  )
}

/** Whether pasted content fits into the text at the caret, and needs no blocks of its own. */
function isOneText(
  pasted: readonly Pasted[],
  preview: string | undefined,
  { inline, list }: EditorFeatures,
  hasTables: boolean,
): boolean {
  if (list) return pasted.every(({ kind }) => kind === 'list' || kind === 'paragraph')
  if (inline) return pasted.length === 1 && ['paragraph', 'heading', preview].includes(pasted[0]!.kind)
  return pasted.every(({ kind }) => kind === 'paragraph' || (kind === 'table' && !hasTables))
}

/** The editor wraps inline text in a paragraph. The same here, so that the height does not change. */
function Written({ value, inline }: { value: string; inline: boolean }) {
  return inline ? (
    <p>
      <Html value={value} passive />
    </p>
  ) : (
    <Html value={value} passive />
  )
}
