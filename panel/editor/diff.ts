export interface Part {
  kind: 'same' | 'gone' | 'new'
  text: string
}

/** Beyond so many steps the middle is shown as replaced: it is another text, and nobody compares it word by word. */
const mostSteps = 4_000_000

/** What has to be taken away and added, word by word, to make the one text the other. */
export function diff(before: string, after: string): Part[] {
  const [one, other] = [tokens(before), tokens(after)]
  let start = 0
  while (start < one.length && start < other.length && one[start] === other[start]) start++
  let end = 0
  while (end < one.length - start && end < other.length - start && one.at(-1 - end) === other.at(-1 - end)) end++
  const parts = [
    { kind: 'same' as const, text: one.slice(0, start).join('') },
    ...middle(one.slice(start, one.length - end), other.slice(start, other.length - end)),
    { kind: 'same' as const, text: one.slice(one.length - end).join('') },
  ]
  return joined(parts)
}

const tokens = (text: string) => text.match(/[\p{L}\p{M}\p{N}_]+|\s+|[^\p{L}\p{M}\p{N}_\s]/gu) ?? []

/** By the longest run of words that both have. */
function middle(one: readonly string[], other: readonly string[]): Part[] {
  const width = other.length + 1
  if ((one.length + 1) * width > mostSteps)
    return [
      { kind: 'gone', text: one.join('') },
      { kind: 'new', text: other.join('') },
    ]
  const lengths = new Uint32Array((one.length + 1) * width)
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        one[i] === other[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!)
  const parts: Part[] = []
  let [i, j] = [0, 0]
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) {
      parts.push({ kind: 'same', text: one[i++]! })
      j++
    } else if (j >= other.length || (i < one.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!))
      parts.push({ kind: 'gone', text: one[i++]! })
    else parts.push({ kind: 'new', text: other[j++]! })
  }
  return parts
}

/** Neighbours of a kind become one. A comma or space between two changes belongs to both: words are read together. */
function joined(parts: readonly Part[]): Part[] {
  const all: Part[] = []
  let [gone, added] = ['', '']
  const close = () => {
    if (gone !== '') all.push({ kind: 'gone', text: gone })
    if (added !== '') all.push({ kind: 'new', text: added })
    gone = added = ''
  }
  const rest: Part[] = []
  for (const { kind, text } of parts) {
    const last = rest.at(-1)
    if (last?.kind === kind) last.text += text
    else if (text !== '') rest.push({ kind, text })
  }
  for (const [index, { kind, text }] of rest.entries()) {
    if (kind === 'gone') gone += text
    else if (kind === 'new') added += text
    else if (gone !== '' && added !== '' && index < rest.length - 1 && !/[\p{L}\p{N}\n]/u.test(text)) {
      gone += text
      added += text
    } else {
      close()
      all.push({ kind, text })
    }
  }
  close()
  return all
}
