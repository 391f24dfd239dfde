/**
 * The CPU budget of one request, shared by all its fields, rows and blocks: cleaning and checking values blocks the
 * event loop. This work is synchronous, so the current budget can be a module variable and need not be passed through
 * field types that do not use it.
 */
export interface CpuBudget {
  /** How much more HTML may be sanitised, in tags. */
  tags: number
  /** How much longer patterns may run, in ms. */
  patternMs: number
  /** Accept values that cannot be checked in time. Set for fields that the request does not change. */
  isLenient: boolean
  /** Cache of results: pattern → text → whether it matches. */
  answers: Map<RegExp, Map<string, boolean | undefined>>
}

const maxTags = 10_000
const maxPatternMs = 1000

let current: CpuBudget | undefined

/** Runs the work with one budget; a nested call uses the budget of the outer one. */
export function withBudget<Result>(work: (effort: CpuBudget) => Result): Result {
  if (current) return work(current)
  try {
    current = { tags: maxTags, patternMs: maxPatternMs, isLenient: false, answers: new Map() }
    return work(current)
  } finally {
    current = undefined
  }
}
