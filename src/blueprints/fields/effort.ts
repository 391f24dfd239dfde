/**
 * What one request may cost, all its fields, rows and blocks together: while the values of one are cleaned and checked,
 * everybody else waits. That happens in one go, so the effort that is being made can be a variable here, and no field
 * type that costs nothing has to pass it on.
 */
export interface Effort {
  /** How much HTML may still be cleaned, in tags. */
  tags: number
  /** How long patterns may still be tried, in milliseconds. */
  patience: number
  /** Whether what cannot be checked in time is let through, because nobody has sent it now. */
  isLenient: boolean
  /** What is known already: pattern → text → whether it fits. */
  answers: Map<RegExp, Map<string, boolean | undefined>>
}

const mostTags = 10_000
const patience = 1000

let current: Effort | undefined

/** All that happens in here shares one effort; inside of another, that one's. */
export function withEffort<Result>(work: (effort: Effort) => Result): Result {
  if (current) return work(current)
  try {
    current = { tags: mostTags, patience, isLenient: false, answers: new Map() }
    return work(current)
  } finally {
    current = undefined
  }
}
