import { createStore } from './store.ts'

/** What a request waits for: a new sign-in, or a confirmation of the identity. */
export type Need = 'signin' | 'confirm'

interface Interruption {
  need: Need
  /** Called with the CSRF token of the new session, or with undefined if the user cancels. */
  answer: (csrf: string | undefined) => void
}

/** The dialog that is currently open over the screen. */
export const interruption = createStore<Interruption | undefined>(undefined)

let asking: { need: Need; given: Promise<string | undefined> } | undefined

/** Opens the dialog once, for all requests that wait for it. */
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
