import { cloneElement } from 'react'
import type { ButtonHTMLAttributes, MouseEvent, ReactElement, ReactNode, Ref } from 'react'
import { cx } from './cx.ts'
import type { Icon } from './icon.ts'
import { Spinner } from './spinner.tsx'

export type ButtonVariant = 'primary' | 'quiet' | 'plain' | 'danger'
export type ButtonSize = 'small' | 'normal' | 'large'

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  children?: ReactNode
  variant?: ButtonVariant | undefined
  size?: ButtonSize | undefined
  icon?: Icon | undefined
  iconEnd?: Icon | undefined
  /** The action is running: the button keeps its size and ignores clicks. */
  busy?: boolean | undefined
  /** Another element to render as the button, such as a router link. */
  render?: ReactElement<Record<string, unknown>> | undefined
  ref?: Ref<HTMLButtonElement> | undefined
}

const variants = {
  primary: 'bg-accent text-on-accent border-transparent hover:not-disabled:bg-accent-hover',
  quiet: 'bg-surface text-ink border-line-strong hover:not-disabled:bg-hover hover:not-disabled:border-edge',
  plain: 'bg-transparent text-ink border-transparent hover:not-disabled:bg-hover data-popup-open:bg-hover',
  danger: 'bg-danger text-on-danger border-transparent hover:not-disabled:bg-danger-hover',
}

const sizes = {
  small: 'min-h-7 px-2 py-0.5 gap-1.5 text-sm',
  normal: 'min-h-8 px-3 py-1 gap-2',
  large: 'min-h-10 px-4 py-2 gap-2 text-base',
}

function buttonClass(variant: ButtonVariant = 'quiet', size: ButtonSize = 'normal', more?: string): string {
  return cx(
    'inline-flex max-w-full items-center justify-center rounded-md border text-start font-medium select-none',
    'transition-colors disabled:opacity-55 aria-disabled:opacity-55',
    variants[variant],
    sizes[size],
    more,
  )
}

export function Button({ children, variant, size, icon: Icon, iconEnd: IconEnd, busy, render, ...rest }: Props) {
  const { className, onClick, type = 'button', ...attributes } = rest
  const contents = (
    <>
      {busy ? <Spinner /> : Icon && <Icon aria-hidden="true" />}
      {children !== undefined && <span className="min-w-0 wrap-anywhere">{children}</span>}
      {IconEnd && <IconEnd aria-hidden="true" className="ms-auto" />}
    </>
  )
  const classes = buttonClass(variant, size, className)

  if (render) return cloneElement(render, { className: classes, children: contents, onClick, ...attributes })

  function handleClick(event: MouseEvent<HTMLButtonElement>) {
    if (busy) event.preventDefault()
    else onClick?.(event)
  }

  return (
    <button type={type} className={classes} onClick={handleClick} aria-busy={busy || undefined} {...attributes}>
      {contents}
    </button>
  )
}
