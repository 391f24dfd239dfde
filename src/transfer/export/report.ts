import type { ReportEntries } from '../import/report.ts'

const kinds = ['blueprints', 'languages', 'users', 'pages', 'files', 'redirects', 'documents'] as const

/** What an export wrote, and what differs in the folder from the site. */
export interface ExportReport extends ReportEntries {
  counts: Record<(typeof kinds)[number], number>
}

export function createReport(): ExportReport {
  const counts = Object.fromEntries(kinds.map(kind => [kind, 0])) as ExportReport['counts']
  return { counts, skipped: [], notes: [], more: 0 }
}

/** Nothing can be exported. The message is one line. */
export class CannotExport extends Error {}
