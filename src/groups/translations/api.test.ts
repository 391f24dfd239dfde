import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { addUser, createTestApp, password } from '../../../test/harness.ts'
import { replacing, sessionCookie } from '../../../test/sign-in.ts'
import { auth } from '../auth/api.ts'
import { errors } from '../../platform/errors.ts'
import { done } from '../../http/answer.ts'
import { endpoint } from '../../http/endpoint.ts'
import { texts } from '../../platform/texts.ts'
import { translations as group } from './api.ts'
import { findTranslation, translate, translations, completeTexts } from '../../platform/translations/translations.ts'

const tree = {
  auth,
  translations: group,
  probe: {
    write: endpoint({
      method: 'POST',
      path: '/probe',
      summary: 'Takes a title',
      access: 'session',
      body: z.strictObject({ title: z.string().min(3) }),
      answer: done,
      handler: async () => {},
    }),
    fresh: endpoint({
      method: 'POST',
      path: '/probe/fresh',
      summary: 'Needs a fresh sign-in',
      access: 'session',
      fresh: true,
      answer: done,
      handler: async () => {},
    }),
  },
}
const site = await createTestApp({ api: tree })

async function signedIn(language: string) {
  const user = await addUser(site)
  await site.app.store.db.updateTable('users').set({ language }).where('id', '=', user.id).execute()
  const browser = site.browser()
  await browser.client.auth.login({ email: user.email, password })
  const { csrf } = browser.last.json<{ csrf: string }>()
  return { browser, signed: { 'x-csrf': csrf, 'content-type': 'application/json' } }
}

/** A request without credentials. */
const request = (language: string | undefined, accept = 'application/json') =>
  site.request({
    url: '/api/auth',
    headers: { accept, ...(language !== undefined && { 'accept-language': language }) },
  })

const away = () => Promise.reject(new Error('the store is away'))

