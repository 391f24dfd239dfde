import type { App } from '../../app.ts'
import { record } from '../audit/audit.ts'
import type { Email } from '../../platform/lib/email.ts'
import { chargeFor, clear, clearAll } from '../../platform/throttle/throttle.ts'
import { selectAccountByEmailKey } from './queries.ts'

/** Resets the throttle of one email address, whether or not an account has it: passwords, second factors and mails. */
export async function unblockEmail(app: App, { key }: Email): Promise<void> {
  const [account] = await selectAccountByEmailKey(app.store, key)
  const buckets = [chargeFor(app, 'acct', key), chargeFor(app, 'mail', key), chargeFor(app, 'mailDay', key)]
  if (account) buckets.push(chargeFor(app, 'otp', account.id))
  await app.store.write(async tx => {
    await clear(tx, buckets)
    await record(tx, { event: 'auth.throttle.cleared', ...(account && { subject: account.id }) })
  })
}

/** Resets the throttle of all email addresses and networks. */
export async function unblockAll(app: App): Promise<void> {
  await app.store.write(async tx => {
    await clearAll(tx)
    await record(tx, { event: 'auth.throttle.cleared', detail: { all: true } })
  })
}
