/**
 * Size limit of the comparison table. Above it, the differing middle is shown as replaced as a whole, to save memory
 * and time.
 */
const maxSteps = 4_000_000

/** Longest common subsequence of two lists, as pairs of indexes (one, other). */
export function align(one: readonly string[], other: readonly string[]): [number, number][] {
  let start = 0
  while (start < one.length && start < other.length && one[start] === other[start]) start++
  let end = 0
  while (end < one.length - start && end < other.length - start && one.at(-1 - end) === other.at(-1 - end)) end++
  const first = Array.from({ length: start }, (_, at): [number, number] => [at, at])
  const last = Array.from({ length: end }, (_, at): [number, number] => [
    one.length - end + at,
    other.length - end + at,
  ])
  const middle = alignMiddle(one.slice(start, one.length - end), other.slice(start, other.length - end))
  return [...first, ...middle.map(([i, j]): [number, number] => [i + start, j + start]), ...last]
}

function alignMiddle(one: readonly string[], other: readonly string[]): [number, number][] {
  const width = other.length + 1
  if (one.length === 0 || other.length === 0 || (one.length + 1) * width > maxSteps) return []
  const lengths = new Uint32Array((one.length + 1) * width)
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        one[i] === other[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!)
  const pairs: [number, number][] = []
  let [i, j] = [0, 0]
  while (i < one.length && j < other.length) {
    if (one[i] === other[j]) pairs.push([i++, j++])
    else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++
    else j++
  }
  return pairs
}
