export interface ToastOptions {
  title: string
  text?: string | undefined
  tone?: 'neutral' | 'good' | 'danger' | undefined
  /** A single action, such as undo. */
  action?: { text: string; onSelect: () => void } | undefined
}

type Listener = (toast: ToastOptions) => void

const waiting: ToastOptions[] = []
let listener: Listener | undefined
let hasToast = false
let notifyFirst: () => void = () => {}

/** Shows a short message. Messages before the Toaster is loaded are queued. */
export function toast(options: ToastOptions | string): void {
  const full = typeof options === 'string' ? { title: options } : options
  hasToast = true
  notifyFirst()
  if (listener) listener(full)
  else waiting.push(full)
}

/** Registers the Toaster, and passes it the queued messages. */
export function onToast(next: Listener): () => void {
  listener = next
  for (const options of waiting.splice(0)) next(options)
  return () => {
    if (listener === next) listener = undefined
  }
}

/** Whether there was any message: until then the Toaster is not loaded. */
export const hasToasts = (): boolean => hasToast

export function onFirstToast(next: () => void): () => void {
  notifyFirst = next
  return () => {
    notifyFirst = () => {}
  }
}