describe('the group', () => {
  test('anonymous clients may list the languages of the interface', async () => {
    const answer = await site.request({ url: '/api/translations' })
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({
      code: 200,
      data: translations.map(({ direction, id, name }) => ({ direction, id, name })),
      pagination: { page: 1, total: 12, offset: 0, limit: 100 },
      status: 'ok',
      type: 'collection',
    })
    expect(Object.keys(answer.json<{ data: object[] }>().data[0]!)).toEqual(['direction', 'id', 'name'])
  })

  test('anonymous clients may read the texts of a language', async () => {
    for (const { id, direction, name } of translations) {
      const answer = await site.request({ url: `/api/translations/${id}` })
      expect(answer.statusCode).toBe(200)
      expect(answer.json()).toEqual({
        code: 200,
        data: { author: 'Quoin', data: completeTexts(findTranslation(id)!), direction, id, name },
        status: 'ok',
        type: 'model',
      })
    }
    const { data } = (await site.browser().client.translations.get({ id: 'ar' })) as { data: Record<string, string> }
    expect(Object.keys(data)).toHaveLength(Object.keys(texts).length + Object.keys(errors).length)
    expect(data['error.auth']).toBe('يُرجى تسجيل الدخول.')
  })

  test('fields and views can be selected', async () => {
    const { client } = site.browser()
    expect(await client.translations.get({ id: 'ar', view: 'compact' })).toEqual({
      direction: 'rtl',
      id: 'ar',
      name: 'العربية',
    })
    expect(await client.translations.get({ id: 'ja', select: 'name' })).toEqual({ name: '日本語' })
    await expect(client.translations.get({ id: 'ja', select: 'name,nonsense' })).rejects.toMatchObject({ status: 400 })
    const { data } = await client.translations.list({ select: ['id'] })
    expect(data.map(({ id }) => id)).toEqual(['ar', 'de', 'en', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt', 'tr', 'zh'])
  })

  test.each(['sv', 'DE', 'de_CH', 'de-CH', '..%2F..%2Fsecrets', 'constructor', '__proto__'])(
    'the translation %s is not found',
    async id => {
      const answer = await site.request({ url: `/api/translations/${id}` })
      expect([answer.statusCode, answer.json<{ key: string }>().key]).toEqual([404, 'error.translation.notFound'])
    },
  )

  test('lists are paginated', async () => {
    const { data, pagination } = await site.browser().client.translations.list({ page: 2, limit: 5 })
    expect(data.map(({ id }) => id)).toEqual(['it', 'ja', 'nl', 'pl', 'pt'])
    expect(pagination).toEqual({ page: 2, total: 12, offset: 5, limit: 5 })
    const answer = await site.request({ url: '/api/translations?page=4&limit=5' })
    expect([answer.statusCode, answer.json<{ key: string }>().key]).toEqual([404, 'error.errorPage'])
  })

  test('anonymous requests are answered during an outage of the store', async () => {
    const headers = { cookie: `${sessionCookie}=whatever` }
    const ask = () => site.request({ url: '/api/translations/de', headers })
    const answer = await replacing(site.app.store, () => ({ read: away, write: away }), ask)
    expect(answer.statusCode).toBe(200)
  })
})

describe('errors', () => {
  test('are in the language of the signed-in caller, also for reauthentication', async () => {
    const { browser, signed } = await signedIn('de')
    const missing = await browser.send({ url: '/api/translations/xx' })
    expect([missing.statusCode, missing.json<{ message: string }>().message]).toEqual([
      404,
      translate('de', 'error.translation.notFound', { id: 'xx' }),
    ])
    const payload = JSON.stringify({ method: 'reauth', password: 'a wrong passphrase' })
    const wrong = await browser.send({ method: 'POST', url: '/api/auth/login', headers: signed, payload })
    expect([wrong.statusCode, wrong.json<{ message: string }>().message]).toEqual([
      401,
      translate('de', 'error.access.login'),
    ])
  })

  test('are in the language of the browser for anonymous clients', async () => {
    for (const [language, text] of [
      ['de-CH,de;q=0.9,en;q=0.8', 'Bitte melden Sie sich an.'],
      ['ja', 'ログインしてください。'],
      ['sv', 'Please sign in.'],
      [undefined, 'Please sign in.'],
      ['de', 'Bitte melden Sie sich an.'],
    ] as const) {
      const answer = await request(language)
      expect(answer.statusCode).toBe(401)
      expect(answer.json()).toMatchObject({
        message: text,
        key: 'error.auth',
        details: { methods: ['password', 'passkey'] },
      })
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="quoin"')
    }
  })

  test('have a Content-Language header if they are not English', async () => {
    expect((await request('fr-CA')).headers['content-language']).toBe('fr')
    expect((await request('en')).headers).not.toHaveProperty('content-language')
    expect((await request(undefined)).headers).not.toHaveProperty('content-language')
    expect((await request('fr')).headers['vary']).toContain('Accept-Language')
  })

  test('have the detail of a problem document in that language', async () => {
    const answer = await request('es', 'application/problem+json')
    expect(answer.json()).toMatchObject({ title: 'Unauthorized', detail: 'Inicie sesión.', key: 'error.auth' })
  })

  test('are in the language of the account, whatever the browser accepts', async () => {
    const { browser, signed } = await signedIn('pl')
    const answer = await browser.send({
      method: 'POST',
      url: '/api/probe',
      headers: { ...signed, 'accept-language': 'de' },
      payload: JSON.stringify({ title: 'ab', role: 'admin' }),
    })
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual({
      status: 'error',
      message: 'W żądaniu czegoś brakuje lub coś jest nieprawidłowe.',
      code: 400,
      key: 'error.validation',
      details: {
        title: { label: 'title', message: { minlength: 'Minimalna liczba znaków: 3.' } },
        role: { label: 'role', message: { unknown: 'Nie ma takiego pola.' } },
      },
    })
  })

  test('are so, too, when authentication refuses the request', async () => {
    const { browser, signed } = await signedIn('it')
    const unsigned = await browser.send({
      method: 'POST',
      url: '/api/probe',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      payload: '{"title":"abc"}',
    })
    expect(unsigned.json()).toMatchObject({ key: 'error.auth.csrf', message: expect.stringContaining('Ricaricare') })
    await site.storage.moveClock(16 * 60_000)
    const stale = await browser.send({ method: 'POST', url: '/api/probe/fresh', headers: signed })
    expect(stale.json()).toMatchObject({ key: 'error.auth.fresh', message: expect.stringContaining('Confermare') })
  })

  test('are English for an unknown language', async () => {
    const { browser, signed } = await signedIn('tlh')
    const answer = await browser.send({ method: 'POST', url: '/api/probe', headers: signed, payload: '{}' })
    expect(answer.json()).toMatchObject({ details: { title: { message: { type: 'This must be a text.' } } } })
  })

  test('of unreadable requests are in the same language', async () => {
    const { browser, signed } = await signedIn('de')
    for (const [payload, message] of [
      ['{broken', 'Die Anfrage ist nicht lesbar: ihr Inhalt ist kein gültiges JSON.'],
      ['{"a":1,"a":2}', 'Die Anfrage ist nicht lesbar: ihr Inhalt hat denselben Schlüssel zweimal.'],
      ['['.repeat(100), 'Die Anfrage ist nicht lesbar: ihr Inhalt ist tiefer als 64 Ebenen verschachtelt.'],
    ] as const) {
      const answer = await browser.send({ method: 'POST', url: '/api/probe', headers: signed, payload })
      expect(answer.json()).toMatchObject({ key: 'error.request.malformed', message })
    }
    const english = await site.request({
      method: 'POST',
      url: '/api/auth/login',
      headers: { 'content-type': 'application/json' },
      payload: '{broken',
    })
    expect(english.json()).toMatchObject({ message: 'The request cannot be read: its body is not valid JSON.' })
  })

  test('of unknown URLs are in every language', async () => {
    const headers = { 'accept-language': 'nl' }
    const missing = await site.request({ url: '/api/nowhere', headers })
    expect(missing.json()).toMatchObject({ message: 'Op dit adres is niets te vinden.' })
    const wrong = await site.request({ method: 'DELETE', url: '/api/auth', headers })
    expect(wrong.json()).toMatchObject({ message: 'Dit adres accepteert geen DELETE-verzoeken.' })
    const query = await site.request({ method: 'POST', url: '/api/auth/logout?x=1', headers })
    expect(query.json()).toMatchObject({
      details: { query: { message: { unknown: 'Dit adres accepteert geen queryparameters.' } } },
    })
  })
})
