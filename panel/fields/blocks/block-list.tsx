import { Plus } from 'lucide-react'
import {
  type ClipboardEvent,
  type ComponentProps,
  type KeyboardEvent,
  memo,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { Menu } from '../../ui/menu.tsx'
import { Sortable, type SortableRow } from '../../ui/sortable.tsx'
import type { RenderForm } from '../field.ts'
import { EditedContentContext } from '../form-contexts.ts'
import { markdownIn, pastedImages, readClipboard, readMarkdown } from '../paste/clipboard.ts'
import { useFileDrop } from '../paste/file-drop.ts'
import { Sending, type SendingFile } from '../picker/sending.tsx'
import { errorsBelow, type NestedError } from '../field-errors.ts'
import { createActions } from './actions.ts'
import { Block } from './block.tsx'
import { useBlockSelection } from './block-selection.tsx'
import { BlockDrawer } from './block-drawer.tsx'
import type { BlockValue, Fieldsets } from './block-value.ts'
import { blockTypeItems } from './choices.ts'
import type { BlockActions } from './block-actions.ts'
import { createActiveText, type ActiveText } from './active-text.ts'
import type { UndoStep } from './history.ts'
import { openBlock } from './open-block.ts'
import { createSelectionActions } from './selection-actions.ts'
import { uploadImages } from './upload-images.ts'
import { BlockHistory } from './use-history.ts'

interface Props {
  blocks: readonly BlockValue[]
  /** Called with how the change can be undone. */
  onChange: (blocks: BlockValue[], step?: UndoStep) => void
  fieldsets: Fieldsets
  disabled: boolean
  renderForm: RenderForm
  /** Errors in the blocks. */
  nestedErrors?: readonly NestedError[] | undefined
  /** Number of blocks that can still be added. */
  room?: number | undefined
  empty: ReactNode
  label: string
  /** Blocks can be dragged between lists of the same group. */
  group?: string | undefined
  list?: string | undefined
  onReceive?: ((from: string, keys: readonly string[], index: number) => void) | undefined
}

/** A list of blocks that are edited, added, sorted, duplicated, hidden and deleted in place. */
export function BlockList(props: Props) {
  const { blocks, onChange, fieldsets, disabled, renderForm, room = Infinity, empty, label, nestedErrors } = props
  const full = room <= 0
  // Depends on the errors only, so that typing in a block does not render the others.
  const errorsByBlock = useMemo(() => byBlock(blocks, nestedErrors), [nestedErrors])
  const [activeText] = useState(createActiveText)
  const [open, setOpen] = useState<string>()
  const frame = useRef<HTMLDivElement>(null)
  const latest = useRef({ blocks, onChange, fieldsets, room })
  useLayoutEffect(() => {
    latest.current = { blocks, onChange, fieldsets, room }
    activeText.set(blocks)
  })
  const { model } = use(EditedContentContext)
  const history = use(BlockHistory)
  const [sending, setSending] = useState<SendingFile>()
  const { actions, list } = useMemo(
    () =>
      createActions({
        latest,
        activeText,
        frame,
        history,
        open: setOpen,
        upload: images =>
          void uploadImages(images, {
            fieldsets: latest.current.fieldsets,
            model,
            actions: () => actions,
            setSending,
          }),
      }),
    [activeText, model, history],
  )
  useLayoutEffect(
    () =>
      history.register({
        blocks: () => latest.current.blocks,
        activate: activeText.activate,
        focusBlock: list.focusBlock,
      }),
    [history, activeText, list],
  )
  const chosen = useMemo(
    () => createSelectionActions({ list, activeText, focus: () => frame.current?.focus({ preventScroll: true }) }),
    [list, activeText],
  )
  const selection = useBlockSelection({ frame, activeText, actions: chosen, fieldsets, disabled })
  const rows = useRows(blocks)
  const nameOf = useCallback((block: BlockValue) => fieldsets.get(block.type)?.name ?? block.type, [fieldsets])

  const row = useCallback(
    (block: BlockValue, { handle }: SortableRow) => (
      <BlockRow
        initial={block}
        activeText={activeText}
        handle={handle}
        fieldset={fieldsets.get(block.type)}
        fieldsets={fieldsets}
        actions={actions}
        selection={chosen}
        disabled={disabled}
        full={full}
        nestedErrors={errorsByBlock.get(block.id)}
      />
    ),
    [fieldsets, activeText, actions, chosen, disabled, full, errorsByBlock],
  )

  /** A dragged block takes the other selected ones along. */
  const together = useCallback(
    (key: string) => {
      const keys = chosen.selected().map(({ id }) => id)
      return keys.includes(key) ? keys : [key]
    },
    [chosen],
  )
  const close = useCallback(() => setOpen(undefined), [])
  useEffect(() => {
    const show = (event: Event) => setOpen(blockOf(event.target as Element))
    const root = frame.current
    root?.addEventListener(openBlock, show)
    return () => root?.removeEventListener(openBlock, show)
  }, [])
  const opened = blocks.find(block => block.id === open)

  const drop = useFileDrop({
    disabled: disabled || full,
    onDrop: (images, event) => actions.addImages(images, { after: blockAt(event.target, event.clientY) }),
  })

  /** Pasting onto a block without text. Text editors handle their own paste events. */
  function pasted(event: ClipboardEvent<HTMLDivElement>) {
    const element = event.target as Element
    if (disabled || event.defaultPrevented || element.closest('[contenteditable=true], dialog, [role=dialog]')) return
    const to = { after: chosen.selected().at(-1)?.id ?? blockOf(element) }
    const images = pastedImages(event.clipboardData)
    const isControl = element.matches('input, textarea')
    if (!isControl && chosen.paste(event.clipboardData, to)) return event.preventDefault()
    if (full) return
    const markdown = isControl ? undefined : markdownIn(event.clipboardData)
    const parts = isControl || markdown !== undefined ? undefined : readClipboard(event.clipboardData)
    if (images.length > 0) actions.addImages(images, to)
    else if (markdown !== undefined) void readMarkdown(markdown).then(read => actions.paste(read, to))
    else if (!parts || !actions.paste(parts, to)) return
    event.preventDefault()
  }

  return (
    <div
      ref={frame}
      onPaste={pasted}
      {...drop.handlers}
      {...selection.handlers}
      className={cx('rounded-md outline-none', drop.isOver && 'bg-accent-soft')}
    >
      <Rows
        items={rows}
        keyOf={keyOf}
        nameOf={nameOf}
        onChange={actions.sort}
        disabled={disabled}
        group={props.group}
        list={props.list}
        onReceive={props.onReceive}
        together={together}
        empty={<EmptyBody fieldsets={fieldsets} insert={actions.insert} disabled={disabled || full} text={empty} />}
        label={label}
        className="py-1"
      >
        {row}
      </Rows>
      {!disabled && !full && fieldsets.size > 0 && <AddBlock fieldsets={fieldsets} insert={actions.insert} />}
      {selection.bar}
      {sending && <Sending {...sending} />}
      <BlockDrawer
        block={opened}
        fieldset={opened && fieldsets.get(opened.type)}
        renderForm={renderForm}
        nestedErrors={opened && errorsByBlock.get(opened.id)}
        onChange={actions.change}
        onClose={close}
      />
    </div>
  )
}

const blockOf = (element: Element) => element.closest<HTMLElement>('[data-block]')?.dataset['block']

/** The block after which dropped files are inserted. On the upper half of a block, that is the block before it. */
function blockAt(target: EventTarget, y: number): string | undefined {
  const block = (target as Element).closest<HTMLElement>('[data-block]')
  if (!block) return undefined
  const { top, height } = block.getBoundingClientRect()
  const above = y < top + height / 2 ? block.closest('li')?.previousElementSibling?.querySelector<HTMLElement>('[data-block]') : undefined // prettier-ignore
  return (above ?? block).dataset['block']
}

const Rows = memo(Sortable<BlockValue>)
const keyOf = ({ id }: BlockValue) => id

/** Returns the same array as long as ids and types are the same. Each block subscribes to its own content. */
function useRows(blocks: readonly BlockValue[]): readonly BlockValue[] {
  const [rows, setRows] = useState(blocks)
  const isSame =
    rows.length === blocks.length &&
    rows.every(({ id, type }, index) => id === blocks[index]!.id && type === blocks[index]!.type)
  if (!isSame) setRows(blocks)
  return isSame ? rows : blocks
}

interface RowProps extends Omit<ComponentProps<typeof Block>, 'block' | 'active' | 'isSelected'> {
  /** The block as of the last render of the list. */
  initial: BlockValue
  activeText: ActiveText
  handle: ReactNode
}

function BlockRow({ initial: known, activeText, handle, ...props }: RowProps) {
  const block = activeText.useBlock(known)
  const active = activeText.useActive(known.id)
  const isSelected = activeText.useSelected(known.id)

  return (
    // The class `one-of-many` would clip the floating toolbar, so the active block does not have it.
    <div className={cx('flex items-start px-1', !active && 'one-of-many')}>
      <span className="flex w-6 shrink-0 justify-center pt-0.5">{handle}</span>
      <div className="min-w-0 flex-1">
        <Block {...props} block={block} active={active} isSelected={isSelected} />
      </div>
    </div>
  )
}

/** In place of the blocks while there are none: a click or a key begins to write. */
function EmptyBody({
  fieldsets,
  insert,
  disabled,
  text,
}: Pick<Props, 'fieldsets' | 'disabled'> & Pick<BlockActions, 'insert'> & { text: ReactNode }) {
  const type = ['text', 'markdown', 'heading'].find(name => fieldsets.get(name)?.disabled === false)
  if (disabled || type === undefined) return text
  const begin = () => insert(type, undefined)
  // The new text has the focus before the browser inserts the character.
  function pressed({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) {
    if (key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey) flushSync(begin)
  }
  return (
    <button
      type="button"
      onClick={begin}
      onKeyDown={pressed}
      className="block w-full cursor-text rounded-md text-start hover:bg-hover"
    >
      {text}
    </button>
  )
}

/** The button at the end of the list. Memoised, so that typing does not render it. */
const AddBlock = memo(function AddBlock({
  fieldsets,
  insert,
}: Pick<Props, 'fieldsets'> & Pick<BlockActions, 'insert'>) {
  return (
    <div className="px-2 pb-2">
      <Menu
        align="start"
        trigger={
          <Button size="small" variant="plain" icon={Plus} data-add="">
            {t('fields.blocks.add')}
          </Button>
        }
        items={blockTypeItems(fieldsets, type => insert(type, undefined))}
      />
    </div>
  )
})

/** Errors by block id, so that they follow a block that moves. */
function byBlock(blocks: readonly BlockValue[], nestedErrors: readonly NestedError[] = []) {
  const indexes = new Set(nestedErrors.map(({ path: [index] }) => Number(index)))
  return new Map([...indexes].map(index => [blocks[index]?.id, errorsBelow(nestedErrors, index, 'content')]))
}
