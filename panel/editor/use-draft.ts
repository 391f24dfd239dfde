import { useEffect, useMemo } from 'react'
import { useSession } from '../app/session.ts'
import type { Draft } from './draft.ts'
import { draftOf } from './open-drafts.ts'
import type { Content, ContentResource } from './content-resource.ts'

/** How often it is asked whether somebody else has finished, in milliseconds. */
const patience = 15_000

/** What is being written of a thing, over what is published of it. Undefined until that is known. */
export function useDraft(thing: ContentResource, published: { content: Content; revision: number } | undefined): Draft {
  const { user } = useSession()
  const draft = useMemo(() => draftOf(thing, user.id), [thing, user.id])
  const { content, revision } = published ?? {}
  const isLocked = draft.use(({ lock }) => lock !== undefined)

  useEffect(() => {
    if (!content || revision === undefined) return
    draft.rebase(content, revision)
    void draft.refresh()
  }, [draft, content, revision])

  useEffect(() => {
    if (!isLocked) return undefined
    const timer = setInterval(() => void draft.refresh(), patience)
    return () => clearInterval(timer)
  }, [draft, isLocked])

  // Another window, device or person may have written since.
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') void draft.refresh()
    }
    addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [draft])

  // Whoever leaves leaves nothing behind.
  useEffect(() => () => void draft.flush(), [draft])

  return draft
}
