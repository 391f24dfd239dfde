import { expect, test } from 'vitest'
import { addUser, createTestApp, password, type TestApp } from '../../test/harness.ts'

/** Answers that may be given again while the store says that nothing was committed. */
const site = await createTestApp()
const other = await createTestApp({ place: site.place })

async function signedIn(app: TestApp = site) {
  const user = await addUser(app)
  const browser = app.browser()
  await browser.client.auth.login({ email: user.email, password })
  return { ...user, browser }
}

const rename = (app: TestApp, id: string, name: string) =>
  app.app.store.db.updateTable('users').set({ name }).where('id', '=', id).execute()

test('asking again gives the same answer', async () => {
  const { browser } = await signedIn()
  const first = await browser.send({ url: '/api/auth' })
  const second = await browser.send({ url: '/api/auth' })
  expect(second.statusCode).toBe(200)
  expect(second.body).toBe(first.body)
  expect(second.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(second.headers['content-length']).toBe(String(Buffer.byteLength(first.body)))
})

test('a change is seen by the very next request, also one made by another instance', async () => {
  const { browser, id } = await signedIn()
  for (const [round, app] of [site, other, site, other].entries()) {
    await browser.client.auth.get()
    await rename(app, id, `name ${round}`)
    expect((await browser.client.auth.get()).data.name).toBe(`name ${round}`)
  }
})

test('nobody is given the answer of somebody else', async () => {
  const [ada, ben] = [await signedIn(), await signedIn()]
  for (let round = 0; round < 3; round++) {
    expect((await ada.browser.client.auth.get()).data.id).toBe(ada.id)
    expect((await ben.browser.client.auth.get()).data.id).toBe(ben.id)
  }
  const stranger = await site.request({ url: '/api/auth' })
  expect(stranger.statusCode).toBe(401)
})

test('another address is another answer', async () => {
  const { browser, id, email } = await signedIn()
  await browser.client.auth.get()
  expect((await browser.client.auth.get({ select: 'id' })).data).toEqual({ id })
  expect((await browser.client.auth.get({ select: 'email' })).data).toEqual({ email })
  expect((await browser.client.auth.get({ select: 'id' })).data).toEqual({ id })
  const pretty = await browser.send({ url: '/api/auth?select=id&pretty=1' })
  expect(pretty.body).toContain('\n    "code": 200')
})

test('a session that expires while nothing is committed is over all the same', async () => {
  const own = await createTestApp()
  const { browser } = await signedIn(own)
  await browser.client.auth.get()
  await own.place.moveClock(61 * 60_000)
  await expect(browser.client.auth.get()).rejects.toMatchObject({ status: 401, details: { reason: 'expired' } })
})

test('HEAD has no body, whether or not the answer is known', async () => {
  const { browser } = await signedIn()
  for (let round = 0; round < 2; round++) {
    const head = await browser.send({ method: 'HEAD', url: '/api/auth' })
    expect([head.statusCode, head.body]).toEqual([200, ''])
    await browser.client.auth.get()
  }
})

test('a listed origin may read the answer each time it is given', async () => {
  const own = await createTestApp({ settings: { api: { cors: ['https://app.example'] } } })
  const { browser } = await signedIn(own)
  for (let round = 0; round < 3; round++) {
    const answer = await browser.send({ url: '/api/auth', headers: { origin: 'https://app.example' } })
    expect(answer.headers['access-control-allow-origin']).toBe('https://app.example')
  }
  const { headers } = await browser.send({ url: '/api/auth' })
  expect(headers).not.toHaveProperty('access-control-allow-origin')
})

test('the answer that notes activity shows it', async () => {
  const own = await createTestApp()
  const { browser } = await signedIn(own)
  const before = (await browser.client.auth.get()).session!.idleExpiresAt
  await own.place.moveClock(61_000)
  const after = (await browser.client.auth.get()).session!.idleExpiresAt
  expect(Date.parse(after) - Date.parse(before)).toBeGreaterThanOrEqual(61_000)
  const next = (await browser.client.auth.get()).session!.idleExpiresAt
  expect(Math.abs(Date.parse(next) - Date.parse(after)), 'by another clock').toBeLessThan(2000)
})
