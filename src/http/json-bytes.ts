/** Estimates the size of a value as JSON, in bytes: much cheaper than serialising it. */
export function jsonBytes(whole: unknown): number {
  let sum = 0
  const waiting = [whole]
  while (waiting.length > 0) {
    const value = waiting.pop()
    // For short texts the length is close enough.
    if (typeof value === 'string') sum += (value.length < 100 ? value.length : Buffer.byteLength(value)) + 2
    else if (typeof value !== 'object' || value === null) sum += 5
    else if (Array.isArray(value)) {
      sum += value.length + 2
      for (const item of value as unknown[]) waiting.push(item)
    } else {
      sum += 2
      for (const name of Object.keys(value)) {
        sum += name.length + 4
        waiting.push((value as Record<string, unknown>)[name])
      }
    }
  }
  return sum
}
