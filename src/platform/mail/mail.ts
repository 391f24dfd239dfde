import type { App } from '../../app.ts'
import { parseEmail } from '../lib/email.ts'
import { createId } from '../lib/id.ts'
import type { Tx } from '../store/store.ts'
import { type Charge, chargeFor, isWithin } from '../throttle/throttle.ts'
import { isLink, type Mail, type MailTemplate } from './letter.ts'
import { wakeSender } from './outbox.ts'
import { insertMail } from './queries.ts'
import { sealMail } from './sealed.ts'

/** On whose wish a mail goes out: anybody's, or that of somebody who is signed in or runs the server. */
export type Wish = 'stranger' | 'known'

/** Without `mail.url` nothing is ever queued or sent, and whoever makes a link has to hand it over in another way. */
export function hasMail({ config }: App): boolean {
  return config.mail.url !== undefined
}

/**
 * Puts a mail into the outbox, in the transaction of what it tells about: one does not exist without the other. Nothing is sent
 * here, so no answer waits for a mail server. One mail too many for its address is left out, and only the answer says so; what
 * draws from the throttle stands before sessions and events in the order of locks.
 */
export async function queueMail(app: App, tx: Tx, mail: Mail, wish: Wish = 'known'): Promise<boolean> {
  if (!hasMail(app)) return false
  const email = parseEmail(mail.to)
  if (!email) {
    app.log.error({ event: 'mail.address', template: mail.template }, 'a mail has no address it could be sent to')
    return false
  }
  if (!(await isWithin(app, tx, limits(app, mail.template, email.key, wish)))) return false
  const id = createId()
  await insertMail(tx, id, sealMail(app, id, { ...mail, to: email.address }))
  wakeSender(app)
  return true
}

/**
 * There are only so many links for one mailbox. Those that strangers wish for are counted apart, and so is each kind that
 * somebody known does: nobody keeps an invitation from its reader by asking for other links. Notices follow what really
 * happened and must not be crowded out by links; a warning is one only while it is rare.
 */
function limits(app: App, template: MailTemplate, emailKey: string, wish: Wish): Charge[] {
  if (isLink(template)) {
    return wish === 'stranger'
      ? [chargeFor(app, 'mail', emailKey), chargeFor(app, 'mailDay', emailKey)]
      : [
          chargeFor(app, 'mailSent', `${template}|${emailKey}`),
          chargeFor(app, 'mailSentDay', `${template}|${emailKey}`),
        ]
  }
  return template === 'suspicious' ? [chargeFor(app, 'warning', emailKey)] : []
}
