/**
 * Size limit of the comparison table. Above it, the differing middle is shown as replaced as a whole, to save memory
 * and time.
 */
const maxSteps = 4_000_000

/** The longest common subsequence of two lists, as pairs of indexes in `before` and `after`. */
export function align(before: readonly string[], after: readonly string[]): [number, number][] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const first = Array.from({ length: start }, (_, index): [number, number] => [index, index])
  const last = Array.from({ length: end }, (_, index): [number, number] => [
    before.length - end + index,
    after.length - end + index,
  ])
  const middle = alignMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end))
  return [...first, ...middle.map(([i, j]): [number, number] => [i + start, j + start]), ...last]
}

function alignMiddle(before: readonly string[], after: readonly string[]): [number, number][] {
  const width = after.length + 1
  if (before.length === 0 || after.length === 0 || (before.length + 1) * width > maxSteps) return []
  const lengths = new Uint32Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        before[i] === after[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!)
  const pairs: [number, number][] = []
  let [i, j] = [0, 0]
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) pairs.push([i++, j++])
    else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++
    else j++
  }
  return pairs
}
