import type { Config } from '../config.ts'
import { isLoopbackName } from '../config.ts'
import { parseFromAddress } from '../lib/from-address.ts'
import type { RenderedMail } from './render.ts'

const second = 1000

export interface SmtpConnection {
  /** Resolves when the mail server has accepted the mail. */
  send(id: string, to: string, mail: RenderedMail): Promise<void>
  /** Also aborts a mail that is being sent. */
  close(): void
}

/**
 * Why a mail was not accepted. `final`: the server rejects this mail permanently. `later`: it rejects it temporarily.
 * `server`: the server is unreachable, slow or refuses the login, so the next mail need not be tried either.
 */
export class SmtpError extends Error {
  readonly kind: 'final' | 'later' | 'server'

  constructor(kind: SmtpError['kind'], problem: string) {
    super(problem)
    this.name = 'SmtpError'
    this.kind = kind
  }
}

/** One connection to the mail server, opened with the first mail and reused for the following ones. */
export async function connectSmtp({ mail, url }: Config): Promise<SmtpConnection> {
  const { createTransport } = await import('nodemailer') // loaded on demand: few processes send mail
  const { protocol, hostname, port, username, password } = new URL(mail.url!)
  const host = hostname.replaceAll(/[[\]]/g, '')
  const secure = protocol === 'smtps:'
  const transport = createTransport({
    pool: true,
    maxConnections: 1,
    maxRequeues: 0, // the outbox retries
    host,
    ...(port && { port: Number(port) }),
    name: new URL(url).hostname,
    secure,
    ...(username && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
      requireTLS: !secure && !isLoopbackName(hostname),
    }),
    dnsTimeout: 5 * second,
    connectionTimeout: 10 * second,
    greetingTimeout: 10 * second,
    socketTimeout: 20 * second,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const from = parseFromAddress(mail.from!)!
  const domain = from.address.split('@')[1]!
  return {
    async send(id, to, { subject, text, html }) {
      try {
        await transport.sendMail({
          // If a process dies between sending a mail and recording it, the mail is sent twice, with the same id.
          messageId: `<${id}@${domain}>`,
          from,
          to: { name: '', address: to },
          subject,
          text,
          html,
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
      } catch (error) {
        throw toSmtpError(error)
      }
    },
    close: () => transport.close({ force: true }),
  }
}

interface TransportError extends Error {
  code?: string
  responseCode?: number
  response?: string
}

function toSmtpError(error: unknown): SmtpError {
  const { code = 'unknown', responseCode, response, message } = error as TransportError
  const problem = withoutAddresses(response ?? `${code} ${message}`)
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return new SmtpError('server', problem)
  // Without a response code the library itself has refused the mail.
  return new SmtpError(responseCode === undefined || responseCode >= 500 ? 'final' : 'later', problem)
}

/** Servers often repeat the address of the recipient, which must not be stored or logged in plain text. */
function withoutAddresses(text: string): string {
  return text
    .replaceAll(/[^\s<>"':;,]+@[^\s<>"':;,]+/g, '…')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .slice(0, 200)
    .toWellFormed()
}
