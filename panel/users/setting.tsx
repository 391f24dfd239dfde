import { type ReactNode, useId } from 'react'
import { Button } from '../ui/button.tsx'

interface Props {
  label: ReactNode
  children: ReactNode
  /** Label of the button. */
  action: string
  onAction: () => void
  /** Why the action is not permitted. The button is then disabled and shows the reason. */
  disabledReason?: string | undefined
  busy?: boolean | undefined
}

/** A row of a card: a property and the button that changes it. */
export function Setting({ label, children, action, onAction, disabledReason, busy }: Props) {
  const id = useId()
  return (
    <div role="group" aria-labelledby={id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-48">
        <p id={id} className="font-medium">
          {label}
        </p>
        <div className="text-sm wrap-anywhere text-muted">{children}</div>
        {disabledReason !== undefined && <p className="mt-0.5 text-sm text-muted italic">{disabledReason}</p>}
      </div>
      <Button
        size="small"
        disabled={disabledReason !== undefined}
        busy={busy}
        onClick={onAction}
        className="min-h-8 shrink-0"
      >
        {action}
      </Button>
    </div>
  )
}
