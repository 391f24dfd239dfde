import type { App } from '../../app.ts'
import type { Mail, MailData } from '../../platform/mail/render.ts'
import { queueMail } from '../../platform/mail/mail.ts'
import type { Tx } from '../../platform/store/store.ts'

export interface Recipient {
  id: string
  email: string
  language: string
}

type Notice = Exclude<keyof MailData, 'reset' | 'invite' | 'emailConfirm'>

/**
 * Notifies the owner of an account, if mail is configured. The mail is queued in the transaction of the change, so
 * neither exists without the other.
 */
export async function notify<Template extends Notice>(
  app: App,
  tx: Tx,
  { id, email, language }: Recipient,
  template: Template,
  data: MailData[Template],
): Promise<void> {
  await queueMail(app, tx, { to: email, language, user: id, template, data } as Mail)
}

/**
 * Callback for checks of passwords and codes: notifies the owner when too many wrong attempts have disabled the factor.
 */
export function notifyDisabled(app: App, template: 'passwordDisabled' | 'totpDisabled' = 'passwordDisabled') {
  return (tx: Tx, account: Recipient) => notify(app, tx, account, template, {})
}
