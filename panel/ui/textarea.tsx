import type { AriaAttributes, ClipboardEvent, KeyboardEvent, Ref } from 'react'
import { useControl } from './control.ts'
import type { ControlProps } from './control.ts'
import { cx } from './cx.ts'

interface Props extends ControlProps {
  value: string
  onChange: (value: string) => void
  placeholder?: string | undefined
  /** Minimum height in lines; it grows with the text up to `maxRows`. */
  rows?: number | undefined
  maxRows?: number | undefined
  mono?: boolean | undefined
  readOnly?: boolean | undefined
  spellCheck?: boolean | undefined
  dir?: 'ltr' | 'rtl' | 'auto' | undefined
  onKeyDown?: ((event: KeyboardEvent<HTMLTextAreaElement>) => void) | undefined
  onPaste?: ((event: ClipboardEvent<HTMLTextAreaElement>) => void) | undefined
  onBlur?: (() => void) | undefined
  /** Without its own frame, for use inside another. */
  bare?: boolean | undefined
  /** Further attributes, such as those of a list of suggestions. */
  aria?: AriaAttributes | undefined
  className?: string | undefined
  ref?: Ref<HTMLTextAreaElement> | undefined
}

/** Grows with its text: a hidden copy of the text in the same grid cell sets the height, without measuring. */
export function Textarea(props: Props) {
  const { value, onChange, rows = 3, maxRows, mono, bare, className, ref } = props
  const control = useControl(props)
  const type = cx(
    'col-start-1 row-start-1 px-2.5 py-1.5 wrap-anywhere whitespace-pre-wrap',
    mono && 'font-mono text-sm',
  )

  return (
    <div
      className={cx('grid overflow-auto', !bare && 'control', className)}
      style={maxRows ? { maxHeight: `${maxRows * 1.25 + 0.875}rem` } : undefined}
      data-disabled={control.disabled ? '' : undefined}
    >
      <textarea
        {...control}
        {...props.aria}
        dir={props.dir}
        ref={ref}
        value={value}
        onChange={event => onChange(event.target.value)}
        placeholder={props.placeholder}
        readOnly={props.readOnly}
        spellCheck={props.spellCheck}
        onKeyDown={props.onKeyDown}
        onPaste={props.onPaste}
        onBlur={props.onBlur}
        rows={rows}
        className={cx(type, 'resize-none overflow-hidden bg-transparent outline-none')}
      />
      <div aria-hidden="true" dir={props.dir} className={cx(type, 'invisible')}>
        {`${value}\n`}
      </div>
    </div>
  )
}
