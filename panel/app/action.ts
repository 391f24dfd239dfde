import { useCallback, useRef, useState } from 'react'

export interface Action<Input extends unknown[]> {
  run: (...input: Input) => Promise<void>
  busy: boolean
  error: unknown
  clear: () => void
}

/** One thing to do at a time: whether it is under way, and what went wrong. For screens that come before react-query does. */
export function useAction<Input extends unknown[]>(act: (...input: Input) => Promise<unknown>): Action<Input> {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const running = useRef(false)
  const run = async (...input: Input) => {
    if (running.current) return
    running.current = true
    setBusy(true)
    setError(undefined)
    try {
      await act(...input)
    } catch (failed) {
      setError(failed)
    } finally {
      running.current = false
      setBusy(false)
    }
  }
  return { run, busy, error, clear: useCallback(() => setError(undefined), []) }
}
