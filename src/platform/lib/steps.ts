/** Runs work that is written in steps to its end, without yielding to the event loop. */
export function runToEnd<Result>(steps: Generator<void, Result>): Result {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}
