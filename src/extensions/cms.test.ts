import { expect, test } from 'vitest'
import { type Client, createClientFor, QuoinError } from '../../client/client.ts'
import { routes } from '../../client/routes.ts'
import { addUser, createTestApp, createTestStorage, type TestApp, writeBlueprints } from '../../test/harness.ts'
import { addPage } from '../../test/pages.ts'
import { addToken } from '../../test/tokens.ts'
import { defineExtension, endpoint, json, z } from '../index.ts'

type Method = (...input: unknown[]) => Promise<unknown>
const methodOf = (client: object, name: string): Method =>
  name.split('.').reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], client) as Method

/** Calls any method of `cms` and answers its value or its error. */
const caller = defineExtension({
  name: 'caller',
  endpoints: {
    call: endpoint({
      method: 'POST',
      path: '/call',
      summary: 'Call a method',
      access: 'reader',
      body: z.strictObject({ name: z.string(), input: z.array(z.unknown()), asSystem: z.boolean() }),
      answer: json(z.unknown()),
      handler: async ({ cms, body: { name, input, asSystem } }) =>
        outcome(() => methodOf(asSystem ? cms.asSystem() : cms, name)(...input)),
    }),
    upload: endpoint({
      method: 'POST',
      path: '/upload',
      summary: 'Upload a file',
      access: 'session',
      answer: json(z.unknown()),
      handler: async ({ cms }) => {
        const form = new FormData()
        form.set('file', new File(['# Plain text'], 'note.md', { type: 'text/markdown' }))
        return outcome(() => cms.site.files.upload(form))
      },
    }),
  },
})

async function outcome(call: () => Promise<unknown>): Promise<object> {
  try {
    return { value: JSON.parse(JSON.stringify(await call())) as unknown }
  } catch (error) {
    if (!(error instanceof QuoinError)) throw error
    const { status, key, message, details, retryAfter = null } = error
    return { status, key, message, details, retryAfter }
  }
}

async function createSite() {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'pages/note.yml': 'fields: { text: { type: text, required: true } }',
    'users/nobody.yml': 'title: Everyone',
  })
  const site = await createTestApp({ storage, settings: { extensions: [caller] } })
  await addPage(site, '', { slug: 'notes', template: 'note', content: { text: 'One' }, status: 'listed' })
  await addPage(site, '', { slug: 'hidden', template: 'note', content: { text: 'Two' } })
  return site
}

