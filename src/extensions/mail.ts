import type { App } from '../app.ts'
import { parseEmail } from '../platform/lib/email.ts'
import { hasMail, queueMail } from '../platform/mail/mail.ts'

export interface ExtensionMail {
  /** One address. */
  to: string
  subject: string
  /** Plain text. Empty lines separate paragraphs; a line that is a URL becomes a link. */
  text: string
  /** The language of the text, for programs that read it aloud; English by default. */
  language?: string
}

/** In characters. */
const maxLength = 100_000

/** Queues a mail that an extension has written. The worker of mails sends it, and repeats that for two days. */
export async function sendMail(app: App, { to, subject, text, language = 'en' }: ExtensionMail): Promise<boolean> {
  if (!parseEmail(to)) throw new TypeError('mail: "to" must be one address')
  if (subject.trim() === '' || text.trim() === '') throw new TypeError('mail: subject and text must not be empty')
  if (text.length > maxLength) throw new TypeError(`mail: the text has more than ${maxLength} characters`)
  if (!hasMail(app)) return false
  return app.store.write(tx => queueMail(app, tx, { to, template: 'extension', language, data: { subject, text } }))
}
