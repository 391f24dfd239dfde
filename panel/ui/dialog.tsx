import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { useRef } from 'react'
import type { ReactNode, RefObject } from 'react'
import { cx } from './cx.ts'
import { IconButton } from './icon-button.tsx'
import { useUiTexts } from './texts.ts'

interface Props {
  title: ReactNode
  open: boolean
  onClose: () => void
  children?: ReactNode
  description?: ReactNode
  /** Buttons, the primary one last. */
  footer?: ReactNode
  size?: 'small' | 'normal' | 'large' | 'full' | undefined
  /** Makes the dialog a form; the primary button then needs the type `submit`. */
  onSubmit?: (() => void) | undefined
  /** The element to focus first; by default the first control. */
  initialFocus?: RefObject<HTMLElement | null> | undefined
  /** A click outside does not close the dialog, because input could be lost. */
  disablePointerDismissal?: boolean | undefined
  /** No padding, for lists that reach the edges. */
  flush?: boolean | undefined
}

const widths = {
  small: 'sm:w-[26rem]',
  normal: 'sm:w-[34rem]',
  large: 'sm:w-[52rem]',
  full: 'sm:w-[min(80rem,calc(100vw-3rem))] sm:h-[calc(100dvh-3rem)]',
}

const controls = 'input:enabled, textarea:enabled, button:enabled:not([role=tab])'

export function Dialog(props: Props) {
  const {
    title,
    open,
    onClose,
    children,
    description,
    footer,
    size = 'normal',
    onSubmit,
    initialFocus,
    disablePointerDismissal,
  } = props
  const texts = useUiTexts()
  const Contents = onSubmit ? 'form' : 'div'
  const body = useRef<HTMLDivElement>(null)

  // Focus the first control in the body, not the close button or a tab. Not on touch devices, where it would open the keyboard.
  const first = (type: string) => (type !== 'touch' && body.current?.querySelector<HTMLElement>(controls)) || true

  return (
    <Base.Root
      open={open}
      onOpenChange={next => !next && onClose()}
      disablePointerDismissal={disablePointerDismissal ?? false}
    >
      <Base.Portal>
        <Base.Backdrop
          forceRender
          className="fixed inset-0 z-40 bg-scrim transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0"
        />
        <Base.Viewport className="fixed inset-0 z-40 flex items-end justify-center sm:items-center">
          <Base.Popup
            initialFocus={initialFocus ?? first}
            className={cx(
              'popup flex max-h-[calc(100dvh-2rem)] w-full flex-col max-sm:rounded-b-none sm:max-w-[calc(100vw-3rem)]',
              widths[size],
            )}
          >
            <Contents
              className="flex min-h-0 flex-1 flex-col"
              noValidate={onSubmit ? true : undefined}
              onSubmit={
                onSubmit &&
                (event => {
                  // Do not submit a form around the dialog: React events bubble through the portal.
                  event.preventDefault()
                  event.stopPropagation()
                  onSubmit()
                })
              }
            >
              <header className="flex items-start gap-3 ps-5 pe-3 pt-3">
                <div className="min-w-0 flex-1 py-1">
                  <Base.Title className="text-lg font-semibold wrap-anywhere">{title}</Base.Title>
                  {description && (
                    <Base.Description className="mt-0.5 wrap-anywhere text-muted">{description}</Base.Description>
                  )}
                </div>
                <IconButton label={texts.close} icon={X} onClick={onClose} />
              </header>
              <div ref={body} className={cx('min-h-0 flex-1 overflow-y-auto', !props.flush && 'px-5 pt-3 pb-5')}>
                {children}
              </div>
              {footer && (
                <footer className="flex flex-wrap items-center justify-end gap-2 border-t px-5 py-3">{footer}</footer>
              )}
            </Contents>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}
