import type { App } from '../../app.ts'
import type { Tx } from '../store/store.ts'
import { isLink, linkLifetimes, type Mail, renderMail } from './render.ts'
import {
  abandonMail,
  claimMail,
  deleteMail,
  deleteOldMails,
  postponeMail,
  selectAccount,
  selectDue,
} from './queries.ts'
import { unsealMail } from './sealed.ts'
import { connectSmtp, type SmtpConnection, SmtpError } from './smtp.ts'

const second = 1000
const minute = 60 * second
const day = 24 * 60 * minute

/** Timeout of one attempt, in ms; the lease is longer, so that no other process begins before it is over. */
const attemptTimeoutMs = 45 * second
const leaseMs = 2 * minute
/** How long a mail that is being sent may still take when the process stops, in ms. */
const stopGraceMs = 4 * second

const retryDelaysMs = [1, 5, 15, 60, 240].map(wait => wait * minute)
const giveUpAfterMs = 2 * day
/** How long failed mails are kept for the operators of the server, in ms. */
const retentionMs = 30 * day

export interface SendingOptions {
  /** How often to check for mail that other processes have queued, in milliseconds. */
  every?: number
}

const senders = new WeakMap<App, () => void>()

/** Mail of this process does not wait for the next poll. */
export function wakeSender(app: App): void {
  senders.get(app)?.()
}

/**
 * Sends the mails of the outbox until it is stopped. Any number of processes may do it on one database: each mail is
 * claimed by one. The returned function stops it, and waits for the mail that is being sent.
 */
export function startSending(app: App, { every = 5 * second }: SendingOptions = {}): () => Promise<void> {
  if (app.config.mail.url === undefined) return async () => {}
  const stopping = new AbortController()
  let round: Promise<void> | undefined
  let soon: NodeJS.Timeout | undefined

  function startRound(): void {
    if (stopping.signal.aborted) return
    round ??= sendDue(app, stopping.signal)
      .catch((error: unknown) => app.log.warn({ err: error }, 'the outbox cannot be reached; trying again'))
      .finally(() => (round = undefined))
  }
  /**
   * After 100 ms, because the transaction that queues the mail is not committed yet. If that takes longer, the next
   * poll finds the mail.
   */
  function wake(): void {
    soon ??= setTimeout(() => {
      soon = undefined
      if (round) wake()
      else startRound()
    }, 100).unref()
  }

  const timer = setInterval(startRound, every).unref()
  senders.set(app, wake)
  startRound()
  return async () => {
    senders.delete(app)
    clearInterval(timer)
    clearTimeout(soon)
    stopping.abort()
    await round
  }
}

/** Sends one mail after the other, until none is due or the mail server fails. */
async function sendDue(app: App, stopping: AbortSignal): Promise<void> {
  let post: SmtpConnection | undefined
  try {
    while (!stopping.aborted) {
      const [due] = await selectDue(app.store)
      if (!due) return
      const claimed = await app.store.write(tx => claimMail(tx, due.id, leaseMs))
      if (!claimed) continue // another process has claimed it
      const mail = unsealMail(app, claimed.id, claimed.sealed)
      if (!mail) {
        await abandon(app, claimed, undefined, 'The mail cannot be opened with the keys of this server.')
      } else if (await isPointless(app, claimed, mail)) {
        await app.store.write(tx => deleteMail(tx, claimed.id))
      } else {
        post ??= await connectSmtp(app.config)
        if (!(await deliver(app, post, claimed, mail, stopping))) return
      }
    }
  } finally {
    post?.close()
  }
}

type ClaimedMail = NonNullable<Awaited<ReturnType<typeof claimMail>>>

async function isPointless(app: App, { id, age }: ClaimedMail, { template, user, decoy }: Mail): Promise<boolean> {
  if (decoy) return true
  if (isLink(template) && age >= linkLifetimes[template]) {
    app.log.warn({ event: 'mail.expired', mail: id, template }, 'the link in a mail was over before it could be sent')
    return true
  }
  return user !== undefined && (await selectAccount(app.store, user)).length === 0
}

/** False if the mail server failed, so that the next mail need not be tried now. */
async function deliver(
  app: App,
  post: SmtpConnection,
  claimed: ClaimedMail,
  mail: Mail,
  stopping: AbortSignal,
): Promise<boolean> {
  const { id, attempts, age } = claimed
  try {
    await withTimeout(stopping, post, () => post.send(id, mail.to, renderMail(app, mail)))
  } catch (error) {
    if (!(error instanceof SmtpError)) throw error
    const wait = retryDelaysMs[attempts - 1] ?? retryDelaysMs.at(-1)!
    if (error.kind === 'final' || age + wait > giveUpAfterMs) await abandon(app, claimed, mail, error.message)
    else {
      await app.store.write(tx => postponeMail(tx, id, wait, error.message))
      app.log.warn(
        { event: 'mail.postponed', mail: id, template: mail.template, attempts, problem: error.message },
        'a mail could not be sent yet',
      )
    }
    return error.kind !== 'server'
  }
  await app.store.write(tx => deleteMail(tx, id))
  app.log.debug({ event: 'mail.sent', mail: id, template: mail.template }, 'sent a mail')
  return true
}

/** Limits the time of one attempt: a server that responds byte by byte would never run into a socket timeout. */
async function withTimeout<Value>(
  stopping: AbortSignal,
  post: SmtpConnection,
  work: () => Promise<Value>,
): Promise<Value> {
  const timers = [setTimeout(() => post.close(), attemptTimeoutMs)]
  const stop = () => timers.push(setTimeout(() => post.close(), stopGraceMs))
  if (stopping.aborted) stop()
  stopping.addEventListener('abort', stop)
  try {
    return await work()
  } finally {
    stopping.removeEventListener('abort', stop)
    for (const timer of timers) clearTimeout(timer)
  }
}

async function abandon(
  app: App,
  { id, attempts }: ClaimedMail,
  mail: Mail | undefined,
  problem: string,
): Promise<void> {
  await app.store.write(tx => abandonMail(tx, id, problem))
  app.log.error(
    { event: 'mail.failed', mail: id, template: mail?.template, attempts, problem },
    'a mail could not be sent and is not tried again',
  )
}

/** Deletes failed mails after 30 days, and returns their number. */
export async function sweepMails(tx: Tx, limit: number): Promise<number> {
  return deleteOldMails(tx, retentionMs, limit)
}
