import type { Runtime } from '../runtime.ts'
import { escapeHtml } from '../lib/html.ts'
import { type Data, Message } from '../texts.ts'
import { closestTranslation, translate } from '../translations/translations.ts'

/** The data of each mail template. */
export interface MailData {
  /** Proves that the mailbox is the reader's: a code to type, or a link with a token. */
  reset: { code: string; token: string }
  invite: { token: string }
  /** To the new address. */
  emailConfirm: { token: string }
  /** To the old and to the new address. */
  emailChanged: { email: string }
  passwordChanged: object
  passwordDisabled: object
  totpDisabled: object
  factorAdded: { factor: Factor }
  factorRemoved: { factor: Factor }
  /** By an administrator. */
  sessionEnded: object
  suspicious: { reason: 'secondFactor' | 'afterFailures' }
  tokenCreated: { name: string }
  webhookOff: { host: string; problem: string }
  /** To accounts that may publish the page, and to its author. `language` is that of the content. */
  reviewRequested: PageNotice
  reviewReturned: PageNotice
  reviewAccepted: PageNotice
  /** In a comment. */
  mentioned: PageNotice
  /** Written by an extension. */
  extension: { subject: string; text: string }
}

/** What an account did with a page, and its note. */
export interface PageNotice {
  title: string
  name: string
  note: string
  path: string
  language?: string
  /** The id of the comment that the panel shows first. */
  comment?: string
}

type Factor = 'totp' | 'passkey' | 'recovery'
export type MailTemplate = keyof MailData

/** A mail as it is stored until it is sent. */
export type Mail = {
  [Template in MailTemplate]: {
    to: string
    template: Template
    language: string
    data: MailData[Template]
    /** The account it is about. If it is deleted before the mail is sent, the mail is dropped. */
    user?: string
    /** Never sent: it is there so that an unknown address costs the same work as a known one. */
    decoy?: boolean
  }
}[MailTemplate]

const minute = 60_000

/** Lifetimes of the links, in milliseconds. A mail that could not be sent in this time is dropped. */
export const linkLifetimes = { reset: 10 * minute, invite: 7 * 24 * 60 * minute, emailConfirm: 24 * 60 * minute }
export type LinkTemplate = keyof typeof linkLifetimes

const pages: Record<LinkTemplate, string> = { reset: 'reset', invite: 'invite', emailConfirm: 'email' }

export function isLink(template: MailTemplate): template is LinkTemplate {
  return Object.hasOwn(linkLifetimes, template)
}

/** The token is in the fragment, which browsers send to no server: it is in no log and in no `Referer`. */
export function linkFor({ config }: Runtime, template: LinkTemplate, token: string): string {
  return `${config.url}/panel/${pages[template]}#token=${encodeURIComponent(token)}`
}

export interface RenderedMail {
  subject: string
  text: string
  html: string
}

/** The mail in the reader's language. */
export function renderMail(app: Runtime, mail: Mail): RenderedMail {
  if (mail.template === 'extension') return renderText(mail.language, mail.data)
  const { template, language, data } = mail
  const placeholders = placeholdersOf(app, mail)
  const subject = translate(language, `mail.${template}.subject`, placeholders)
  const key = 'reason' in data ? data.reason : 'text'
  const paragraphs = translate(language, `mail.${template}.${key}`, placeholders)
    .split('\n\n')
    .filter(text => text !== '')
  if (isAboutAccount(mail)) paragraphs.push(translate(language, 'mail.notYou', placeholders))
  return { subject, text: `${paragraphs.join('\n\n')}\n`, html: htmlOf(language, subject, paragraphs) }
}

/** Whether a reader who knows nothing of it should be worried. */
const isAboutAccount = (mail: Mail) =>
  !isLink(mail.template) && mail.template !== 'webhookOff' && !('path' in mail.data)

/** The text as it is; empty lines separate paragraphs. */
function renderText(language: string, { subject, text }: MailData['extension']): RenderedMail {
  const title = oneLine(subject)
  const paragraphs = text
    .replaceAll('\r\n', '\n')
    .trim()
    .split(/\n{2,}/)
  return { subject: title, text: `${paragraphs.join('\n\n')}\n`, html: htmlOf(language, title, paragraphs) }
}

function placeholdersOf(app: Runtime, { template, data }: Exclude<Mail, { template: 'extension' }>): Data {
  const { host } = new URL(app.config.url)
  const placeholders = { site: host + app.config.base, panel: `${app.config.url}/panel` }
  switch (template) {
    case 'reset':
      return {
        ...placeholders,
        code: data.code,
        link: linkFor(app, template, data.token),
        minutes: lifetime(template, minute),
      }
    case 'invite':
      return { ...placeholders, link: linkFor(app, template, data.token), days: lifetime(template, 24 * 60 * minute) }
    case 'emailConfirm':
      return { ...placeholders, link: linkFor(app, template, data.token), hours: lifetime(template, 60 * minute) }
    case 'emailChanged':
      return { ...placeholders, email: oneLine(data.email) }
    case 'factorAdded':
    case 'factorRemoved':
      return { ...placeholders, factor: new Message(`mail.factor.${data.factor}`) }
    case 'tokenCreated':
      return { ...placeholders, name: oneLine(data.name) }
    case 'webhookOff':
      return {
        ...placeholders,
        host: oneLine(data.host),
        problem: oneLine(data.problem),
        link: `${app.config.url}/panel/system/webhooks`,
      }
    case 'reviewRequested':
    case 'reviewReturned':
    case 'reviewAccepted':
    case 'mentioned':
      return {
        ...placeholders,
        title: oneLine(data.title),
        name: oneLine(data.name),
        note: oneLine(data.note, 1000),
        link: linkToPage(app, data),
      }
    default:
      return placeholders
  }
}

function linkToPage(
  { config }: Runtime,
  { path, language, comment }: Pick<PageNotice, 'path' | 'language' | 'comment'>,
): string {
  const query = new URLSearchParams({
    ...(language !== undefined && { language }),
    ...(comment !== undefined && { comment }),
  })
  return `${config.url}/panel/pages/${path.replaceAll('/', '+')}${query.size === 0 ? '' : `?${query.toString()}`}`
}

const lifetime = (template: LinkTemplate, unit: number) => String(linkLifetimes[template] / unit)

/** User input must not begin a new line, which could become a header or a paragraph of its own. */
function oneLine(text: string, maxLength = 200): string {
  return text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed()
}

/** The same text as HTML. A line that is a URL becomes a link. */
function htmlOf(language: string, subject: string, paragraphs: string[]): string {
  const { id, direction } = closestTranslation(language)
  const body = paragraphs.map(paragraph => `<p>${paragraph.split('\n').map(htmlLine).join('<br>')}</p>`)
  return [
    `<!doctype html><html lang="${id}" dir="${direction}">`,
    `<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
    `<body style="font: 16px/1.5 sans-serif; max-width: 36em">${body.join('')}</body></html>`,
  ].join('\n')
}

function htmlLine(line: string): string {
  const text = escapeHtml(line)
  return /^https?:\/\/\S+$/.test(line) ? `<a href="${text}">${text}</a>` : text
}
