/**
 * What one request may cost, all its fields, rows and blocks together: while the values of one are cleaned and checked,
 * everybody else waits. That happens in one go, so the effort that is being made can be a variable here, and no field
 * type that costs nothing has to pass it on.
 */
export interface CpuBudget {
  /** How much HTML may still be cleaned, in tags. */
  tags: number
  /** How long patterns may still be tried, in milliseconds. */
  patternMs: number
  /** Whether what cannot be checked in time is let through, because nobody has sent it now. */
  isLenient: boolean
  /** What is known already: pattern → text → whether it fits. */
  answers: Map<RegExp, Map<string, boolean | undefined>>
}

const maxTags = 10_000
const maxPatternMs = 1000

let current: CpuBudget | undefined

/** All that happens in here shares one effort; inside of another, that one's. */
export function withBudget<Result>(work: (effort: CpuBudget) => Result): Result {
  if (current) return work(current)
  try {
    current = { tags: maxTags, patternMs: maxPatternMs, isLenient: false, answers: new Map() }
    return work(current)
  } finally {
    current = undefined
  }
}
