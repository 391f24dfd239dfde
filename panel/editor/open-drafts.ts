import { createDraft } from './draft.ts'
import type { Draft } from './draft-state.ts'
import type { ContentResource } from './content-resource.ts'

const drafts = new Map<string, Draft>()
const maxDrafts = 100

/** The draft of a resource and language. Returns an existing one, if the screen was visited before. */
export function draftOf(resource: ContentResource, self: string): Draft {
  const found = drafts.get(resource.key) ?? createDraft(resource, self)
  drafts.delete(resource.key)
  drafts.set(resource.key, found)
  for (const [key, { get }] of drafts) {
    if (drafts.size <= maxDrafts) break
    if (get().sending === 'idle') drafts.delete(key)
  }
  return found
}

/** For a resource that was deleted or moved, and its descendants. */
export function clearDrafts(link: string): void {
  for (const [key, { resource }] of drafts)
    if (resource.link === link || resource.link.startsWith(`${link}+`)) drafts.delete(key)
}

/** Whether a draft has changes that the server does not have yet. */
const isUnsent = () => [...drafts.values()].some(({ get }) => ['waiting', 'sending', 'failed'].includes(get().sending))

/** Sends all pending changes at once, for example before a resource moves to another URL. */
export async function flushDrafts(): Promise<void> {
  const waiting = [...drafts.values()].filter(({ get }) => ['waiting', 'sending', 'failed'].includes(get().sending))
  await Promise.all(waiting.map(({ flush }) => flush()))
}

addEventListener('online', () => void flushDrafts())
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') void flushDrafts()
})
addEventListener('beforeunload', event => {
  if (isUnsent()) event.preventDefault()
})
