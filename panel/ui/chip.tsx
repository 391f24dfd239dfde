import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { fillText, useUiTexts } from './texts.ts'

interface Props {
  name: string
  children?: ReactNode
  onRemove?: (() => void) | undefined
}

/** A selected item with a remove button. */
export function Chip({ name, children, onRemove }: Props) {
  const texts = useUiTexts()

  return (
    <span className="inline-flex min-h-6 max-w-full items-center gap-0.5 rounded-sm bg-accent-soft ps-2 pe-2 text-sm has-[button]:pe-0">
      <span className="min-w-0 truncate">{children ?? name}</span>
      {onRemove && (
        <button
          type="button"
          tabIndex={-1}
          aria-label={fillText(texts.remove, { name })}
          onClick={onRemove}
          className="flex size-6 shrink-0 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-ink"
        >
          <X aria-hidden="true" className="size-3.5" />
        </button>
      )}
    </span>
  )
}
