import { Toast as Base } from '@base-ui/react/toast'
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { cx } from './cx.ts'
import { IconButton } from './icon-button.tsx'
import { useUiTexts } from './texts.ts'
import { onToast } from './toast.ts'

const defaultTimeoutMs = 5000
/** Errors and toasts with an action stay longer, so that there is time to read them and to act. */
const longTimeoutMs = 10_000

/** Shows the toasts. Render it once per page, and load it lazily, because it is large. */
export function Toaster() {
  const [manager] = useState(() => Base.createToastManager())

  useEffect(
    () =>
      onToast(({ title, text, tone = 'neutral', action }) => {
        const id = manager.add({
          title,
          description: text,
          type: tone,
          priority: tone === 'danger' ? 'high' : 'low',
          timeout: tone === 'danger' || action ? longTimeoutMs : defaultTimeoutMs,
          ...(action && { actionProps: { children: action.text, onClick: runAction } }),
        })
        // Closes the toast first, so that the action cannot run twice.
        function runAction() {
          manager.close(id)
          action?.onSelect()
        }
      }),
    [manager],
  )

  return (
    <Base.Provider toastManager={manager} limit={4}>
      <ToastList />
    </Base.Provider>
  )
}

function ToastList() {
  const { toasts } = Base.useToastManager()
  const texts = useUiTexts()

  return (
    <Base.Portal>
      <Base.Viewport
        aria-label={texts.notifications}
        className="fixed start-4 z-50 max-sm:top-14 sm:bottom-(--toasts-bottom,1rem) flex w-96 max-w-[calc(100vw-2rem)] flex-col gap-2 outline-none"
      >
        {toasts.map(toast => {
          const Icon = toast.type === 'danger' ? CircleAlert : toast.type === 'good' ? CircleCheck : undefined

          return (
            <Base.Root
              key={toast.id}
              toast={toast}
              className="popup flex items-start gap-2 py-2 ps-3.5 pe-2 data-limited:hidden"
            >
              {Icon && (
                <Icon
                  aria-hidden="true"
                  className={cx('mt-1.5', toast.type === 'danger' ? 'text-danger' : 'text-good')}
                />
              )}
              <Base.Content className="min-w-0 flex-1 py-1">
                <Base.Title render={<p />} className="font-medium wrap-anywhere" />
                <Base.Description className="text-sm wrap-anywhere text-muted" />
              </Base.Content>
              {toast.actionProps && (
                <Base.Action className="min-h-7 shrink-0 rounded-md px-2 font-medium text-accent hover:bg-hover" />
              )}
              <Base.Close render={<IconButton size="small" label={texts.close} icon={X} />} />
            </Base.Root>
          )
        })}
      </Base.Viewport>
    </Base.Portal>
  )
}
