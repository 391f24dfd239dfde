import { Popover as Base } from '@base-ui/react/popover'
import type { ReactElement, ReactNode } from 'react'
import { cx } from './cx.ts'

interface Props {
  trigger: ReactElement<Record<string, unknown>>
  children: ReactNode
  title?: ReactNode
  /** Its accessible name, if it has no visible title. */
  label?: string | undefined
  open?: boolean | undefined
  onOpenChange?: ((open: boolean) => void) | undefined
  align?: 'start' | 'center' | 'end' | undefined
  side?: 'bottom' | 'top' | undefined
  className?: string | undefined
  /** The element to focus when it opens; by default the first control. */
  initialFocus?: (() => HTMLElement | null) | undefined
}

export function Popover({
  trigger,
  children,
  title,
  label,
  open,
  onOpenChange,
  align = 'start',
  side = 'bottom',
  className,
  initialFocus,
}: Props) {
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className="z-40" sideOffset={6} align={align} side={side} collisionPadding={8}>
          <Base.Popup
            aria-label={label}
            initialFocus={initialFocus && (() => initialFocus() ?? true)}
            className={cx(
              'popup max-h-[max(12rem,var(--available-height))] w-80 max-w-[calc(100vw-1rem)] overflow-y-auto p-4',
              className,
            )}
          >
            {title && <Base.Title className="mb-2 font-semibold">{title}</Base.Title>}
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
