/** The effects of each fault on the clients, as a table. */
import type { Outcome } from './load.ts'

export interface FaultResult {
  name: string
  description: string
  outcomes: readonly Outcome[]
  /** Acknowledged writes that are not there. */
  lost: readonly string[]
  /** Requests with the cookie of an ended session that were answered with 200. */
  served: number
  /** Why the drill left the fault out. */
  skipped?: string
  /** What went wrong in the drill itself: an error while the fault was caused or repaired, or no recovery after it. */
  problem?: string
}

/** The drill fails if a request waits longer, in ms. */
const maxWaitMs = 5000

/** From the first request that failed to the end of the last one. */
export function secondsOfErrors(outcomes: readonly Outcome[]): number {
  const failed = outcomes.filter(({ isError }) => isError)
  if (failed.length === 0) return 0
  return (
    (Math.max(...failed.map(({ sentAt, durationMs }) => sentAt + durationMs)) -
      Math.min(...failed.map(({ sentAt }) => sentAt))) /
    1000
  )
}

/** `200 × 512, 502 of HAProxy × 3`; the most frequent first. */
export function statusesOf(outcomes: readonly Outcome[]): string {
  const counts = new Map<string, number>()
  for (const { status, key } of outcomes) {
    const isProxy = typeof status === 'number' && status >= 500 && key === undefined
    const name = isProxy ? `${status} of HAProxy` : String(status)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} × ${count}`)
    .join(', ')
}

export const countOf500 = (outcomes: readonly Outcome[]): number =>
  outcomes.filter(({ status }) => status === 500).length

/** `sign in 5.2 s: 200`, for each that waited too long. */
export const waitsOf = (outcomes: readonly Outcome[]): string =>
  outcomes
    .filter(({ durationMs }) => durationMs > maxWaitMs)
    .map(({ kind, status, durationMs }) => `${kind} ${(durationMs / 1000).toFixed(1)} s: ${status}`)
    .join(', ')

export const countOfWaits = (outcomes: readonly Outcome[]): number =>
  outcomes.filter(({ durationMs }) => durationMs > maxWaitMs).length

export function isPassed({ outcomes, lost, served, problem }: FaultResult): boolean {
  return (
    problem === undefined &&
    lost.length === 0 &&
    served === 0 &&
    countOfWaits(outcomes) === 0 &&
    countOf500(outcomes) === 0
  )
}

const heading = [
  'Fault',
  'Requests',
  'Failed',
  'Seconds of errors',
  'Longest wait',
  'Statuses',
  'Writes lost',
  'Ended sessions served',
  'Waited > 5 s',
]

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

/** In Markdown. */
export function tableOf(results: readonly FaultResult[]): string {
  const rows = results.map(result => {
    const { description, outcomes, lost, served, skipped, problem } = result
    if (skipped !== undefined)
      return [description, ...Array.from({ length: 4 }, () => ''), `skipped: ${skipped}`, '', '', '']
    const longest = Math.max(0, ...outcomes.map(({ durationMs }) => durationMs)) / 1000
    return [
      description,
      String(outcomes.length),
      String(outcomes.filter(({ isError }) => isError).length),
      secondsOfErrors(outcomes).toFixed(1),
      `${longest.toFixed(1)} s`,
      statusesOf(outcomes) + (problem === undefined ? '' : `; ${problem}`),
      String(lost.length),
      String(served),
      String(countOfWaits(outcomes)),
    ]
  })
  return [line(heading), line(heading.map(() => '-')), ...rows.map(line)].join('\n')
}
