import type { Remark, Remarks } from '../import/report.ts'

const mostTold = 100

/** What needs a look, as lines. */
export function remarks(title: string, { skipped, notes, more }: Remarks): string[] {
  return [
    ...list('Changed on the way', notes),
    ...list(title, skipped),
    ...(more > 0 ? [`and ${more} more remarks`] : []),
  ]
}

function list(title: string, all: readonly Remark[]): string[] {
  if (all.length === 0) return []
  const rest = all.length - mostTold
  return [
    '',
    `${title}:`,
    ...all.slice(0, mostTold).map(({ file, reason }) => `  ${file}: ${reason}`),
    ...(rest > 0 ? [`  and ${rest} more; --json tells all of them`] : []),
  ]
}
