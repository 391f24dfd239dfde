import { createStore } from './store.ts'

/** What a request waits for: that somebody signs in again, or confirms who they are. */
export type Need = 'signin' | 'confirm'

interface Interruption {
  need: Need
  /** With the token of the new session, or with nothing if the person would rather not. */
  answer: (csrf: string | undefined) => void
}

/** What is being asked for just now, over the screen. */
export const interruption = createStore<Interruption | undefined>(undefined)

let asking: { need: Need; given: Promise<string | undefined> } | undefined

/** However many requests wait for it, the person is asked once. */
export function ask(need: Need): Promise<string | undefined> {
  if (asking?.need === need) return asking.given
  if (asking) return asking.given.then(() => ask(need))
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  asking = { need, given: promise }
  interruption.set({
    need,
    answer(csrf) {
      asking = undefined
      interruption.set(undefined)
      resolve(csrf)
    },
  })
  return promise
}
