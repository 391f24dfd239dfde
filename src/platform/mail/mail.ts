import type { Runtime } from '../runtime.ts'
import { parseEmail } from '../lib/email.ts'
import { createId } from '../lib/id.ts'
import { enqueue, sealPayload } from '../queue/queue.ts'
import type { Tx } from '../store/store.ts'
import { type Charge, chargeFor, isWithin } from '../throttle/throttle.ts'
import { isLink, type Mail, type MailTemplate } from './render.ts'
import { mailQueue } from './outbox.ts'

/** What caused a mail: a client without credentials, or an account, the command line or the server itself. */
export type MailCause = 'anonymous' | 'known'

/** Without `mail.url` no mail is queued or sent, and links have to be handed over in another way. */
export function hasMail({ config }: Runtime): boolean {
  return config.mail.url !== undefined
}

/**
 * Queues a mail, in the transaction of the change it reports, so that neither exists without the
 * other. Nothing is sent here, so no response waits for a mail server. A mail above the limit of its address is
 * dropped, and only the return value shows it. Lock order: throttle buckets come before sessions and events.
 */
export async function queueMail(app: Runtime, tx: Tx, mail: Mail, cause: MailCause = 'known'): Promise<boolean> {
  if (!hasMail(app)) return false
  const email = parseEmail(mail.to)
  if (!email) {
    app.log.error({ event: 'mail.address', template: mail.template }, 'a mail has no address it could be sent to')
    return false
  }
  if (!(await isWithin(app, tx, limits(app, mail.template, email.key, cause)))) return false
  const id = createId()
  const payload = sealPayload(app, mailQueue, id, JSON.stringify({ ...mail, to: email.address }))
  await enqueue(tx, { queue: mailQueue, id, payload, isSealed: true })
  return true
}

/**
 * Limits the links to one mailbox. Those that unauthenticated clients request are counted separately, and so is each
 * kind that known callers request: requesting other links cannot block an invitation. Notices report changes that
 * happened, and must not be crowded out by links; warnings are useful only while they are rare.
 */
function limits(app: Runtime, template: MailTemplate, emailKey: string, cause: MailCause): Charge[] {
  if (isLink(template)) {
    return cause === 'anonymous'
      ? [chargeFor(app, 'mail', emailKey), chargeFor(app, 'mailDay', emailKey)]
      : [
          chargeFor(app, 'mailSent', `${template}|${emailKey}`),
          chargeFor(app, 'mailSentDay', `${template}|${emailKey}`),
        ]
  }
  return template === 'suspicious' ? [chargeFor(app, 'warning', emailKey)] : []
}
