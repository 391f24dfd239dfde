import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement, ReactNode } from 'react'

interface Props {
  text: ReactNode
  /** A focusable element. */
  children: ReactElement<Record<string, unknown>>
  side?: 'top' | 'bottom' | 'inline-start' | 'inline-end' | undefined
}

/** A tooltip with a longer explanation. Icon buttons do not need it: IconButton shows its label itself. */
export function Tooltip({ text, children, side = 'top' }: Props) {
  return (
    <Base.Root>
      <Base.Trigger render={children} delay={400} />
      <Base.Portal>
        <Base.Positioner className="z-50" side={side} sideOffset={6} collisionPadding={8}>
          <Base.Popup
            role="tooltip"
            className="max-w-64 rounded-md bg-ink px-2 py-1 text-xs text-surface transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0"
          >
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
