/** What an import did, counted by kind, and whatever needs a look. */
export interface Report extends ReportEntries {
  counts: Record<Kind, Count>
}

export interface ReportEntries {
  /** What was left where it is, and why. */
  skipped: ReportEntry[]
  /** What was taken, but not quite as it was. */
  notes: ReportEntry[]
  /** Remarks beyond those that are kept. */
  more: number
}

const kinds = ['blueprints', 'languages', 'users', 'site', 'pages', 'files'] as const
export type Kind = (typeof kinds)[number]

export interface Count {
  imported: number
  updated: number
  unchanged: number
}

export interface ReportEntry {
  /** Where it is in the folder. */
  file: string
  reason: string
}

/** A folder may be made to be complained about: the rest is counted. */
const maxReportEntries = 10_000

export function createReport(): Report {
  const counts = Object.fromEntries(kinds.map(kind => [kind, { imported: 0, updated: 0, unchanged: 0 }])) as Record<
    Kind,
    Count
  >
  return { counts, skipped: [], notes: [], more: 0 }
}

export function skip(report: ReportEntries, file: string, reason: string): void {
  add(report, report.skipped, { file, reason })
}

export function note(report: ReportEntries, file: string, reason: string): void {
  add(report, report.notes, { file, reason })
}

function add(report: ReportEntries, list: ReportEntry[], { file, reason }: ReportEntry): void {
  if (report.skipped.length + report.notes.length >= maxReportEntries) report.more++
  else list.push({ file: shown(file), reason: shown(reason) })
}

/** Names come from anywhere; what a terminal would obey is not shown to it. */
const shown = (text: string) => text.replaceAll(/[\p{C}\u2028\u2029]/gu, '?').slice(0, 500)

/** Nothing can be imported at all, told in one line. */
export class CannotImport extends Error {}
