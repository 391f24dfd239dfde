import type { ButtonHTMLAttributes, Ref } from 'react'
import { cx } from './cx.ts'
import type { Icon } from './icon.ts'
import { Spinner } from './spinner.tsx'

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  /** What the button does: its accessible name and its tooltip. */
  label: string
  icon: Icon
  size?: 'small' | 'normal' | undefined
  variant?: 'plain' | 'quiet' | undefined
  busy?: boolean | undefined
  ref?: Ref<HTMLButtonElement> | undefined
}

export function IconButton({ label, icon: Icon, size = 'normal', variant = 'plain', busy, className, ...rest }: Props) {
  return (
    <button
      type="button"
      aria-label={label}
      data-tip={label}
      aria-busy={busy || undefined}
      className={cx(
        'inline-flex shrink-0 items-center justify-center rounded-md border text-muted transition-colors',
        'hover:not-disabled:bg-hover hover:not-disabled:text-ink disabled:opacity-45',
        'aria-pressed:bg-accent-soft aria-pressed:text-accent data-popup-open:bg-hover data-popup-open:text-ink',
        size === 'small' ? 'size-7' : 'size-8',
        variant === 'quiet' ? 'border-line-strong bg-surface' : 'border-transparent',
        className,
      )}
      {...rest}
    >
      {busy ? <Spinner /> : <Icon aria-hidden="true" />}
    </button>
  )
}
