import { expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/harness.ts'
import { createMailServer, type ReceivedMail } from '../../../test/smtp.ts'
import { randomToken } from '../lib/id.ts'
import { texts } from '../texts.ts'
import { translate, translations } from '../translations/translations.ts'
import { linkFor, linkLifetimes, type Mail, type MailTemplate, renderMail } from './render.ts'
import { hasMail, queueMail, type MailCause } from './mail.ts'
import { startSending } from './outbox.ts'
import { until } from '../../../test/until.ts'

const minute = 60_000
const server = await createMailServer()
const settings = { ...server.settings, url: 'https://example.org/cms', trustedProxies: ['127.0.0.1'] }
const site = await createTestApp({ settings })

const queue = ({ app }: TestApp, mail: Mail, cause?: MailCause) =>
  app.store.write(tx => queueMail(app, tx, mail, cause))
const queued = async ({ app }: TestApp) => (await app.store.db.selectFrom('jobs').select('id').execute()).length

/** The mail as its reader gets it. */
async function received(mail: Mail): Promise<ReceivedMail> {
  const before = server.mails.length
  await queue(site, mail)
  const stop = startSending(site.app)
  await until(() => expect(server.mails).toHaveLength(before + 1))
  await stop()
  return server.mails.at(-1)!
}

/** Those of extensions have texts of their own. */
type OwnTemplate = Exclude<MailTemplate, 'extension'>

const everyMail: { [Template in OwnTemplate]: Extract<Mail, { template: Template }>['data'] } = {
  reset: { code: '12345678', token: randomToken() },
  invite: { token: randomToken() },
  emailConfirm: { token: randomToken() },
  emailChanged: { email: 'new@example.org' },
  passwordChanged: {},
  passwordDisabled: {},
  totpDisabled: {},
  factorAdded: { factor: 'totp' },
  factorRemoved: { factor: 'passkey' },
  sessionEnded: {},
  suspicious: { reason: 'afterFailures' },
  tokenCreated: { name: 'deploy' },
  reviewRequested: { title: 'Tides', name: 'Ada', note: 'Please', path: 'notes/tides', language: 'en' },
  reviewReturned: { title: 'Tides', name: 'Ada', note: 'Too long', path: 'notes/tides' },
  mentioned: { title: 'Tides', name: 'Ada', note: 'Look at this', path: 'notes/tides' },
  reviewAccepted: { title: 'Tides', name: 'Ada', note: '', path: 'notes/tides' },
  webhookOff: { host: 'example.org', problem: 'The response was 500.' },
}
const mailOf = (template: OwnTemplate, language = 'en'): Mail =>
  ({ to: 'ada@example.org', template, language, data: everyMail[template] }) as Mail

// ---- texts of mails

test('K01, K10: a reset mail has a code and a link with the token in its fragment', async () => {
  const token = randomToken()
  const mail = await received({
    to: 'ada@example.org',
    template: 'reset',
    language: 'en',
    data: { code: '12345678', token },
  })
  const link = `https://example.org/cms/panel/reset#token=${token}`
  expect(mail.to).toEqual(['ada@example.org'])
  expect(mail.headers).toMatchObject({
    to: 'ada@example.org',
    from: expect.stringMatching(/^"?Our site"? <cms@example.org>$/) as string,
    subject: 'A new password for example.org/cms',
    'auto-submitted': 'auto-generated',
    'message-id': expect.stringMatching(/^<\w{16}@example.org>$/) as string,
  })
  const lines = mail.text.split('\n')
  expect(lines).toContain('12345678')
  expect(lines).toContain(link)
  expect(mail.text).toContain('valid for 10 minutes')
  expect(mail.html).toContain(`<a href="${link}">${link}</a>`)
  expect(mail.html).toContain('<html lang="en" dir="ltr">')
  expect(linkFor(site.app, 'reset', token)).toBe(link)
})

test.each(Object.keys(linkLifetimes) as (keyof typeof linkLifetimes)[])('K10: the link of %s has no query', name => {
  const url = new URL(linkFor(site.app, name, 'a b&c'))
  expect([url.search, url.hash, url.pathname.startsWith('/cms/panel/')]).toEqual(['', '#token=a%20b%26c', true])
})

test.each(Object.keys(everyMail) as OwnTemplate[])('%s exists in every language', template => {
  for (const { id, direction } of translations) {
    const { subject, text, html } = renderMail(site.app, mailOf(template, id))
    for (const part of [subject, text, html]) expect(part).not.toMatch(/\{\w+\}|undefined|mail\.\w|\[object/)
    expect(subject).not.toBe('')
    expect(text).toContain('example.org/cms')
    expect(html).toContain(`lang="${id}" dir="${direction}"`)
    if ('token' in everyMail[template]) expect(text).toMatch(/^https:\S+#token=[\w-]{43}$/m)
  }
})

test('every mail text belongs to a template', () => {
  const used = new Set<string>()
  const words = { ...texts }
  for (const template of Object.keys(everyMail) as OwnTemplate[]) {
    used.add(`mail.${template}.subject`)
    if (template !== 'suspicious') used.add(`mail.${template}.text`)
  }
  const others = Object.keys(words).filter(key => key.startsWith('mail.') && !used.has(key))
  expect(others.toSorted()).toEqual([
    'mail.factor.passkey',
    'mail.factor.recovery',
    'mail.factor.totp',
    'mail.notYou',
    'mail.suspicious.afterFailures',
    'mail.suspicious.secondFactor',
  ])
  expect(translate('en', 'mail.notYou')).not.toBe('mail.notYou')
})

test('an unknown language falls back to English', () => {
  expect(renderMail(site.app, mailOf('reset', 'tlh')).subject).toBe('A new password for example.org/cms')
})

test('letters of every script are sent unchanged', async () => {
  const mail = await received({
    to: 'zoë@bücher.example',
    template: 'tokenCreated',
    language: 'en',
    data: { name: 'Grüße, 世界 🌍' },
  })
  expect(mail.text).toContain('\nGrüße, 世界 🌍\n')
  expect(mail.html).toContain('Grüße, 世界 🌍')
  expect(mail.to[0]).toMatch(/^zoë@(bücher|xn--bcher-kva)\.example$/)
})

test('an extension writes its own mail', async () => {
  const data = { subject: 'New\r\nBcc: evil@example.org', text: 'Hello <b>Ada</b>,\r\n\r\n\r\nhttps://example.org/a\n' }
  const mail = await received({ to: 'ada@example.org', template: 'extension', language: 'de', data })
  expect(mail.headers['subject']).toBe('New Bcc: evil@example.org')
  expect(mail.headers).not.toHaveProperty('bcc')
  expect(mail.text).toBe('Hello <b>Ada</b>,\n\nhttps://example.org/a')
  expect(mail.html).toContain('<p>Hello &lt;b&gt;Ada&lt;/b&gt;,</p>')
  expect(mail.html).toContain('<a href="https://example.org/a">')
  expect(mail.html).toContain('lang="de"')
})

// ---- no headers, no markup, no other readers

test('C09: user input cannot add a line, a header or markup', async () => {
  const name = 'x\r\nBcc: evil@example.org\r\n\r\n<script>alert("1")</script>\u2028Hello\u202e&'
  const mail = await received({ to: 'ada@example.org', template: 'tokenCreated', language: 'en', data: { name } })
  expect(mail.to).toEqual(['ada@example.org'])
  expect(mail.headers).not.toHaveProperty('bcc')
  expect(mail.raw).not.toMatch(/^Bcc:/im)
  expect(mail.text).toContain('\nx Bcc: evil@example.org <script>alert("1")</script> Hello &\n')
  expect(mail.html).not.toContain('<script>')
  expect(mail.html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; Hello &amp;')
})

test.each([
  'ada@example.org\r\nBcc: evil@example.org',
  'ada@example.org, evil@example.org',
  'Ada <ada@example.org>',
  '"ada evil@example.org"@example.org',
  'ada@example.org>\r\nRCPT TO:<evil@example.org',
  '',
])('C09: nothing is queued for %j, and that is logged', async to => {
  await queue(site, { to, template: 'passwordChanged', language: 'en', data: {} })
  expect(await queued(site)).toBe(0)
  expect(site.logged.at(-1)).toMatchObject({ event: 'mail.address', template: 'passwordChanged' })
  expect(JSON.stringify(site.logged)).not.toMatch(/\bevil\b/)
})

test('a long name is shortened', () => {
  const mail = mailOf('tokenCreated') as Extract<Mail, { template: 'tokenCreated' }>
  const { text } = renderMail(site.app, { ...mail, data: { name: '🌍'.repeat(5000) } })
  expect(text.length).toBeLessThan(1000)
  expect(text.isWellFormed()).toBe(true)
})

// ---- how many

test('H17: a mailbox gets at most three links in a quarter of an hour, and ten a day', async () => {
  const otherSite = await createTestApp({ settings })
  const ask = (to = 'ada@example.org') =>
    queue(otherSite, { to, template: 'reset', language: 'en', data: { code: '12345678', token: randomToken() } })
  for (let round = 0; round < 100; round++) await ask(round % 2 ? 'ada@example.org' : 'ADA@EXAMPLE.ORG')
  expect(await queued(otherSite)).toBe(3)
  await otherSite.storage.moveClock(10 * minute)
  await ask()
  expect(await queued(otherSite)).toBe(3)
  await ask('grace@example.org')
  expect(await queued(otherSite)).toBe(4)
  for (let round = 0; round < 20; round++) {
    await otherSite.storage.moveClock(16 * minute)
    for (let more = 0; more < 5; more++) await ask()
  }
  expect(await queued(otherSite)).toBeGreaterThan(8)
  // Ten at first; two more are refilled in five and a half hours.
  expect(await queued(otherSite)).toBeLessThanOrEqual(1 + 12)
})

test('notices and links have separate limits', async () => {
  const otherSite = await createTestApp({ settings })
  for (let round = 0; round < 20; round++) await queue(otherSite, mailOf('invite'))
  expect(await queued(otherSite)).toBe(3)
  for (let round = 0; round < 20; round++) await queue(otherSite, mailOf('passwordChanged'))
  expect(await queued(otherSite)).toBe(23)
})

test('requests of anonymous clients and known callers, and kinds of links, have separate limits', async () => {
  const otherSite = await createTestApp({ settings })
  for (let round = 0; round < 20; round++) await queue(otherSite, mailOf('reset'), 'anonymous')
  expect(await queued(otherSite)).toBe(3)
  for (const template of ['reset', 'invite', 'emailConfirm'] as const) {
    const sent: boolean[] = []
    for (let round = 0; round < 5; round++) sent.push(await queue(otherSite, mailOf(template)))
    expect(sent).toEqual([true, true, true, false, false])
  }
})

test('O06: a warning is sent at most once an hour', async () => {
  const otherSite = await createTestApp({ settings })
  for (let round = 0; round < 5; round++) await queue(otherSite, mailOf('suspicious'))
  expect(await queued(otherSite)).toBe(1)
  await queue(otherSite, { ...mailOf('suspicious'), to: 'grace@example.org' })
  expect(await queued(otherSite)).toBe(2)
  await otherSite.storage.moveClock(61 * minute)
  await queue(otherSite, mailOf('suspicious'))
  expect(await queued(otherSite)).toBe(3)
})

test('mail is available if it is configured', async () => {
  expect(hasMail(site.app)).toBe(true)
  expect(hasMail((await createTestApp()).app)).toBe(false)
})
