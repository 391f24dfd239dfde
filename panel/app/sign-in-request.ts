import { createStore } from './store.ts'

/** What a request waits for: a new sign-in, or a confirmation of the identity. */
export type SignInReason = 'signin' | 'confirm'

interface SignInRequest {
  need: SignInReason
  /** Called with the CSRF token of the new session, or with undefined if the user cancels. */
  answer: (csrf: string | undefined) => void
}

/** The dialog that is currently open over the screen. */
export const signInRequest = createStore<SignInRequest | undefined>(undefined)

let current: { need: SignInReason; answered: Promise<string | undefined> } | undefined

/** Opens the dialog once, for all requests that wait for it. */
export function requestSignIn(need: SignInReason): Promise<string | undefined> {
  if (current?.need === need) return current.answered
  if (current) return current.answered.then(() => requestSignIn(need))
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  current = { need, answered: promise }
  signInRequest.set({
    need,
    answer(csrf) {
      current = undefined
      signInRequest.set(undefined)
      resolve(csrf)
    },
  })
  return promise
}
