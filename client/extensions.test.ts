/** The typed client of a site with extensions, as `quoin types` writes its types. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, expectTypeOf, test } from 'vitest'
import { createTestApp, createTestStorage } from '../test/harness.ts'
import { newsletter } from '../examples/extensions/newsletter/newsletter.ts'
import { shop } from '../test/extension.ts'
import { type Blueprints, extensionRoutes } from '../test/extensions/quoin.types.ts'
import { addUser } from '../test/harness.ts'
import { addToken } from '../test/tokens.ts'
import { typingsOf } from '../src/transfer/typings/typings.ts'
import { createClient, QuoinError } from './client.ts'

async function openSite() {
  const extensions = [
    newsletter({ url: 'https://www.example.org/newsletter', templates: ['note'] }),
    shop({ currency: 'EUR' }),
  ]
  const settings = { extensions, mail: { url: 'smtp://127.0.0.1:1', from: 'site@example.org' } }
  const site = await createTestApp({ storage: await createTestStorage(), settings })
  const { id } = await addUser(site, { hash: null })
  const { token } = await addToken(site.app, { userId: id, name: 'front end', scopes: ['*'] })
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
  expect(typingsOf(site.app.blueprints, site.app.extensions.endpoints)).toBe(
    readFileSync(join(import.meta.dirname, '../test/extensions/quoin.types.ts'), 'utf8'),
  )
  const { newsletter: newsletterMethods, shop: shopMethods } = client.extensions
  expect(await newsletterMethods.subscribers.create({ email: 'ada@example.org' })).toEqual({ status: 'ok' })
  await newsletterMethods.subscribers.create({ email: 'bo@example.org' })
  expect((await newsletterMethods.subscribers.list()).data).toMatchObject([{ state: 'asked' }, { state: 'asked' }])
  expect(await newsletterMethods.subscribers.list({ after: 'ada@example.org' })).toMatchObject({
    data: [{ email: 'bo@example.org' }],
    next: null,
  })
  expect(await shopMethods.orders.create({ product: 'tea' }, { amount: 2 })).toEqual({ id: 'tea', title: '2 × tea' })
  const refused: unknown = await shopMethods.orders
    .create({ product: 'ink' }, { amount: 0 })
    .catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(QuoinError)
  expect(refused).toMatchObject({ status: 422, key: 'error.shop.priceMissing' })
  expect((await client.site.get()).title).toBeTypeOf('string')
})

/** Checked by the compiler only, never called: where a line has no error any more, it reports `@ts-expect-error`. */
export async function typeChecks() {
  const { client } = await openSite()
  const { subscribers } = client.extensions.newsletter
  const { orders } = client.extensions.shop
  expectTypeOf((await subscribers.list()).data[0]!.state).toEqualTypeOf<'asked' | 'confirmed'>()
  // @ts-expect-error there is no such extension
  await client.extensions.market.orders.list()
  // @ts-expect-error there is no such endpoint
  await subscribers.get({ email: 'a' })
  // @ts-expect-error `after` is a text
  await subscribers.list({ after: 5 })
  // @ts-expect-error the e-mail address is missing
  await subscribers.create({})
  // @ts-expect-error the body is missing
  await subscribers.create()
  // @ts-expect-error the parameter of the path is missing
  await orders.create({}, { amount: 1 })
  // @ts-expect-error the answer has no such property
  await subscribers.list().then(({ total }) => total)
  // @ts-expect-error a site without extensions has none
  await createClient({ url: 'https://example.org' }).extensions.newsletter.subscribers.list()
}
