/**
 * What the caller is shown of pages, files and accounts that fields refer to. Values are written in one go, so it can be a
 * variable here, and only the fields that refer to something ask for it.
 */
export interface VisibleReferences {
  /** What the entry that is shown for a stored reference can be called; undefined where the caller is shown none. */
  namesOf(type: string, reference: string): readonly string[] | undefined
  /** What a reference that is sent is stored as, by uuid or by id; undefined where the caller sees nothing of that name. */
  stored(type: string, reference: string, store: string): string | undefined
  /** Whether one answer shows all of them; else nothing goes because it is not sent back. */
  isComplete: boolean
}

/** More of them one field, and one content, does not show. */
export const maxShown = { inField: 1000, inContent: 5000 }

let current: VisibleReferences | undefined

/** Without any, the caller is shown everything. */
export function withVisible<Result>(visible: VisibleReferences | undefined, work: () => Result): Result {
  const before = current
  current = visible
  try {
    return work()
  } finally {
    current = before
  }
}

export const visibleNow = (): VisibleReferences | undefined => current
