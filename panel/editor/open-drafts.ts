import { createDraft, type Draft } from './draft.ts'
import type { ContentResource } from './content-resource.ts'

const drafts = new Map<string, Draft>()
const most = 100

/** The one of this thing in this language, which may have been begun on another visit to its screen. */
export function draftOf(thing: ContentResource, self: string): Draft {
  const found = drafts.get(thing.key) ?? createDraft(thing, self)
  drafts.delete(thing.key)
  drafts.set(thing.key, found)
  for (const [key, { get }] of drafts) {
    if (drafts.size <= most) break
    if (get().sending === 'idle') drafts.delete(key)
  }
  return found
}

/** It has gone, or has another address. */
export function forgetDrafts(link: string): void {
  for (const [key, { thing }] of drafts)
    if (thing.link === link || thing.link.startsWith(`${link}+`)) drafts.delete(key)
}

/** Whether anything is not with the server yet. */
const isUnsent = () => [...drafts.values()].some(({ get }) => ['waiting', 'sending', 'failed'].includes(get().sending))

/** What is waiting is sent at once, as far as it can be: before a thing moves to another address, for example. */
export async function settleDrafts(): Promise<void> {
  const waiting = [...drafts.values()].filter(({ get }) => ['waiting', 'sending', 'failed'].includes(get().sending))
  await Promise.all(waiting.map(({ flush }) => flush()))
}

addEventListener('online', () => void settleDrafts())
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') void settleDrafts()
})
addEventListener('beforeunload', event => {
  if (isUnsent()) event.preventDefault()
})
