import type { App } from '../../app.ts'
import { record } from '../../access/audit/audit.ts'
import { consumeChallenge, countAttempt, findChallenge, wrongCode } from '../../access/factors/challenges.ts'
import { selectAccountById, lockAccount } from '../../access/factors/queries.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { resetAfterSuccess } from '../../platform/throttle/throttle.ts'
import { updatePassword, updateStatus, updateUser } from '../users/queries.ts'
import { passwordMustBeValid, plainName } from '../users/rules.ts'
import { siteTitles } from '../users/titles.ts'
import { sortKey } from '../users/users.ts'
import { hashForAnonymous } from './new-password.ts'

interface Acceptance {
  token: string
  password: string
  name?: string | undefined
}

/** Sets the password of an invited account and activates it. Does not sign in. */
export async function acceptInvitation(app: App, exchange: HttpExchange, { token, password, ...profile }: Acceptance) {
  const invitation = await findChallenge(app, 'invite', token)
  const [invited] = await selectAccountById(app.store, invitation?.userId ?? '')
  if (!invitation || !invited) throw wrongCode(true)
  const name = plainName(profile.name ?? invited.name)
  passwordMustBeValid(app, password, { ...invited, name }, await siteTitles(app))
  const { hash, charges } = await hashForAnonymous(app, exchange, password, invited.id)
  await app.store.write(async tx => {
    const account = await lockAccount(app.store, tx, invited.id)
    const alive = (await countAttempt(tx, invitation)) !== undefined
    if (!alive || account?.status !== 'invited' || account.auth_epoch !== invitation.epoch) throw wrongCode(true)
    await consumeChallenge(tx, invitation)
    await updatePassword(tx, account.id, hash)
    await updateStatus(tx, account.id, 'active')
    const revision = await updateUser(tx, account.id, { name, sort_key: sortKey(name, account.email) })
    await resetAfterSuccess(app, tx, charges)
    await record(tx, {
      event: 'user.activated',
      actor: account.id,
      subject: account.id,
      visitor: exchange,
      detail: { role: account.role, revision },
    })
  })
}
