import { constants } from 'node:fs'
import { systemContext } from '../../access/actor.ts'
import { access } from 'node:fs/promises'
import type { App } from '../../app.ts'
import { recordCounted, record } from '../../access/audit/audit.ts'
import { type ApiError, fail } from '../../platform/errors.ts'
import { deviceMac, reportThrottled, visitorCharges } from '../../access/factors/credentials.ts'
import { lockAccount, upsertDevice } from '../../access/factors/queries.ts'
import { randomToken } from '../../platform/lib/id.ts'
import { readCookie, sendDeviceCookie, sendSessionCookie } from '../../access/session/cookies.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { bearerToken } from '../../access/session/identify.ts'
import { csrfToken, startSession } from '../../access/session/sessions.ts'
import { charge, resetAfterSuccess } from '../../platform/throttle/throttle.ts'
import { prepareUser } from '../users/users.ts'
import { isLocal } from './local.ts'
import * as queries from './queries.ts'

/** Whether the site has, or ever had, an account. */
export function isInstalled(app: App): Promise<boolean> {
  return queries.hasInstallation(app.store)
}

/** Whether the data directory is writable. The database needs no check: the request has just read from it. */
export async function requirements({ config }: App) {
  const media = await access(config.data, constants.W_OK).then(
    () => true,
    () => false,
  )
  return { accounts: true, content: true, media, server: true, sessions: true }
}

// ---- the first account

const maxTokens = 100

/** A token that permits the installation, in every process on this database, until the first account exists. */
export async function createSetupToken(app: App): Promise<string> {
  const token = randomToken()
  await app.store.write(async tx => {
    await queries.insertSetupToken(tx, app.secrets.mac('session', 'setup', token))
    await queries.deleteOldSetupTokens(tx, maxTokens)
  })
  return token
}

export interface FirstAccount {
  email: string
  password: string
  name: string
  language: string
  /** The setup token that the server printed; not needed on the same machine. */
  token: string | undefined
}

/**
 * Creates the first account, an administrator, and signs it in. Of any number of concurrent requests exactly one
 * succeeds.
 */
export async function install(app: App, exchange: HttpExchange, first: FirstAccount) {
  if (bearerToken(exchange) !== undefined) throw fail('auth.notSession')
  await mustBeOpen(app, exchange, first.token)
  const { token: printed, ...person } = first
  const { id, insert } = await prepareUser(systemContext(app, 'installation'), {
    ...person,
    role: 'admin',
    shownReferences: 'all',
  })
  const device = randomToken()
  const { account, token, session } = await app.store.write(async tx => {
    if (!(await queries.claimInstallation(tx))) throw closed(printed)
    await queries.deleteSetupTokens(tx)
    await insert(systemContext(app, 'installation', { visitor: exchange, onBehalfOf: id }), tx)
    const user = (await lockAccount(app.store, tx, id))!
    const replaces = readCookie(app.config, exchange, 'session')
    const started = await startSession(app, tx, { user, amr: ['pwd'], long: false, visitor: exchange, replaces })
    await upsertDevice(tx, deviceMac(app, device), id, user.auth_epoch)
    const by = { actor: id, subject: id, session: started.session.id, visitor: exchange }
    await record(tx, { event: 'system.installed', ...by, detail: { token: printed !== undefined } })
    await record(tx, {
      event: 'auth.login.ok',
      ...by,
      detail: { amr: 'pwd', aal: 1, long: false, knownBrowser: false },
    })
    return { account: user, ...started }
  })
  sendSessionCookie(app.config, exchange, token, false)
  sendDeviceCookie(app.config, exchange, device)
  return { account, session, csrf: csrfToken(app, token) }
}

/**
 * Only wrong tokens count against the throttle: clients with a valid token, or on the same machine, may retry freely.
 */
async function mustBeOpen(app: App, exchange: HttpExchange, token: string | undefined): Promise<void> {
  if (await isInstalled(app)) throw closed(token)
  if (token === undefined) {
    if (isLocal(app, exchange)) return
    throw fail('system.install')
  }
  const charges = visitorCharges(app, exchange)
  const right = await reportThrottled(app, { visitor: exchange, subject: undefined }, async tx => {
    await charge(app, tx, charges)
    if (await queries.isSetupToken(tx, app.secrets.macs('session', 'setup', token))) {
      await resetAfterSuccess(app, tx, charges)
      return true
    }
    await recordCounted(tx, { event: 'system.install.fail', visitor: exchange }, '')
    return false
  })
  if (!right) throw fail('system.token')
}

/** A used token gets the same error as a wrong one. */
function closed(token: string | undefined): ApiError {
  return token === undefined ? fail('system.installed') : fail('system.token')
}
