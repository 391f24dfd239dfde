import type { Store } from '../../platform/store/store.ts'
import type { SweepOptions } from '../../platform/store/sweep.ts'
import { deleteExpiredDevices, selectDevices } from './queries.ts'

const day = 24 * 60 * 60_000
const batchSize = 500
const swept = new WeakMap<Store, number>()

/**
 * Deletes devices that were last seen more than `maxAgeMs` ms ago, and those from before the owner's last change of
 * password. Reads the whole table in batches, so it runs once a day: nothing relies on expired rows being gone.
 */
export async function sweepDevices(
  store: Store,
  maxAgeMs: number,
  { isStopped = () => false }: SweepOptions = {},
): Promise<void> {
  if (performance.now() - (swept.get(store) ?? -day) < day) return
  swept.set(store, performance.now())
  for (let after = { device_mac: '', user_id: '' }; !isStopped();) {
    const devices = await selectDevices(store, maxAgeMs, after, batchSize)
    const expired = devices.filter(device => device.expired === 1)
    const isLong = after.device_mac !== '' // all batches but the first, as in `sweepInBatches`
    if (expired.length > 0) await store.write(tx => deleteExpiredDevices(tx, maxAgeMs, expired), { isLong })
    else await new Promise(setImmediate)
    if (devices.length < batchSize) return
    after = devices.at(-1)!
  }
}
