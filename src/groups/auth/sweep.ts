import type { App } from '../../app.ts'
import { sweepEvents } from '../../access/audit/audit.ts'
import { sweepHistory } from '../../content/history/history.ts'
import { sweepChallenges } from '../../access/factors/challenges.ts'
import { sweepDevices } from '../../access/factors/devices.ts'
import { sweepMails } from '../../platform/mail/outbox.ts'
import { sweepMedia } from '../../platform/media/blobs.ts'
import { deviceDays } from '../../access/session/cookies.ts'
import { sweepSessions } from '../../access/session/sessions.ts'
import { sweepInBatches, type SweepOptions } from '../../platform/store/sweep.ts'
import { sweepTrash } from '../../content/trash/trash.ts'
import { sweepThrottle } from '../../platform/throttle/throttle.ts'

const every = 10 * 60_000

/** Removes what is over, in batches. Any number of processes may do it at once. */
export async function sweep(app: App, options?: SweepOptions): Promise<void> {
  for (const remove of [sweepSessions, sweepChallenges, sweepThrottle, sweepMails])
    await sweepInBatches(app.store, remove, options)
  await sweepDevices(app.store, deviceDays * 24 * 60 * 60_000, options)
  await sweepEvents(app, options)
  await sweepHistory(app)
  await sweepTrash(app, options)
  await sweepMedia(app)
}

/** Sweeps now and then, never two rounds at once and never in the way of stopping. Call the answer to end it. */
export function startSweeping(app: App): () => void {
  let isStopped = false
  let isRunning = false
  const timer = setInterval(() => {
    if (isRunning) return
    isRunning = true
    app.background(() => sweep(app, { isStopped: () => isStopped }).finally(() => (isRunning = false)))
  }, every)
  timer.unref()
  return () => {
    isStopped = true
    clearInterval(timer)
  }
}
