/** About as many bytes as a value has as JSON: to count them costs much less than to write them. */
export function jsonBytes(value: unknown): number {
  // Short texts are hardly ever worth the call.
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
