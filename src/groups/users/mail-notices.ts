import type { App } from '../../app.ts'
import type { Mail, MailData } from '../../platform/mail/letter.ts'
import { queueMail } from '../../platform/mail/mail.ts'
import type { Tx } from '../../platform/store/store.ts'

export interface Recipient {
  id: string
  email: string
  language: string
}

type Notice = Exclude<keyof MailData, 'reset' | 'invite' | 'emailConfirm'>

/** Lets the owner of an account know, where mail is set up. It is queued with what it tells: never one without the other. */
export async function notify<Template extends Notice>(
  app: App,
  tx: Tx,
  { id, email, language }: Recipient,
  template: Template,
  data: MailData[Template],
): Promise<void> {
  await queueMail(app, tx, { to: email, language, user: id, template, data } as Mail)
}

/** For whoever checks a password or a code: its owner learns that somebody has tried too many. */
export function tellDisabled(app: App, template: 'passwordDisabled' | 'totpDisabled' = 'passwordDisabled') {
  return (tx: Tx, account: Recipient) => notify(app, tx, account, template, {})
}
