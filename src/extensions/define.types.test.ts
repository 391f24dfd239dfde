/**
 * What the compiler must refuse. `tsc` reads this file: a line below that became right would be an unused
 * `@ts-expect-error`, which is an error itself. None of the functions is called.
 */
import { expect, test } from 'vitest'
import { type Cms, defineExtension, documents, endpoint, job, json, on, refuse, rule, z } from '../index.ts'

test('the wrong declarations are functions', () => {
  expect([names, settings, texts, permissions, stores, handlers, events, jobs, rules]).toHaveLength(9)
})

export function names() {
  // @ts-expect-error -- a name has small letters
  defineExtension({ name: 'Shop' })
  // @ts-expect-error -- there is no such part
  defineExtension({ name: 'shop', hooks: [] })
  defineExtension({ name: 'shop' })
}

export function settings() {
  const schema = z.strictObject({ currency: z.string() })
  // @ts-expect-error -- the values are missing
  defineExtension({ name: 'shop', settings: schema })
  // @ts-expect-error -- misspelt
  defineExtension({ name: 'shop', settings: schema }, { curency: 'EUR' })
  // @ts-expect-error -- there are no settings
  defineExtension({ name: 'shop' }, { currency: 'EUR' })
  defineExtension({ name: 'shop', settings: schema }, { currency: 'EUR' })
  const more = z.strictObject({ currency: z.string(), rate: z.coerce.number().default(1) })
  defineExtension({ name: 'shop', settings: more }, { currency: 'EUR' }, ({ rate }) => ({
    permissions: { orders: rate.toFixed() },
    errors: { closed: [409, 'Closed.'] },
    texts: { de: { closed: 'Geschlossen.' } },
    endpoints: { orders: { list: get('shop.orders') } },
  }))
  // @ts-expect-error -- the settings have no such value
  defineExtension({ name: 'shop', settings: more }, { currency: 'EUR' }, ({ price }) => ({ on: [price] }))
  // @ts-expect-error -- the permission is not declared
  defineExtension({ name: 'shop', settings: more }, { currency: 'EUR' }, () => ({ endpoints: { a: get('shop.b') } }))
}

export function texts() {
  // @ts-expect-error -- a text of no error
  defineExtension({ name: 'shop', errors: { closed: [409, 'Closed.'] }, texts: { de: { open: 'Offen.' } } })
  // @ts-expect-error -- no language of the interface
  defineExtension({ name: 'shop', errors: { closed: [409, 'Closed.'] }, texts: { la: { closed: 'Clausum.' } } })
  // @ts-expect-error -- without a status
  defineExtension({ name: 'shop', errors: { closed: 'Closed.' } })
  defineExtension({ name: 'shop', errors: { closed: [409, 'Closed.'] }, texts: { de: { closed: 'Geschlossen.' } } })
}

const get = <const Level extends 'public' | 'session' | `${string}.${string}`>(access: Level) =>
  endpoint({
    method: 'GET',
    path: '/orders',
    summary: 'List',
    access,
    answer: json(z.object({})),
    handler: async () => ({}),
  })

export function permissions() {
  const declared = { orders: 'See orders.' }
  // @ts-expect-error -- misspelt
  defineExtension({ name: 'shop', permissions: declared, endpoints: { list: get('shop.order') } })
  // @ts-expect-error -- of another extension
  defineExtension({ name: 'shop', permissions: declared, endpoints: { orders: { list: get('market.orders') } } })
  defineExtension({ name: 'shop', permissions: declared, endpoints: { orders: { list: get('shop.orders') } } })
  defineExtension({ name: 'shop', endpoints: { a: get('public'), b: get('session'), c: get('pages.update') } })
}

export function stores() {
  const value = z.object({ email: z.string(), list: z.string() })
  // @ts-expect-error -- the documents have no such property
  documents('subscribers', { value, index: ['name'] })
  // @ts-expect-error -- at most three indexes
  documents('subscribers', { value, index: ['email', 'list', 'email', 'list'] })
  const subscribers = documents('subscribers', { value, index: ['email'] })
  return async (cms: Cms) => {
    // @ts-expect-error -- not an index
    await cms.store(subscribers).list({ where: { list: 'news' } })
    // @ts-expect-error -- a value of another form
    await cms.store(subscribers).put('a', { email: 'a@example.org' })
    await cms.store(subscribers).list({ where: { email: 'a@example.org' } })
    // @ts-expect-error -- a value of another form
    await cms.write([subscribers.put('a', { email: 5 })])
    // @ts-expect-error -- a document is stored with a change
    await cms.with([subscribers.delete('a')]).pages.get({ id: 'a' })
    // @ts-expect-error -- not with a change of content
    await cms.with([subscribers.delete('a')]).system.webhooks.create({})
    await cms.with([subscribers.put('a', { email: 'a', list: 'b' })]).pages.update({ id: 'a' }, { text: 'b' })
  }
}

