import type { Config } from '../config.ts'
import { isLoopbackName } from '../config.ts'
import { parseSender } from '../lib/sender.ts'
import type { Letter } from './letter.ts'

const second = 1000

export interface Post {
  /** Resolves when the mail server has taken the mail. */
  send(id: string, to: string, letter: Letter): Promise<void>
  /** Also ends what is under way. */
  close(): void
}

/**
 * Why a mail was not taken. `final`: the server refuses this one and always will. `server`: it says nothing about this mail
 * but that the server is away, slow or does not let us in, so that the next one need not even be tried.
 */
export class PostError extends Error {
  readonly kind: 'final' | 'later' | 'server'

  constructor(kind: PostError['kind'], problem: string) {
    super(problem)
    this.name = 'PostError'
    this.kind = kind
  }
}

/** One connection to the mail server, opened with the first mail and used for all that follow. */
export async function openPost({ mail, url }: Config): Promise<Post> {
  const { createTransport } = await import('nodemailer') // few processes ever send a mail, and those not at once
  const { protocol, hostname, port, username, password } = new URL(mail.url!)
  const host = hostname.replaceAll(/[[\]]/g, '')
  const secure = protocol === 'smtps:'
  const transport = createTransport({
    pool: true,
    maxConnections: 1,
    maxRequeues: 0, // trying again is the outbox's business
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
  const from = parseSender(mail.from!)!
  const domain = from.address.split('@')[1]!
  return {
    async send(id, to, { subject, text, html }) {
      try {
        await transport.sendMail({
          // Whoever gets a mail twice, because a process died between sending and noting it, can tell by this.
          messageId: `<${id}@${domain}>`,
          from,
          to: { name: '', address: to },
          subject,
          text,
          html,
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
      } catch (error) {
        throw postError(error)
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

function postError(error: unknown): PostError {
  const { code = 'unknown', responseCode, response, message } = error as TransportError
  const problem = withoutAddresses(response ?? `${code} ${message}`)
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return new PostError('server', problem)
  // Without an answer of the server it was the library that found no way to send this mail.
  return new PostError(responseCode === undefined || responseCode >= 500 ? 'final' : 'later', problem)
}

/** Servers like to repeat whom the mail was for. */
function withoutAddresses(text: string): string {
  return text
    .replaceAll(/[^\s<>"':;,]+@[^\s<>"':;,]+/g, '…')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .slice(0, 200)
    .toWellFormed()
}
