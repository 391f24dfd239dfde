/** What an import did, counted by kind, and what the user should check. */
export interface ImportReport extends ReportEntries {
  counts: Record<ReportKind, ImportCount>
}

export interface ReportEntries {
  /** What was not imported, and why. */
  skipped: ReportEntry[]
  /** What was imported with changes. */
  notes: ReportEntry[]
  /** Number of entries beyond the limit. */
  more: number
}

const kinds = ['blueprints', 'languages', 'users', 'site', 'pages', 'files', 'redirects', 'documents'] as const
export type ReportKind = (typeof kinds)[number]

export interface ImportCount {
  imported: number
  updated: number
  unchanged: number
}

export interface ReportEntry {
  /** The path in the folder. */
  file: string
  reason: string
}

/** Limits memory for a folder with very many errors: further entries are only counted. */
const maxReportEntries = 10_000

export function createReport(): ImportReport {
  const counts = Object.fromEntries(kinds.map(kind => [kind, { imported: 0, updated: 0, unchanged: 0 }])) as Record<
    ReportKind,
    ImportCount
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
  else list.push({ file: printable(file), reason: printable(reason) })
}

/** Names are untrusted: control characters could be escape sequences of the terminal. */
const printable = (text: string) => text.replaceAll(/[\p{C}\u2028\u2029]/gu, '?').slice(0, 500)

/** Nothing can be imported. The message is one line. */
export class CannotImport extends Error {}