export function handlers() {
  const shared = {
    method: 'POST',
    path: '/orders/:id',
    summary: 'Order',
    answer: json(z.object({ id: z.string() })),
  } as const
  // @ts-expect-error -- a value that the answer forbids
  endpoint({ ...shared, access: 'session', handler: async () => ({ id: 5 }) })
  // @ts-expect-error -- the path has no such parameter
  endpoint({ ...shared, access: 'session', handler: async ({ params }) => ({ id: params.name }) })
  // @ts-expect-error -- there may be no caller
  endpoint({ ...shared, access: 'public', handler: async ({ caller }) => ({ id: caller.id }) })
  // @ts-expect-error -- the client has no such method
  endpoint({ ...shared, access: 'session', handler: async ({ cms }) => ({ id: await cms.pages.fetch() }) })
  // @ts-expect-error -- an extension does not sign in
  endpoint({ ...shared, access: 'session', handler: async ({ cms }) => ({ id: await cms.auth.login() }) })
  // @ts-expect-error -- a path begins with a slash
  endpoint({ ...shared, path: 'orders', access: 'session', handler: async () => ({ id: '' }) })
  endpoint({ ...shared, access: 'session', handler: async ({ caller, params }) => ({ id: caller.id + params.id }) })
}

export function events() {
  // @ts-expect-error -- misspelt
  on('page.publish', async () => {})
  // @ts-expect-error -- no kind of event
  on('pages.*', async () => {})
  // @ts-expect-error -- events of sign-in are not for extensions
  on('auth.login.ok', async () => {})
  // @ts-expect-error -- the event of another kind
  on('page.published', async ({ event }) => event.type === 'page.deleted')
  // @ts-expect-error -- no such option
  on('page.published', async () => {}, { retries: 5 })
  // @ts-expect-error -- not every event is about a page
  on('file.created', async ({ cms, event }) => cms.pages.get({ id: event.page }))
  // @ts-expect-error -- a list of handlers
  defineExtension({ name: 'shop', on: on('page.published', async () => {}) })
  on('page.published', async ({ cms, event, log, signal }) => {
    await cms.pages.get({ id: event.page })
    log.info(event.id)
    signal.throwIfAborted()
  })
  on('page.*', async ({ event }) => event.type === 'page.deleted')
  on('user.created', async ({ cms, event }) => cms.users.get({ id: event.user }))
}

export function jobs() {
  // @ts-expect-error -- nothing to run
  job('nightly', { at: '0 3 * * *' })
  // @ts-expect-error -- a job has no event
  job('nightly', { at: '0 3 * * *', run: async ({ event }) => event })
  // @ts-expect-error -- a function that is not asynchronous
  job('nightly', { run: () => 5 })
  job('nightly', { at: '0 3 * * *', timeZone: 'Europe/Berlin', run: async ({ cms }) => cms.site.get() })
}

export function rules() {
  // @ts-expect-error -- misspelt
  rule('pages.publsh', () => {})
  // @ts-expect-error -- reading has no rules
  rule('pages.get', () => {})
  // @ts-expect-error -- the name of the endpoint, not of the operation
  rule('pages.changes.publish', () => {})
  // @ts-expect-error -- neither content nor nothing
  rule('pages.publish', () => 5)
  // @ts-expect-error -- deleting stores no content
  rule('pages.delete', () => ({ price: 5 }))
  // @ts-expect-error -- a page has no file name
  rule('pages.publish', ({ page }) => void page.filename)
  // @ts-expect-error -- a rule cannot write
  rule('pages.publish', ({ cms }) => void cms.pages.update)
  // @ts-expect-error -- as the system neither
  rule('pages.publish', ({ cms }) => void cms.asSystem().site.children.create)
  // @ts-expect-error -- not the values of this operation
  rule('pages.changeSlug', ({ input }) => void input.status)
  rule('pages.changeSlug', ({ input, page }) => {
    if (input.slug === page.template) refuse('taken')
  })
  rule(['pages.create', 'pages.update'], async ({ content, cms }) => {
    const { data } = await cms.site.children.query({}, { limit: 1 })
    return { title: content['title'], total: data.length }
  })
}
