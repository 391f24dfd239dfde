import { AlertDialog as Base } from '@base-ui/react/alert-dialog'
import { useRef } from 'react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { useUiTexts } from './texts.ts'

interface Props {
  open: boolean
  onClose: () => void
  onConfirm: () => void
  title: ReactNode
  /** What will be lost or changed. */
  children?: ReactNode
  /** Label of the button: "Delete", "Publish". */
  confirm: string
  danger?: boolean | undefined
  busy?: boolean | undefined
  disabled?: boolean | undefined
}

export function ConfirmDialog({ open, onClose, onConfirm, title, children, confirm, danger, busy, disabled }: Props) {
  const texts = useUiTexts()
  const cancel = useRef<HTMLButtonElement>(null)

  return (
    <Base.Root open={open} onOpenChange={next => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop
          forceRender
          className="fixed inset-0 z-40 bg-scrim transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0"
        />
        <Base.Viewport className="fixed inset-0 z-40 flex items-end justify-center sm:items-center">
          {/* A destructive action gets the focus on Cancel, so that Enter does not confirm it by accident. */}
          <Base.Popup
            initialFocus={danger ? cancel : true}
            className="popup flex max-h-[calc(100dvh-2rem)] w-full flex-col max-sm:rounded-b-none sm:w-[26rem]"
          >
            <div className="overflow-y-auto px-5 pt-4 pb-5">
              <Base.Title className="text-lg font-semibold wrap-anywhere">{title}</Base.Title>
              {children && (
                <Base.Description render={<div />} className="mt-1.5 space-y-2 wrap-anywhere text-muted">
                  {children}
                </Base.Description>
              )}
            </div>
            <footer className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">
              <Button ref={cancel} onClick={onClose}>
                {texts.cancel}
              </Button>
              <Button variant={danger ? 'danger' : 'primary'} busy={busy} disabled={disabled} onClick={onConfirm}>
                {confirm}
              </Button>
            </footer>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}
