import { Combobox as Base } from '@base-ui/react/combobox'
import type { BaseUIEvent } from '@base-ui/react/types'
import { Check, ChevronsUpDown, X } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { useControl } from './control.ts'
import type { ControlProps } from './control.ts'
import { cx } from './cx.ts'
import type { Option } from './option.ts'
import { fillText, useUiTexts } from './texts.ts'

interface Shared extends ControlProps {
  options: readonly Option[]
  placeholder?: string | undefined
  /** Called while typing, if the caller loads the options; they are then not filtered here. */
  onSearch?: ((text: string) => void) | undefined
  loading?: boolean | undefined
  className?: string | undefined
}

interface Single extends Shared {
  multiple?: false | undefined
  value: string | null
  onChange: (value: string | null) => void
}

interface Multiple extends Shared {
  multiple: true
  value: readonly string[]
  onChange: (value: string[]) => void
}

export function Combobox(props: Single | Multiple) {
  const { options, onSearch } = props
  const [open, setOpen] = useState(false)
  const { name, disabled, ...control } = useControl(props)
  const shared = {
    items: options,
    name,
    disabled: disabled ?? false,
    open,
    onOpenChange: setOpen,
    isItemEqualToValue: (a: Option, b: Option) => a.value === b.value,
    itemToStringLabel: (option: Option) => option.text,
    ...(onSearch && { filter: null, onInputValueChange: onSearch }),
  }
  // With the list closed, Escape would clear the selection, which is unexpected.
  const onKeyDown = (event: BaseUIEvent<KeyboardEvent<HTMLInputElement>>) => {
    if (event.key === 'Escape' && !open) event.preventBaseUIHandler()
  }
  // A selected value that is no longer among the options is preserved, with its value as its text.
  const optionOf = (value: string) => options.find(option => option.value === value) ?? { value, text: value }

  if (props.multiple) {
    return (
      <Base.Root
        {...shared}
        multiple
        value={props.value.map(optionOf)}
        onValueChange={chosen => props.onChange(chosen.map(option => option.value))}
      >
        <Base.InputGroup
          className={cx('control flex min-h-8 items-center', props.className)}
          data-disabled={disabled ? '' : undefined}
        >
          <Base.Chips className="flex min-w-0 flex-1 flex-wrap gap-1 p-[3px]">
            {props.value.map(optionOf).map(option => (
              <ChipOf key={option.value} option={option} />
            ))}
            <Base.Input
              {...control}
              onKeyDown={onKeyDown}
              placeholder={props.value.length === 0 ? props.placeholder : undefined}
              className="min-h-6 min-w-24 flex-1 bg-transparent px-1.5 outline-none"
            />
          </Base.Chips>
          <Opener />
        </Base.InputGroup>
        <Options loading={props.loading} />
      </Base.Root>
    )
  }

  return (
    <Base.Root
      {...shared}
      value={props.value === null ? null : optionOf(props.value)}
      onValueChange={option => props.onChange(option?.value ?? null)}
    >
      <Base.InputGroup
        className={cx('control flex min-h-8 items-center', props.className)}
        data-disabled={disabled ? '' : undefined}
      >
        <Base.Input
          {...control}
          onKeyDown={onKeyDown}
          placeholder={props.placeholder}
          className="min-w-0 flex-1 self-stretch bg-transparent px-2.5 outline-none"
        />
        <Clearer />
        <Opener />
      </Base.InputGroup>
      <Options loading={props.loading} />
    </Base.Root>
  )
}

function ChipOf({ option }: { option: Option }) {
  const texts = useUiTexts()

  return (
    <Base.Chip
      aria-label={option.text}
      className="inline-flex min-h-6 max-w-full items-center rounded-sm bg-accent-soft ps-2 text-sm outline-offset-0 data-highlighted:bg-accent data-highlighted:text-on-accent"
    >
      <span className="min-w-0 truncate">{option.text}</span>
      <Base.ChipRemove
        aria-label={fillText(texts.remove, { name: option.text })}
        className="flex size-6 shrink-0 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-ink"
      >
        <X aria-hidden="true" className="size-3.5" />
      </Base.ChipRemove>
    </Base.Chip>
  )
}

function Clearer() {
  const texts = useUiTexts()

  return (
    <Base.Clear
      aria-label={texts.clear}
      className="flex size-7 items-center justify-center rounded-sm text-faint hover:bg-hover hover:text-ink"
    >
      <X aria-hidden="true" />
    </Base.Clear>
  )
}

function Opener() {
  const texts = useUiTexts()

  return (
    <Base.Trigger
      aria-label={texts.options}
      className="me-0.5 flex size-7 shrink-0 items-center justify-center rounded-sm text-faint hover:text-ink"
    >
      <ChevronsUpDown aria-hidden="true" />
    </Base.Trigger>
  )
}

function Options({ loading }: { loading: boolean | undefined }) {
  const texts = useUiTexts()

  return (
    <Base.Portal>
      <Base.Positioner className="z-40" sideOffset={5}>
        <Base.Popup className="popup max-h-[min(22rem,var(--available-height))] w-(--anchor-width) max-w-(--available-width) overflow-y-auto overscroll-contain">
          <Base.Empty className="px-3 py-2.5 text-muted empty:hidden">
            {loading ? texts.loading : texts.noResults}
          </Base.Empty>
          <Base.List className="p-1 data-empty:hidden">
            {(option: Option) => (
              <Base.Item key={option.value} value={option} disabled={option.disabled ?? false} className="option">
                {option.icon && <option.icon aria-hidden="true" className="text-muted" />}
                <span className="min-w-0 flex-1 wrap-anywhere">
                  {option.text}
                  {option.info && <span className="block text-sm text-muted">{option.info}</span>}
                </span>
                <Base.ItemIndicator className="text-accent">
                  <Check aria-hidden="true" />
                </Base.ItemIndicator>
              </Base.Item>
            )}
          </Base.List>
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  )
}
