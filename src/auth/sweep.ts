import type { App } from '../app.ts'
import { sweepEvents } from '../audit/audit.ts'
import { sweepHistory } from '../content/history/history.ts'
import { sweepChallenges } from '../factors/challenges.ts'
import { deleteOldDevices } from '../factors/queries.ts'
import { sweepMails } from '../mail/outbox.ts'
import { sweepMedia } from '../media/blobs.ts'
import { deviceDays } from '../session/cookies.ts'
import { sweepSessions } from '../session/sessions.ts'
import { sweepThrottle } from '../throttle/throttle.ts'

const every = 10 * 60_000

/** Removes what is over. Any number of processes may do it at once. */
export async function sweep(app: App): Promise<void> {
  await app.store.write(sweepSessions)
  await app.store.write(sweepChallenges)
  await app.store.write(sweepThrottle)
  await app.store.write(tx => deleteOldDevices(tx, deviceDays * 24 * 60 * 60_000))
  await app.store.write(sweepMails)
  await sweepEvents(app)
  await sweepHistory(app)
  await sweepMedia(app)
}

/** Sweeps now and then, never in the way of stopping. Call the answer to end it. */
export function startSweeping(app: App): () => void {
  const timer = setInterval(() => app.background(() => sweep(app)), every)
  timer.unref()
  return () => clearInterval(timer)
}
