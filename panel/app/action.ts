import { useCallback, useRef, useState } from 'react'

export interface AsyncAction<Input extends unknown[]> {
  run: (...input: Input) => Promise<void>
  busy: boolean
  error: unknown
  clear: () => void
}

/**
 * Runs one call at a time and tracks whether it is pending and its error. For screens that are shown before react-query
 * is loaded.
 */
export function useAsyncAction<Input extends unknown[]>(
  act: (...input: Input) => Promise<unknown>,
): AsyncAction<Input> {
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
