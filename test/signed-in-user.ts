/** A user with an account, a browser and a session. */
import type { LightMyRequestResponse as Answer } from 'fastify'
import { expect } from 'vitest'
import type { Mail, MailTemplate } from '../src/platform/mail/render.ts'
import { unsealPayload } from '../src/platform/queue/queue.ts'
import {
  addUser,
  type Browser,
  password,
  type TestStorage,
  type TestApp,
  type TestUser,
  totpCode,
  writeBlueprints,
} from './harness.ts'
import { newIp, postLogin, sessionCookie } from './sign-in.ts'

/** Mail settings without a server: tests read mails from the outbox. */
export const withMail = { mail: { url: 'smtp://127.0.0.1:9', from: 'cms@example.org' } }

export interface SignedInUser {
  id: string
  email: string
  secret: string
  recovery: string[]
  browser: Browser
  /** Sends a request as the panel does: with the cookie and the CSRF token. */
  call(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Answer>
  token(): string | undefined
  /** Confirms the identity again. */
  confirm(code?: string): Promise<Answer>
}

/** A new account, signed in. With a second factor this uses up the code of the current step. */
export async function createSignedInUser(
  site: TestApp,
  { long = false, ...options }: TestUser & { long?: boolean } = {},
): Promise<SignedInUser> {
  const user = await addUser(site, options)
  const signedIn = await signIn(site, user.email, {
    password: options.password ?? password,
    long,
    ...(options.totp && { code: await totpCode(site.storage, user.secret) }),
  })
  return { ...user, ...signedIn }
}

/** Signs in to an account in another browser. */
export async function signIn(site: TestApp, email: string, credentials: object = {}) {
  const browser = site.browser({ ip: newIp() })
  let csrf: string | undefined
  /** Sends the newest CSRF token with later requests. */
  const rememberCsrf = (answer: Answer) => {
    const body = JSON.parse(answer.body || '{}') as { csrf?: string }
    csrf = body.csrf ?? csrf
    return answer
  }
  const login = rememberCsrf(await postLogin(browser, { email, password, ...credentials }))
  expect(login.statusCode, `with ${login.body}`).toBe(200)
  const call: SignedInUser['call'] = async (method, path, body) =>
    rememberCsrf(
      await browser.send({
        method,
        url: `/api/users${/^(\?|$)/.test(path) ? '' : '/'}${path}`,
        headers: {
          'sec-fetch-site': 'same-origin',
          ...(csrf !== undefined && { 'x-csrf': csrf }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      }),
    )
  return {
    browser,
    call,
    token: () => browser.cookies.get(sessionCookie),
    confirm: async (code?: string) => rememberCsrf(await postLogin(browser, { method: 'reauth', password, code })),
  }
}

/** The status code of `GET /api/auth` in this browser. */
export async function statusOf({ browser }: { browser: Browser }): Promise<number> {
  return (await browser.send({ url: '/api/auth' })).statusCode
}

export function describeRole({ data }: TestStorage, role: string, settings: string): void {
  writeBlueprints(data, { [`users/${role}.yml`]: settings })
}

/** The mails in the outbox, oldest first, without decoys, which are never sent. */
export async function mailsTo({ app }: TestApp, email: string, template?: MailTemplate): Promise<Mail[]> {
  const rows = await app.store.db.selectFrom('jobs').selectAll().where('queue', '=', 'mail').orderBy('number').execute()
  const mails = rows.map(row => JSON.parse(unsealPayload(app, 'mail', row.id, row.payload)!) as Mail)
  return mails.filter(
    mail => mail.to === email && !mail.decoy && (template === undefined || mail.template === template),
  )
}

/** The data of the newest mail with this template. */
export async function lastMail<Template extends MailTemplate>(site: TestApp, email: string, template: Template) {
  const mail = (await mailsTo(site, email, template)).at(-1)
  if (!mail) throw new Error(`there is no mail ${template} to ${email}`)
  return mail.data as Extract<Mail, { template: Template }>['data']
}
