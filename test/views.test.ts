/**
 * The typed client derives the properties of an answer without `select` from the view that its endpoint declares
 * (`answerViews`). The handler chooses the view that is sent, so this test compares both.
 */
import { expect, test } from 'vitest'
import { api } from '../src/api.ts'
import { listEndpoints } from '../src/http/endpoint.ts'
import { addUser, createTestApp, createTestStorage } from './harness.ts'
import { createModels, describeModels, urlOf } from './samples.ts'
import { addToken } from './tokens.ts'

const storage = await createTestStorage()
describeModels(storage)
const site = await createTestApp({ storage, quiet: true })
const { id: owner } = await addUser(site, { role: 'admin', hash: null })
const { token } = await addToken(site.app, { userId: owner, name: 'views', scopes: ['*'] })
const models = await createModels(site)

/** The names of the properties of the answered model, or of the first one of a list. */
async function namesIn(url: string): Promise<string[] | undefined> {
  const headers = { host: new URL(site.app.config.url).host, authorization: `Bearer ${token}` }
  const answer = await site.request({ method: 'GET', url, headers })
  if (answer.statusCode !== 200) return undefined
  const { data } = answer.json<{ data: object | object[] }>()
  const model = Array.isArray(data) ? (data as object[])[0] : data
  return model && Object.keys(model)
}

test('without a selection, an endpoint answers in the view that it declares', async () => {
  const compared: string[] = []
  for (const [name, endpoint] of listEndpoints(api)) {
    const { answerViews } = endpoint.answer
    if (!answerViews || endpoint.method !== 'GET' || !endpoint.query?.safeParse({ view: 'x' }).success) continue
    const url = urlOf(endpoint, models)
    const names = await namesIn(url)
    if (!names) continue
    expect(names, `the properties of ${name}`).toEqual(await namesIn(`${url}?view=${answerViews.fallback}`))
    compared.push(name)
  }
  expect(compared).toEqual(
    expect.arrayContaining(['auth.get', 'pages.get', 'roles.list', 'site.children.list', 'users.list']),
  )
  expect(compared.length).toBeGreaterThan(20)
})
