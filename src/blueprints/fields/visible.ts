/**
 * Which of the referenced pages, files and accounts the caller is shown. Values are written synchronously, so the
 * current value can be a module variable, and only the fields with references use it.
 */
export interface VisibleReferences {
  /** The names that identify the entry of a stored reference; undefined if the caller is not shown it. */
  namesOf(type: string, reference: string): readonly string[] | undefined
  /** The stored form of a sent reference, by uuid or by id; undefined if the caller sees no such entry. */
  stored(type: string, reference: string, store: string): string | undefined
  /** Whether one response shows all references. Otherwise a reference that is not sent back is not removed. */
  isComplete: boolean
}

/** `all`: for the program itself, and where no value comes from a caller. */
export type ShownReferences = VisibleReferences | 'all'

/** For a form without references: if the form changes in the meantime, the caller was shown none of its references. */
export const noneVisible: VisibleReferences = {
  namesOf: () => undefined,
  stored: () => undefined,
  isComplete: true,
}

/** Limits for the references that one field, and one content, show. */
export const maxShown = { inField: 1000, inContent: 5000 }

let current: ShownReferences = 'all'

export function withVisible<Result>(visible: ShownReferences, work: () => Result): Result {
  const before = current
  current = visible
  try {
    return work()
  } finally {
    current = before
  }
}

export const visibleNow = (): ShownReferences => current
