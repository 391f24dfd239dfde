import { useEffect, useMemo } from 'react'
import { useSession } from '../app/session.ts'
import type { Draft } from './draft-state.ts'
import { refreshLists } from '../app/query.ts'
import { focusedField } from './focus-field.ts'
import { draftOf } from './open-drafts.ts'
import type { Content, ContentResource } from './content-resource.ts'

/** How often to check whether the edit lock is released, in milliseconds. */
const lockCheckMs = 15_000

/** A field that stays editable after someone has taken over closes so long after the last key, in milliseconds. */
const closeAfterMs = 15_000

/** Closes the field that stays editable in spite of a lock, when the user leaves it or stops typing. */
function useOpenField(draft: Draft): void {
  const openField = draft.use(state => state.openField)
  useEffect(() => {
    if (openField === undefined) return undefined
    const stop = new AbortController()
    const { signal } = stop
    let timer: ReturnType<typeof setTimeout> | undefined
    const closeLater = () => {
      clearTimeout(timer)
      timer = setTimeout(() => void draft.closeField(), closeAfterMs)
    }
    // The next element has the focus only after the event. Another window does not take it.
    const closeIfLeft = () =>
      setTimeout(() => signal.aborted || focusedField() === openField || void draft.closeField())
    document.addEventListener('focusout', closeIfLeft, { signal })
    document.addEventListener('input', closeLater, { signal, capture: true })
    closeLater()
    closeIfLeft()
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [draft, openField])
}

/** The draft of a resource, merged with its published content. Not ready until both are loaded. */
export function useDraft(
  resource: ContentResource,
  published: { content: Content; revision: number } | undefined,
): Draft {
  const { user } = useSession()
  const draft = useMemo(() => draftOf(resource, user.id), [resource, user.id])
  const { content, revision } = published ?? {}
  const isLocked = draft.use(({ lock }) => lock !== undefined)

  useEffect(() => {
    if (!content || revision === undefined) return
    draft.rebase(content, revision)
    void draft.refresh()
  }, [draft, content, revision])

  useEffect(() => {
    if (!isLocked) return undefined
    const timer = setInterval(() => void draft.refresh(), lockCheckMs)
    return () => clearInterval(timer)
  }, [draft, isLocked])

  useOpenField(draft)

  // Another window, device or user may have saved the draft meanwhile.
  useEffect(() => {
    const refreshIfVisible = () => {
      if (document.visibilityState === 'visible') void draft.refresh()
    }
    addEventListener('focus', refreshIfVisible)
    document.addEventListener('visibilitychange', refreshIfVisible)
    return () => {
      removeEventListener('focus', refreshIfVisible)
      document.removeEventListener('visibilitychange', refreshIfVisible)
    }
  }, [draft])

  // Save pending changes when the user leaves the screen. Lists show what is not published.
  useEffect(() => {
    draft.show(true)
    const countBefore = draft.get().changed.length
    return () => {
      const isChanged = draft.get().changed.length + countBefore > 0
      void draft.flush().then(() => {
        draft.show(false)
        return isChanged ? refreshLists() : undefined
      })
    }
  }, [draft])

  return draft
}