/** The same call over HTTP and in process. */
function callersOf(site: TestApp, token: string | undefined) {
  const headers = {
    host: new URL(site.app.config.url).host,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const fetch = async (url: string, { method, body, headers: sent }: RequestInit) => {
    const { pathname, search } = new URL(url)
    const payload = typeof body === 'string' ? { payload: body } : {}
    const all = { ...(sent as Record<string, string>), ...headers }
    const answer = await site.request({ method: method as 'GET', url: pathname + search, headers: all, ...payload })
    return new Response(answer.body, { status: answer.statusCode, headers: answer.headers as Record<string, string> })
  }
  const client = createClientFor<Client>(routes, { url: site.app.config.url, fetch })
  const post = async (path: string, body: object) =>
    (
      await site.request({
        method: 'POST',
        url: `/api/extensions/caller/${path}`,
        headers: { ...headers, 'content-type': 'application/json' },
        payload: JSON.stringify(body),
      })
    ).json<object>()
  return {
    post,
    byHttp: (name: string, ...input: unknown[]) => outcome(() => methodOf(client, name)(...input)),
    inProcess: (name: string, ...input: unknown[]) => post('call', { name, input, asSystem: false }),
    asSystem: (name: string, ...input: unknown[]) => post('call', { name, input, asSystem: true }),
  }
}

const reads = Object.entries(routes).filter(([name, [method]]) => method === 'GET' && !name.startsWith('auth.'))
const values: Record<string, string> = { id: 'notes', code: 'en', name: 'editor', filename: 'none.txt' }

/** A call of the endpoint with something in place of each parameter. */
function inputOf(path: string, clientParameters: string): unknown[] {
  const params = [...path.matchAll(/:(\w+)/g)].map(([, key]) => {
    const isAccount = key === 'id' && path.startsWith('/users')
    return [key, isAccount ? 'account' : (values[key!] ?? 'none')]
  })
  return params.length > 0 || clientParameters.includes('query') ? [Object.fromEntries(params)] : []
}

/** Replaces times, which differ from one request to the next. */
const withoutTimes = (outcomeOf: object) =>
  JSON.parse(JSON.stringify(outcomeOf).replaceAll(/"\d{4}-\d\d-\d\dT[^"]+"/g, '"time"')) as object

test.each([
  ['an administrator', 'admin', ['*']],
  ['an editor', 'editor', ['*']],
  ['a token with few scopes', 'admin', ['pages.read']],
  ['a token that sees what visitors see', 'admin', ['published']],
  ['an anonymous client', undefined, []],
])('%s reads the same in process and over HTTP', { timeout: 120_000 }, async (_, role, scopes) => {
  const site = await createSite()
  const owner = role === undefined ? undefined : (await addUser(site, { role })).id
  const token = owner === undefined ? undefined : (await addToken(site.app, { userId: owner, name: 'x', scopes })).token
  const { byHttp, inProcess } = callersOf(site, token)
  for (const [name, [, path, clientParameters]] of reads) {
    if (name === 'users.sessions.list' || name === 'system.get') continue // the token was used in between
    const input = inputOf(path, clientParameters)
    const [one, other] = [await byHttp(name, ...input), await inProcess(name, ...input)]
    expect({ name, ...withoutTimes(other) }).toEqual({ name, ...withoutTimes(one) })
  }
})

test('writes have the same results, rules, conflicts and refusals', async () => {
  const site = await createSite()
  const { id: owner } = await addUser(site, { role: 'admin' })
  const { token } = await addToken(site.app, { userId: owner, name: 'x', scopes: ['*'] })
  const { inProcess, byHttp, post } = callersOf(site, token)
  const { value } = (await byHttp('pages.get', { id: 'notes', select: ['revision'] })) as {
    value: { revision: number }
  }
  expect(await inProcess('pages.update', { id: 'notes', ifMatch: value.revision }, { text: 'New' })).toMatchObject({
    value: { content: { text: 'New' } },
  })
  const stale = [{ id: 'notes', ifMatch: value.revision }, { text: 'Newer' }]
  expect(await inProcess('pages.update', ...stale)).toEqual(await byHttp('pages.update', ...stale))
  const wrong = [{ id: 'notes' }, { text: '' }]
  expect(await inProcess('pages.update', ...wrong)).toEqual(await byHttp('pages.update', ...wrong))
  const fresh = [{ id: 'account' }, { password: 'another long password', currentPassword: 'x' }]
  expect(await inProcess('users.changePassword', ...fresh)).toMatchObject({
    status: 403,
    key: 'error.auth.needsSession',
  })
  expect(await post('upload', {})).toMatchObject({ value: { data: { filename: 'note.md', size: 12 } } })
  expect(await inProcess('site.files.get', { filename: 'note.md' })).toMatchObject({ value: { filename: 'note.md' } })
})

test('the system reads everything but what belongs to an account', { timeout: 120_000 }, async () => {
  const site = await createSite()
  const { asSystem } = callersOf(site, undefined)
  const refused: string[] = []
  for (const [name, [, path, clientParameters]] of reads) {
    const { status = 200, key } = (await asSystem(name, ...inputOf(path, clientParameters))) as {
      status?: number
      key?: string
    }
    expect(status, `${name} ${key}`).toBeLessThan(500)
    if (status === 401 || status === 403) refused.push(name)
  }
  expect(refused.filter(name => !name.startsWith('users.'))).toEqual(['system.get'])
  expect(await asSystem('pages.get', { id: 'hidden' })).toMatchObject({ value: { id: 'hidden', status: 'draft' } })
  expect(await asSystem('pages.update', { id: 'hidden' }, { text: 'By nobody' })).toMatchObject({
    value: { id: 'hidden' },
  })
})
