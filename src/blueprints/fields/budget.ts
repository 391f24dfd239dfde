/**
 * The CPU budget of one request, shared by all its fields, rows and blocks: cleaning and checking values blocks the
 * event loop. This work is synchronous, so the current budget can be a module variable and need not be passed through
 * field types that do not use it.
 */
export interface CpuBudget {
  /** How many more rows, blocks and values the field that is written may have. */
  parts: number
  /** How much more HTML may be sanitised, in tags. */
  tags: number
  /** How much longer patterns that backtrack may run, in ms of CPU time. */
  patternMs: number
  /** Accept values that cannot be checked in time. Set for fields that the request does not change. */
  isLenient: boolean
}

const maxTags = 10_000
const maxPatternMs = 50
/** Rows, blocks and values of one field: a list of this size is read, checked and stored in some 50 ms. */
export const maxValueParts = 30_000

let current: CpuBudget | undefined

export const createBudget = (): CpuBudget => ({
  parts: maxValueParts,
  tags: maxTags,
  patternMs: maxPatternMs,
  isLenient: false,
})

/** Runs the work with one budget; a nested call uses the budget of the outer one. */
export function withBudget<Result>(work: (budget: CpuBudget) => Result, budget?: CpuBudget): Result {
  if (current) return work(current)
  try {
    current = budget ?? createBudget()
    return work(current)
  } finally {
    current = undefined
  }
}

/** Whether the field may have this many more parts. Without a budget, as in imports, there is no limit. */
export function spendParts(count: number): boolean {
  if (!current) return true
  current.parts -= count
  return current.parts >= 0
}
