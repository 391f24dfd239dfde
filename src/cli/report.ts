import type { ReportEntry, ReportEntries } from '../transfer/import/report.ts'

const maxListed = 100

/** The entries of a report as lines. */
export function reportLines(title: string, { skipped, notes, more }: ReportEntries): string[] {
  return [
    ...list('Changed on the way', notes),
    ...list(title, skipped),
    ...(more > 0 ? [`and ${more} more entries`] : []),
  ]
}

function list(title: string, all: readonly ReportEntry[]): string[] {
  if (all.length === 0) return []
  const rest = all.length - maxListed
  return [
    '',
    `${title}:`,
    ...all.slice(0, maxListed).map(({ file, reason }) => `  ${file}: ${reason}`),
    ...(rest > 0 ? [`  and ${rest} more; --json tells all of them`] : []),
  ]
}
