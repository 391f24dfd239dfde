export interface ToastOptions {
  title: string
  text?: string | undefined
  tone?: 'neutral' | 'good' | 'danger' | undefined
  /** One thing to do about it, such as taking it back. */
  action?: { text: string; onSelect: () => void } | undefined
  /** In milliseconds; 0 stays until closed. Trouble stays longer than good news. */
  timeout?: number | undefined
}

type Listener = (toast: ToastOptions) => void

const waiting: ToastOptions[] = []
let listener: Listener | undefined
let hasToast = false
let begin: () => void = () => {}

/** Shows a short message. It may be called before the Toaster is loaded: it then waits for it. */
export function toast(options: ToastOptions | string): void {
  const full = typeof options === 'string' ? { title: options } : options
  hasToast = true
  begin()
  if (listener) listener(full)
  else waiting.push(full)
}

/** The Toaster takes the messages, those that wait first. */
export function onToast(next: Listener): () => void {
  listener = next
  for (const one of waiting.splice(0)) next(one)
  return () => {
    if (listener === next) listener = undefined
  }
}

/** Whether there has been a message: until then no Toaster is needed. */
export const hasToasts = (): boolean => hasToast

export function onFirstToast(next: () => void): () => void {
  begin = next
  return () => {
    begin = () => {}
  }
}
