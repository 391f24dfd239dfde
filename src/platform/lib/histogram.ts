/** Upper bounds of the buckets, in seconds; a last bucket without a bound takes the rest. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Counts durations in fixed buckets: a few nanoseconds per call, and no memory for each. */
export class DurationHistogram {
  readonly #counts = Array.from({ length: bounds.length + 1 }, () => 0)
  /** Of all durations, in seconds. */
  sum = 0

  observe(milliseconds: number): void {
    const seconds = milliseconds / 1000
    let bucket = 0
    while (bucket < bounds.length && seconds > bounds[bucket]!) bucket++
    this.#counts[bucket]!++
    this.sum += seconds
  }

  /** How many durations are at most as long as each bound; the last bound is infinite, so that its count is that of all. */
  cumulative(): { bound: number; count: number }[] {
    let count = 0
    return this.#counts.map((inBucket, index) => ({ bound: bounds[index] ?? Infinity, count: (count += inBucket) }))
  }
}
