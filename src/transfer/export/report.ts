import type { ReportEntries } from '../import/report.ts'

const kinds = ['blueprints', 'languages', 'users', 'pages', 'files'] as const

/** What an export did, and whatever is not in the folder as it is in the site. */
export interface Report extends ReportEntries {
  counts: Record<(typeof kinds)[number], number>
}

export function createReport(): Report {
  const counts = Object.fromEntries(kinds.map(kind => [kind, 0])) as Report['counts']
  return { counts, skipped: [], notes: [], more: 0 }
}

/** Nothing can be exported at all, told in one line. */
export class CannotExport extends Error {}
