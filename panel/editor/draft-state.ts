import { useSyncExternalStore } from 'react'
import type { FieldErrors } from '../fields/field-errors.ts'
import type { Content, ContentResource, DraftAuthor, SeenRevision } from './content-resource.ts'
import type { Conflict } from './draft-merge.ts'
import type { Side } from './merge.ts'

/** A hook that returns the whole state, or a selected part. */
interface StateHook<State> {
  (): State
  <Part>(pick: (state: State) => Part): Part
}

export interface EditLock {
  user: DraftAuthor | null
  time: string | null
  /** Where the last words are, if the lock was taken over from this user. */
  saved?: 'draft' | 'history' | undefined
}

export interface DraftState {
  /** False until the draft is loaded. */
  isReady: boolean
  /** The values in the form. */
  values: Content
  /** The published values. */
  base: Content
  /** Names of the fields that differ from the published values. */
  changed: readonly string[]
  /** `waiting`: there are changes to send; `failed`: sending is retried automatically. */
  sending: 'idle' | 'waiting' | 'sending' | 'failed'
  isPublishing: boolean
  /** Errors of fields that are shown so far; see `visible-errors.ts`. */
  errors: FieldErrors
  /** Any other error. */
  problem: unknown
  lock: EditLock | undefined
  /** The field that stays editable in spite of the lock until the user leaves it, so that no sentence is cut off. */
  openField: string | undefined
  conflict: Conflict | undefined
  /** The author of the saved draft and its time, if that is another user. */
  author: EditLock | undefined
}

/** Publishes the saved draft together with something else, such as the status of a page. */
export type PublishRequest = (seen: SeenRevision & { revision?: number; publishChanges?: boolean }) => Promise<unknown>

/**
 * The content that the user edits. It is saved as a draft on the server while they type, and published on request. It
 * lives outside of the components, so that no change is lost when the user navigates to another screen.
 */
export interface Draft {
  resource: ContentResource
  /**
   * Selects a part of the state; a component renders again only if that part changes. The selector must return the same
   * object if nothing changed.
   */
  use: StateHook<DraftState>
  get: () => DraftState
  change: (values: Content) => void
  /** Merges newly read published content into the form. */
  rebase: (content: Content, revision: number) => void
  /** Reads the draft from the server. */
  refresh: () => Promise<void>
  flush: () => Promise<void>
  /** Whether a screen shows the draft. What is saved without one, after a failed attempt, reloads the lists. */
  show: (isShown: boolean) => void
  /**
   * Resolves to true if the content was published. With a request, everything is first saved as a draft, and the request
   * publishes it.
   */
  publish: (request?: PublishRequest) => Promise<boolean>
  discard: () => Promise<void>
  takeOver: () => Promise<void>
  /** Saves what was typed in `openField`, and closes it. */
  closeField: () => Promise<void>
  /** Resolves the conflict with the chosen sides, by the keys of the collisions. */
  resolve: (sides: Readonly<Record<string, Side>>) => void
  /** Saves pending changes, then returns the draft revision. */
  seen: () => Promise<SeenRevision>
}

export function createState<State>(initial: State) {
  let current = initial
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  function use(): State
  function use<Part>(pick: (state: State) => Part): Part
  function use<Part>(pick?: (state: State) => Part): State | Part {
    return useSyncExternalStore(subscribe, () => (pick ? pick(current) : current))
  }
  return {
    get: () => current,
    set(next: State) {
      current = next
      for (const listener of listeners) listener()
    },
    use,
  }
}
