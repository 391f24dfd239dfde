import type { App } from '../../app.ts'
import { sweepEvents } from '../../access/audit/audit.ts'
import { sweepHistory } from '../../content/history/history.ts'
import { sweepChallenges } from '../../access/factors/challenges.ts'
import { sweepDevices } from '../../access/factors/devices.ts'
import { sweepMedia } from '../../platform/media/blobs.ts'
import { sweepJobs } from '../../platform/queue/queue.ts'
import { deviceDays } from '../../access/session/cookies.ts'
import { sweepSessions } from '../../access/session/sessions.ts'
import { sweepInBatches, type SweepOptions } from '../../platform/store/sweep.ts'
import { sweepDeliveries } from '../system/webhooks/webhooks.ts'
import { sweepTrash } from '../../content/trash/trash.ts'
import { sweepThrottle } from '../../platform/throttle/throttle.ts'

const sweepIntervalMs = 10 * 60_000 // ms

/** Deletes expired rows and unused media, in batches. Several processes may run it concurrently. */
export async function sweep(app: App, options?: SweepOptions): Promise<void> {
  for (const remove of [sweepSessions, sweepChallenges, sweepThrottle, sweepJobs, sweepDeliveries])
    await sweepInBatches(app.store, remove, options)
  await sweepDevices(app.store, deviceDays * 24 * 60 * 60_000, options)
  await sweepEvents(app, options)
  await sweepHistory(app)
  await sweepTrash(app, options)
  await sweepMedia(app)
}

/**
 * Sweeps periodically, never twice at the same time, and without delaying shutdown. Call the returned function to stop.
 */
export function startSweeping(app: App): () => void {
  let isStopped = false
  let isRunning = false
  const timer = setInterval(() => {
    if (isRunning) return
    isRunning = true
    app.background(() => sweep(app, { isStopped: () => isStopped }).finally(() => (isRunning = false)))
  }, sweepIntervalMs)
  timer.unref()
  return () => {
    isStopped = true
    clearInterval(timer)
  }
}
