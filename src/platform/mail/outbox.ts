import type { Runtime } from '../runtime.ts'
import { type Job, type Outcome, type Round, startJobWorker, type WorkerOptions } from '../queue/worker.ts'
import { isLink, linkLifetimes, type Mail, renderMail } from './render.ts'
import { selectAccount } from './queries.ts'
import { connectSmtp, type SmtpConnection, SmtpError } from './smtp.ts'

const second = 1000
const minute = 60 * second
const day = 24 * 60 * minute

/** The queue of mails. Payloads are encrypted: links give access to accounts, and addresses are personal data. */
export const mailQueue = 'mail'

/** Timeout of one attempt, in ms; the lease is longer, so that no other process begins before it is over. */
const attemptTimeoutMs = 45 * second
const leaseMs = 2 * minute
/** How long a mail that is being sent may still take when the process stops, in ms. */
const stopGraceMs = 4 * second

const retryDelaysMs = [1, 5, 15, 60, 240].map(wait => wait * minute)
const giveUpAfterMs = 2 * day

/** Sends the queued mails, one after the other, until it is stopped. Failed mails stay in the queue for operators. */
export function startSending(app: Runtime, options?: WorkerOptions): () => Promise<void> {
  if (app.config.mail.url === undefined) return async () => {}
  return startJobWorker(app, { queue: mailQueue, leaseMs, open: () => openRound(app) }, options)
}

/** All mails of a round use one connection. The round ends when the mail server fails. */
function openRound(app: Runtime): Round {
  let connection: SmtpConnection | undefined
  return {
    async run(job, stopping) {
      const mail = job.payload === undefined ? undefined : (JSON.parse(job.payload) as Mail)
      if (!mail) return abandoned(app, job, undefined, 'The mail cannot be opened with the keys of this server.')
      if (await isPointless(app, job, mail)) return { status: 'done' }
      connection ??= await connectSmtp(app.config)
      return deliver(app, connection, job, mail, stopping)
    },
    close: () => connection?.close(),
  }
}

async function isPointless(app: Runtime, { id, ageMs }: Job, { template, user, decoy }: Mail): Promise<boolean> {
  if (decoy) return true
  if (isLink(template) && ageMs >= linkLifetimes[template]) {
    app.log.warn({ event: 'mail.expired', mail: id, template }, 'the link in a mail was over before it could be sent')
    return true
  }
  return user !== undefined && (await selectAccount(app.store, user)).length === 0
}

async function deliver(
  app: Runtime,
  connection: SmtpConnection,
  job: Job,
  mail: Mail,
  stopping: AbortSignal,
): Promise<Outcome> {
  const { id, attempts, ageMs } = job
  try {
    await withTimeout(stopping, connection, () => connection.send(id, mail.to, renderMail(app, mail)))
  } catch (error) {
    if (!(error instanceof SmtpError)) throw error
    const { kind, message: problem } = error
    const endsRound = kind === 'server'
    const afterMs = retryDelaysMs[attempts - 1] ?? retryDelaysMs.at(-1)!
    if (kind === 'final' || ageMs + afterMs > giveUpAfterMs) return { ...abandoned(app, job, mail, problem), endsRound }
    app.log.warn(
      { event: 'mail.postponed', mail: id, template: mail.template, attempts, problem },
      'a mail could not be sent yet',
    )
    return { status: 'retry', afterMs, problem, endsRound }
  }
  app.log.debug({ event: 'mail.sent', mail: id, template: mail.template }, 'sent a mail')
  return { status: 'done' }
}

/** Limits the time of one attempt: a server that responds byte by byte would never run into a socket timeout. */
async function withTimeout<Value>(
  stopping: AbortSignal,
  connection: SmtpConnection,
  work: () => Promise<Value>,
): Promise<Value> {
  const timers = [setTimeout(() => connection.close(), attemptTimeoutMs)]
  const stop = () => timers.push(setTimeout(() => connection.close(), stopGraceMs))
  if (stopping.aborted) stop()
  stopping.addEventListener('abort', stop)
  try {
    return await work()
  } finally {
    stopping.removeEventListener('abort', stop)
    for (const timer of timers) clearTimeout(timer)
  }
}

function abandoned(app: Runtime, { id, attempts }: Job, mail: Mail | undefined, problem: string): Outcome {
  app.log.error(
    { event: 'mail.failed', mail: id, template: mail?.template, attempts, problem },
    'a mail could not be sent and is not tried again',
  )
  return { status: 'failed', problem }
}
