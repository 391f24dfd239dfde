import { Plus } from 'lucide-react'
import { memo, type ReactNode, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Sortable, type SortableRow } from '../../ui/sortable.tsx'
import { toast } from '../../ui/toast.ts'
import type { Form, Values } from '../field.ts'
import { textOfHtml } from '../html.tsx'
import { under, type WrongInside } from '../wrong.ts'
import { additions, Block } from './block.tsx'
import { BlockDrawer } from './block-drawer.tsx'
import { type BlockValue, copyOf, createBlock, type Fieldset, type Fieldsets } from './block-value.ts'
import type { Active, BlockActions } from './kind.ts'

interface Props {
  blocks: readonly BlockValue[]
  onChange: (blocks: BlockValue[]) => void
  fieldsets: Fieldsets
  disabled: boolean
  form: Form
  /** What is wrong in the blocks. */
  inside?: readonly WrongInside[] | undefined
  /** No more blocks can be added. */
  full?: boolean | undefined
  empty: ReactNode
  label: string
  /** Lists of one group take blocks from each other. */
  group?: string | undefined
  list?: string | undefined
  onReceive?: ((from: string, key: string, index: number) => void) | undefined
}

/** Blocks below each other: written, added, sorted, doubled, hidden and deleted in place. */
export function BlockList(props: Props) {
  const { blocks, onChange, fieldsets, disabled, form, full = false, empty, label, inside } = props
  // The same lists as long as the same is wrong: no block is drawn for the sake of another.
  const wrong = useMemo(() => byBlock(blocks, inside), [inside])
  const [active, setActive] = useState<Active>()
  const [open, setOpen] = useState<string>()
  const frame = useRef<HTMLDivElement>(null)
  // What changes is read here, so that the actions stay the same and no block is drawn for the sake of another.
  const latest = useRef({ blocks, onChange, fieldsets, label })
  useLayoutEffect(() => {
    latest.current = { blocks, onChange, fieldsets, label }
  })

  const actions = useMemo<BlockActions>(() => {
    const put = (next: readonly BlockValue[]) => {
      latest.current = { ...latest.current, blocks: next }
      latest.current.onChange([...next])
    }
    const all = () => latest.current.blocks
    const at = (id: string) => all().findIndex(block => block.id === id)
    const update = (id: string, part: (block: BlockValue) => Partial<BlockValue>) =>
      put(all().map(block => (block.id === id ? { ...block, ...part(block) } : block)))
    const reach = (id: string) =>
      requestAnimationFrame(() => {
        const element = frame.current?.querySelector(`[data-block="${CSS.escape(id)}"]`)
        element?.scrollIntoView({ block: 'nearest' })
        const control = element?.querySelector<HTMLElement>('[role="textbox"], textarea, button')
        if (!element?.contains(document.activeElement)) control?.focus()
      })

    function insert(type: string, after: string | undefined) {
      const block = createBlock(type, latest.current.fieldsets)
      const set = latest.current.fieldsets.get(type)
      put(all().toSpliced(after === undefined ? all().length : at(after) + 1, 0, block))
      const [first] = writtenIn(set)
      if (first) setActive({ block: block.id, part: first, place: 'end' })
      else if (set && !isSimple(set) && Object.keys(set.fields).length > 0) setOpen(block.id)
      reach(block.id)
    }

    function leave(id: string, to: 'before' | 'after') {
      const next = all()[at(id) + (to === 'before' ? -1 : 1)]
      if (!next) return
      setActive(undefined)
      const element = frame.current?.querySelector(`[data-block="${CSS.escape(next.id)}"]`)
      const controls = [...(element?.querySelectorAll<HTMLElement>('[role="textbox"], textarea, button') ?? [])]
      const texts = controls.filter(control => control.matches('[role="textbox"], textarea'))
      const target = texts.length > 0 ? texts.at(to === 'before' ? -1 : 0) : controls[0]
      target?.focus()
      // A text begins where one came from.
      if (to === 'after' && target?.matches('[role="textbox"]'))
        setActive(now => (now ? { ...now, place: 'start' } : now))
    }

    function remove(id: string) {
      const index = at(id)
      const block = all()[index]
      if (!block) return
      const before = all()
      const isEmpty = Object.values(block.content).every(
        one => typeof one !== 'string' || /^h\d$/.test(one) || textOfHtml(one) === '',
      )
      const neighbour = before[index - 1] ?? before[index + 1]
      put(before.toSpliced(index, 1))
      // At once, not with the next drawing: who erases goes on writing.
      const part = neighbour && writtenIn(latest.current.fieldsets.get(neighbour.type)).at(-1)
      setActive(neighbour && part !== undefined ? { block: neighbour.id, part, place: 'end' } : undefined)
      if (neighbour) reach(neighbour.id)
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

    return {
      change: (id: string, content: Values) => update(id, block => ({ content: { ...block.content, ...content } })),
      activate: setActive,
      leave,
      remove,
      insert,
      duplicate(id) {
        const index = at(id)
        const copy = copyOf(all()[index]!)
        put(all().toSpliced(index + 1, 0, copy))
        reach(copy.id)
      },
      hide: (id, isHidden) => update(id, () => ({ isHidden })),
      move(id, step) {
        const index = at(id)
        const block = all()[index]
        const to = index + step
        if (!block || to < 0 || to >= all().length) return
        put(all().toSpliced(index, 1).toSpliced(to, 0, block))
      },
      edit: setOpen,
    }
  }, [])

  const row = useCallback(
    (block: BlockValue, { handle }: SortableRow) => (
      <div className="flex items-start px-1">
        <span className="flex w-6 shrink-0 justify-center pt-0.5">{handle}</span>
        <div className="min-w-0 flex-1">
          <Block
            block={block}
            fieldset={fieldsets.get(block.type)}
            fieldsets={fieldsets}
            active={active?.block === block.id ? active : undefined}
            actions={actions}
            disabled={disabled}
            full={full}
            wrong={wrong.get(block.id)}
          />
        </div>
      </div>
    ),
    [fieldsets, active, actions, disabled, full, wrong],
  )

  const close = useCallback(() => setOpen(undefined), [])
  const opened = blocks.find(block => block.id === open)

  return (
    <div ref={frame}>
      <Sortable
        items={blocks}
        keyOf={block => block.id}
        nameOf={block => fieldsets.get(block.type)?.name ?? block.type}
        onChange={onChange}
        disabled={disabled}
        group={props.group}
        list={props.list}
        onReceive={props.onReceive}
        empty={empty}
        label={label}
        className="py-1"
      >
        {row}
      </Sortable>
      {!disabled && !full && fieldsets.size > 0 && <AddBlock fieldsets={fieldsets} insert={actions.insert} />}
      <BlockDrawer
        block={opened}
        fieldset={opened && fieldsets.get(opened.type)}
        form={form}
        inside={opened && wrong.get(opened.id)}
        onChange={actions.change}
        onClose={close}
      />
    </div>
  )
}

/** At the end of the list. It is the same whatever is typed above it. */
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
        items={additions(fieldsets, type => insert(type, undefined))}
      />
    </div>
  )
})

/** What is wrong in each block: where a block moves, that goes with it. */
function byBlock(blocks: readonly BlockValue[], inside: readonly WrongInside[] = []) {
  const indexes = new Set(inside.map(({ path: [index] }) => Number(index)))
  return new Map([...indexes].map(index => [blocks[index]?.id, under(inside, index, 'content')]))
}

/** The texts of a block that are written in place, first to last. */
function writtenIn(set: Fieldset | undefined): string[] {
  const names = set && written[set.preview ?? '']
  return names?.filter(name => name in set!.fields) ?? []
}

const written: Readonly<Record<string, readonly string[]>> = {
  heading: ['text'],
  text: ['text'],
  list: ['text'],
  quote: ['text', 'citation'],
}

/** Nothing has to be filled in elsewhere. */
const isSimple = ({ preview = '' }: Fieldset) => ['line', 'code', 'markdown'].includes(preview)
