/** A function that returns true at most once in this time: for a log line that a flood of requests would repeat. */
export function atMostEvery(ms: number): () => boolean {
  let last = -Infinity
  return () => {
    const now = performance.now()
    if (now - last < ms) return false
    last = now
    return true
  }
}
