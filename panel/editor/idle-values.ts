import { useEffect, useState } from 'react'
import type { Content } from './content-resource.ts'
import type { Draft } from './draft-state.ts'

/**
 * The values of the form for what is only shown beside it: read when the browser is idle, after typing has paused.
 * Nothing renders while keys are pressed.
 */
export function useIdleValues(draft: Draft): Content {
  const [values, setValues] = useState<Content>(() => draft.get().values)
  const base = draft.use(state => state.base)
  // From the first key until the draft is saved, this stays the same.
  const isTyping = draft.use(({ sending, isReady }) => !isReady || sending === 'waiting')
  useEffect(() => {
    if (isTyping) return undefined
    return whenIdle(() => setValues(draft.get().values))
  }, [draft, base, isTyping])
  return values
}

/** Not every browser says when it is idle. */
function whenIdle(run: () => void): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(run, 300)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(run)
  return () => cancelIdleCallback(handle)
}
