/** A real mail server for tests, which can also be slow or refuse mails. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import type { Settings } from '../src/platform/config.ts'
import { beforeCleanUp } from './harness.ts'

export interface ReceivedMail {
  from: string
  to: string[]
  /** Names in lower case, values unfolded and decoded. */
  headers: Record<string, string>
  text: string
  html: string
  /** As received. */
  raw: string
}

export interface MailServer {
  settings: { mail: NonNullable<Settings['mail']> }
  /** The received mails, in order. */
  mails: ReceivedMail[]
  connections: number
  /** Called for each recipient; an error with a `responseCode` refuses. */
  onRecipient: (address: string) => Promise<void>
  /** Called when a mail is received, before it is acknowledged. */
  onMail: (mail: ReceivedMail) => Promise<void>
  /** Called before the greeting. */
  onConnect: () => Promise<void>
}

export interface MailServerOptions {
  /** Without it no authentication is required. */
  login?: { user: string; password: string }
}

/** An SMTP error such as `550 No such mailbox`. */
export function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}

export async function createMailServer({ login }: MailServerOptions = {}): Promise<MailServer> {
  const mailServer: MailServer = {
    settings: { mail: {} },
    mails: [],
    connections: 0,
    onRecipient: async () => {},
    onMail: async () => {},
    onConnect: async () => {},
  }

  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    authOptional: !login,
    allowInsecureAuth: true,
    closeTimeout: 10,
    onConnect(_, done) {
      mailServer.connections++
      finish(mailServer.onConnect(), done)
    },
    onAuth({ username, password }, _, done) {
      if (username === login?.user && password === login?.password) done(null, { user: username })
      else done(refusal(535, 'Wrong user or password'))
    },
    onRcptTo({ address }, _, done) {
      finish(mailServer.onRecipient(address), done)
    },
    onData(stream, { envelope }, done) {
      const receive = async () => {
        const mail = readMail(await text(stream), envelope)
        await mailServer.onMail(mail)
        mailServer.mails.push(mail)
      }
      finish(receive(), done)
    },
  })
  server.on('error', () => {}) // the client disconnected
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const account = login ? `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@` : ''
  mailServer.settings = { mail: { url: `smtp://${account}127.0.0.1:${port}`, from: 'Our site <cms@example.org>' } }
  beforeCleanUp(() => new Promise<void>(resolve => server.close(resolve)))
  return mailServer
}

function finish(work: Promise<void>, done: (error?: Error) => void): void {
  // oxlint-disable-next-line promise/no-callback-in-promise -- the library wants one
  work.then(() => done(), done)
}

// ---- reading a mail

type Envelope = { mailFrom: false | { address: string }; rcptTo: { address: string }[] }

function readMail(raw: string, { mailFrom, rcptTo }: Envelope): ReceivedMail {
  const whole = readPart(raw)
  const boundary = /boundary="([^"]+)"/.exec(whole.headers['content-type'] ?? '')![1]!
  const parts = raw
    .split(`--${boundary}`)
    .slice(1, -1)
    .map(part => readPart(part.trimStart()))
  const partOf = (type: string) => parts.find(part => part.headers['content-type']!.startsWith(type))!.body
  return {
    from: mailFrom ? mailFrom.address : '',
    to: rcptTo.map(({ address }) => address),
    headers: whole.headers,
    text: partOf('text/plain'),
    html: partOf('text/html'),
    raw,
  }
}

function readPart(raw: string): { headers: Record<string, string>; body: string } {
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = Object.fromEntries(
    lines.map(line => {
      const [, name, value] = /^([\w-]+): ?(.*)$/.exec(line)!
      return [name!.toLowerCase(), decodeWords(value!)]
    }),
  )
  const body = raw.slice(end + 4)
  const encoding = headers['content-transfer-encoding'] ?? '7bit'
  const decoded =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString()
      : encoding === 'quoted-printable'
        ? fromQuoted(body.replaceAll('=\r\n', ''))
        : body
  return { headers, body: decoded.replaceAll('\r\n', '\n').trimEnd() }
}

const fromQuoted = (quoted: string) =>
  Buffer.from(
    quoted.replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()

/** RFC 2047: `=?UTF-8?Q?…?=` and `=?UTF-8?B?…?=`. */
function decodeWords(value: string): string {
  return value
    .replaceAll(/\?= =\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b' ? Buffer.from(word, 'base64').toString() : fromQuoted(word.replaceAll('_', ' ')),
    )
}
