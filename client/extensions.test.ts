/** The typed client of a site with an extension, as `quoin types` writes its types. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, expectTypeOf, test } from 'vitest'
import { createTestApp, createTestStorage } from '../test/harness.ts'
import { newsletter } from '../test/newsletter/newsletter.ts'
import { type Blueprints, extensionRoutes } from '../test/newsletter/quoin.types.ts'
import { addUser } from '../test/harness.ts'
import { addToken } from '../test/tokens.ts'
import { typingsOf } from '../src/transfer/typings/typings.ts'
import { createClient, QuoinError } from './client.ts'

async function openSite() {
  const site = await createTestApp({ storage: await createTestStorage(), settings: { extensions: [newsletter()] } })
  const { id } = await addUser(site, { hash: null })
  const { token } = await addToken(site.app, { owner: id, name: 'front end', scopes: ['*'] })
  const client = createClient<Blueprints>({
    url: site.app.config.url,
    token,
    routes: extensionRoutes,
    fetch: async (url, { method, headers, body }) => {
      const answer = await site.request({
        method: method as 'GET',
        url: url.replace(new URL(url).origin, ''),
        headers: { host: new URL(url).host, ...(headers as Record<string, string>) },
        ...(typeof body === 'string' && { payload: body }),
      })
      return new Response(answer.body, { status: answer.statusCode })
    },
  })
  return { site, client }
}

test('the endpoints of extensions are methods of the client', async () => {
  const { site, client } = await openSite()
  expect(typingsOf(site.app.blueprints, site.app.extensions.tree)).toBe(
    readFileSync(join(import.meta.dirname, '../test/newsletter/quoin.types.ts'), 'utf8'),
  )
  const { subscribers } = client.extensions.newsletter
  expect(await subscribers.create({ email: 'ada@example.org' })).toEqual({ email: 'ada@example.org', list: 'news' })
  await subscribers.create({ email: 'bo@example.org', list: 'offers' })
  expect((await subscribers.list()).data).toHaveLength(2)
  expect(await subscribers.list({ list: 'offers' })).toEqual({ data: [{ email: 'bo@example.org', list: 'offers' }] })
  expect(await subscribers.delete({ email: 'bo@example.org' })).toEqual({ deleted: true })
  const missing: unknown = await subscribers.delete({ email: 'bo@example.org' }).catch((error: unknown) => error)
  expect(missing).toBeInstanceOf(QuoinError)
  expect(missing).toMatchObject({ status: 404, key: 'error.newsletter.unknown' })
  expect((await client.site.get()).title).toBeTypeOf('string')
})

/** Read by the compiler only: a line that became right would be an unused `@ts-expect-error`. */
export async function calls() {
  const { client } = await openSite()
  const { subscribers } = client.extensions.newsletter
  expectTypeOf((await subscribers.list()).data[0]!.list).toEqualTypeOf<'news' | 'offers'>()
  // @ts-expect-error there is no such extension
  await client.extensions.shop.orders.list()
  // @ts-expect-error there is no such endpoint
  await subscribers.get({ email: 'a' })
  // @ts-expect-error there is no such list
  await subscribers.list({ list: 'other' })
  // @ts-expect-error the address is missing
  await subscribers.create({ list: 'news' })
  // @ts-expect-error the body is missing
  await subscribers.create()
  // @ts-expect-error the parameter of the path is missing
  await subscribers.delete()
  // @ts-expect-error the answer has no such property
  await subscribers.list().then(({ total }) => total)
  // @ts-expect-error a site without extensions has none
  await createClient({ url: 'https://example.org' }).extensions.newsletter.subscribers.list()
}
