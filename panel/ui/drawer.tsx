import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { useRef } from 'react'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { IconButton } from './icon-button.tsx'
import { useUiTexts } from './texts.ts'

interface Props {
  title: ReactNode
  open: boolean
  onClose: () => void
  children?: ReactNode
  footer?: ReactNode
  /** Buttons beside the title, such as previous and next. */
  actions?: ReactNode
  side?: 'start' | 'end' | undefined
  size?: 'narrow' | 'normal' | 'wide' | undefined
  /** The title is for screen readers only, because the content shows its own. */
  bare?: boolean | undefined
  /** Beside the page, which stays usable and makes room (`data-docked` in the style sheet). */
  docked?: boolean | undefined
}

const widths = { narrow: 'w-72', normal: 'w-[34rem]', wide: 'w-[52rem]' }

/** A panel that slides in from the side; the page behind it stays visible. */
export function Drawer({
  title,
  open,
  onClose,
  children,
  footer,
  actions,
  side = 'end',
  size = 'normal',
  bare,
  docked = false,
}: Props) {
  const texts = useUiTexts()
  const body = useRef<HTMLDivElement>(null)
  const first = (type: string) =>
    (type !== 'touch' &&
      body.current?.querySelector<HTMLElement>('input:enabled, textarea:enabled, button:enabled, a')) ||
    true

  return (
    <Base.Root
      open={open}
      // Escape in the page beside it is meant for the page.
      onOpenChange={next => next || (docked && !body.current?.contains(document.activeElement)) || onClose()}
      modal={!docked}
      disablePointerDismissal={docked}
    >
      <Base.Portal>
        {!docked && (
          <Base.Backdrop className="fixed inset-0 z-40 bg-scrim transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
        )}
        <Base.Popup
          data-docked={docked ? '' : undefined}
          initialFocus={first}
          className={cx(
            'fixed inset-y-0 z-40 flex max-w-[calc(100vw-2.5rem)] flex-col bg-surface shadow-pop outline-none',
            'transition-[translate,opacity] data-ending-style:opacity-0 data-starting-style:opacity-0',
            docked ? 'w-96' : widths[size],
            side === 'end'
              ? 'end-0 border-s data-ending-style:translate-x-4 data-starting-style:translate-x-4 rtl:data-ending-style:-translate-x-4 rtl:data-starting-style:-translate-x-4'
              : 'start-0 border-e data-ending-style:-translate-x-4 data-starting-style:-translate-x-4 rtl:data-ending-style:translate-x-4 rtl:data-starting-style:translate-x-4',
          )}
        >
          {bare ? (
            <Base.Title className="sr-only">{title}</Base.Title>
          ) : (
            <div className="flex items-center gap-2 border-b py-2 ps-5 pe-3">
              <Base.Title className="min-w-0 flex-1 truncate font-semibold">{title}</Base.Title>
              {actions}
              <IconButton label={texts.close} icon={X} onClick={onClose} />
            </div>
          )}
          <div ref={body} className={cx('min-h-0 flex-1 overflow-y-auto', !bare && 'p-5')}>
            {children}
          </div>
          {footer && <footer className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">{footer}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
