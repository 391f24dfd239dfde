/** Estimates the size of a value as JSON, in bytes: much cheaper than serialising it. */
export function jsonBytes(value: unknown): number {
  // For short texts the length is close enough.
  if (typeof value === 'string') return (value.length < 100 ? value.length : Buffer.byteLength(value)) + 2
  if (typeof value !== 'object' || value === null) return 5
  let sum = 2
  if (Array.isArray(value)) {
    for (const item of value) sum += jsonBytes(item) + 1
    return sum
  }
  for (const [name, item] of Object.entries(value)) sum += name.length + 4 + jsonBytes(item)
  return sum
}
