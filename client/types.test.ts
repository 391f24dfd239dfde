/**
 * What the compiler must accept and refuse. `tsc` checks this file. It reports an `@ts-expect-error` above a line that has
 * no error, so a mistake that is accepted is found. Vitest runs only the tests: the exported functions are never called.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { fail } from '../src/platform/errors.ts'
import { done, model } from '../src/http/answer.ts'
import { endpoint, mount } from '../src/http/endpoint.ts'
import { viewOf } from '../src/http/view.ts'
import { type ClientOf, createClient, fileForm, isBroken, type OrBroken } from './client.ts'

test('the compiler reads this file', () => {
  const { include } = JSON.parse(readFileSync(join(import.meta.dirname, '../tsconfig.json'), 'utf8')) as {
    include: string[]
  }
  expect(include).toContain('client')
})

// ---- the client

export async function calls() {
  const client = createClient({ url: 'https://example.org' })
  await client.auth.get()
  await client.auth.get({ view: 'compact', select: { role: ['name'] } })
  await client.auth.login({ email: 'ada@example.org', password: 'x', long: true })
  await client.auth.login({ method: 'code', challenge: 'x', code: '1' })
  await client.auth.logout()
  await client.auth.logout({})

  // @ts-expect-error there is no such group
  await client.unknown.get()
  // @ts-expect-error there is no such endpoint
  await client.auth.refresh()
  // @ts-expect-error there is no such query parameter
  await client.auth.get({ viewww: 'compact' })
  // @ts-expect-error a view is one name
  await client.auth.get({ view: ['compact'] })
  // @ts-expect-error the body is missing
  await client.auth.login()
  // @ts-expect-error the password is missing
  await client.auth.login({ email: 'ada@example.org' })
  // @ts-expect-error a password is a string
  await client.auth.login({ email: 'ada@example.org', password: 1 })
  // @ts-expect-error there is no such sign-in method
  await client.auth.login({ method: 'magic', email: 'ada@example.org' })
  // @ts-expect-error there is no such field
  await client.auth.login({ email: 'ada@example.org', password: 'x', role: 'admin' })
  // @ts-expect-error the body of a logout is empty
  await client.auth.logout({ all: true })
  // @ts-expect-error the public URL is missing
  createClient({ token: 'x' })

  const result = await client.auth.login({ email: 'ada@example.org', password: 'x' })
  // @ts-expect-error a challenge has no user: the kind of result must be checked first
  void result.user.email
  if ('user' in result) void result.user.email
  else if (result.code === 202) void result.challenge.id
  else void result.next
  const { data } = await client.auth.get()
  // @ts-expect-error there is no such field
  void data.password_hash
}

export async function sections() {
  const client = createClient({ url: 'https://example.org' })
  const section = await client.pages.section({ id: 'a', name: 'pages' })
  // @ts-expect-error only lists have items: the type must be checked first
  void section.data
  if (section.type === 'pages') {
    const [item] = section.data
    expectTypeOf(item!.status).toEqualTypeOf<'draft' | 'unlisted' | 'listed'>()
    // @ts-expect-error only files have a filename
    void item!.filename
    // @ts-expect-error there is no such property
    void section.options.headlin
  }
  const { tabs } = await client.site.blueprint({ select: ['tabs'] })
  const [column] = Object.values(tabs[0]!.columns)
  expectTypeOf(column!.sections['notes']!.type).toEqualTypeOf<string>()
  // @ts-expect-error there is no such property
  void tabs[0]!.title
}

export async function uploads() {
  const client = createClient({ url: 'https://example.org' })
  const options = { select: ['filename', 'size'] } as const
  const one = await client.pages.files.upload({ id: 'a' }, fileForm(new Blob([])), options)
  expectTypeOf(one.data).toEqualTypeOf<{ filename: string; size: number }>()
  const any = await client.site.files.upload(new FormData(), options)
  expectTypeOf(any.data).toEqualTypeOf<
    { filename: string; size: number } | Record<string, { filename: string; size: number }>
  >()
  // @ts-expect-error there is no such field
  await client.site.files.upload(fileForm(new Blob([])), { select: ['fileName'] })
  // @ts-expect-error a form is required
  await client.users.files.upload({ id: 'a' })
}

export async function selections() {
  const client = createClient({ url: 'https://example.org' })
  const page = await client.pages.get({ id: 'a', select: ['title', 'status', 'num'] })
  expectTypeOf(page).toEqualTypeOf<{ title: string; status: 'draft' | 'unlisted' | 'listed'; num: number | null }>()
  const { data } = await client.users.list({ select: { email: '', role: ['name'], avatar: ['url'] } })
  expectTypeOf(data).toEqualTypeOf<{ email: string; role: { name: string }; avatar: { url: string } | null }[]>()
  const { parents } = await client.pages.get({ id: 'a', select: { parents: ['id'] } })
  expectTypeOf(parents).toEqualTypeOf<{ id: string }[]>()
  const { title } = await client.site.get({ select: 'title' })
  expectTypeOf(title).toEqualTypeOf<string>()
  // @ts-expect-error it was not selected
  void page.slug
  // @ts-expect-error there is no such property
  await client.pages.get({ id: 'a', select: ['titel'] })
  // @ts-expect-error there is no such property of a related model
  void parents[0]!.title
}

export async function views(select: string[], view: string) {
  const client = createClient({ url: 'https://example.org' })
  const page = await client.pages.get({ id: 'a' })
  expectTypeOf(page.title).toEqualTypeOf<string>()
  // Both may be missing: anonymous clients do not see `options`, and `revision` is in no view.
  expectTypeOf(page.options).toEqualTypeOf<Record<string, boolean> | undefined>()
  expectTypeOf(page.revision).toEqualTypeOf<number | undefined>()
  const [child] = (await client.pages.children.list({ id: 'a' })).data
  expectTypeOf(child!.title).toEqualTypeOf<string>()
  expectTypeOf(child!.content).toEqualTypeOf<Record<string, unknown> | undefined>()
  const [role] = (await client.roles.list()).data
  expectTypeOf(role!.title).toEqualTypeOf<string>()
  type Role = Awaited<ReturnType<typeof client.roles.get>>
  expectTypeOf(role!.permissions).toEqualTypeOf<Role['permissions'] | undefined>()
  const [whole] = (await client.roles.list({ view: 'any' })).data
  expectTypeOf(whole!.permissions).toEqualTypeOf<Role['permissions']>()
  const [language] = (await client.languages.list({ view: 'any', limit: 10 })).data
  expectTypeOf(language!.slugs).toEqualTypeOf<Record<string, string>>()
  expectTypeOf((await client.languages.get({ code: 'de' })).slugs).toEqualTypeOf<Record<string, string> | undefined>()
  const { data: own } = await client.auth.get()
  expectTypeOf(own.permissions).toEqualTypeOf<Role['permissions']>()
  expectTypeOf((await client.auth.get({ select: ['email'] })).data).toEqualTypeOf<{ email: string }>()
  const found = await client.site.resolve({ path: '/', select: ['title', 'url'] })
  if (found.type === 'redirect') expectTypeOf(found.redirect.url).toEqualTypeOf<string>()
  else expectTypeOf(found.data).toEqualTypeOf<{ title: string; url: string }>()

  // Anonymous clients get a view of the system of their own, whatever they select.
  const system = await client.system.get({ select: ['title', 'version'] })
  expectTypeOf(system.title).toEqualTypeOf<string>()
  if ('version' in system) expectTypeOf(system).toEqualTypeOf<{ title: string; version: string | null }>()
  // If `view` or `select` is not known at compile time, or the template is named, every property may be missing.
  expectTypeOf((await client.users.get({ id: 'a', view })).email).toEqualTypeOf<string | undefined>()
  expectTypeOf((await client.roles.get({ name: 'a', select: select as 'name'[] })).name).toEqualTypeOf<
    string | undefined
  >()
  expectTypeOf((await client.pages.get<'note'>({ id: 'a', select: ['id'] })).title).toEqualTypeOf<string | undefined>()
}

// ---- the content of a site

interface Blueprints {
  files: { picture: { alt: string } }
  pages: {
    note: { date: string; kind: 'story' | 'news' | ''; rows: OrBroken<{ who: string }[]>; uuid: string }
    default: { text: string }
  }
  site: { tagline: string }
  users: { editor: { bio: string } }
}

export async function contents() {
  const client = createClient<Blueprints>({ url: 'https://example.org' })
  const note = await client.pages.get<'note'>({ id: 'notes+a' })
  expectTypeOf(note.content).toEqualTypeOf<Blueprints['pages']['note'] | undefined>()
  expectTypeOf(note.template).toEqualTypeOf<'note' | undefined>()
  expectTypeOf(note.title).toEqualTypeOf<string | undefined>()
  const list = await client.pages.children.list<'note'>({ id: 'notes', limit: 10 })
  expectTypeOf(list.data[0]!.content).toEqualTypeOf<Blueprints['pages']['note'] | undefined>()
  expectTypeOf(list.pagination.total).toEqualTypeOf<number>()
  const created = await client.site.children.create<'note'>({ slug: 'a', template: 'note' }, { strict: true })
  expectTypeOf(created.content).toEqualTypeOf<Blueprints['pages']['note'] | undefined>()
  const files = await client.pages.files.list<'picture'>({ id: 'notes+a' })
  expectTypeOf(files.data[0]!.content).toEqualTypeOf<{ alt: string } | undefined>()
  expectTypeOf(files.data[0]!.thumbs).toEqualTypeOf<Record<string, string> | null | undefined>()
  const { content: ofUser } = await client.users.get<'editor'>({ id: 'x' })
  expectTypeOf(ofUser).toEqualTypeOf<{ bio: string } | undefined>()
  const { content: ofSite } = await client.site.get()
  expectTypeOf(ofSite).toEqualTypeOf<{ tagline: string }>()

  // A value that may be broken must be checked before it is read. Only `$overwrite` replaces a broken value.
  // @ts-expect-error it may be broken
  void note.content?.rows.map(row => row.who)
  if (note.content && !isBroken(note.content.rows)) expectTypeOf(note.content.rows).toEqualTypeOf<{ who: string }[]>()
  await client.pages.update<'note'>({ id: 'a' }, { rows: [{ who: 'Ada' }] })
  await client.pages.update<'note'>({ id: 'a' }, { rows: { $overwrite: [{ who: 'Ada' }] } })
  await client.pages.update<'note'>({ id: 'a' }, { rows: note.content!.rows })
  // @ts-expect-error a row has no such field
  await client.pages.update<'note'>({ id: 'a' }, { rows: { $overwrite: [{ whom: 'Ada' }] } })
  // @ts-expect-error a date is never broken
  await client.pages.update<'note'>({ id: 'a' }, { date: { $overwrite: 'x' } })

  // Without the name of a template, content may have any fields.
  const { content, template } = await client.pages.get({ id: 'a' })
  expectTypeOf(content).toEqualTypeOf<Record<string, unknown>>()
  expectTypeOf(template).toEqualTypeOf<string>()
  // A client without the types of a site accepts any name of a template.
  const unknown = createClient({ url: 'https://example.org' })
  expectTypeOf((await unknown.pages.get<'note'>({ id: 'a' })).content).toEqualTypeOf<
    Record<string, unknown> | undefined
  >()
  expectTypeOf((await unknown.site.get()).content).toEqualTypeOf<Record<string, unknown>>()

  // Content has the same type when it is written as when it is read.
  await client.pages.update<'note'>({ id: 'a', ifMatch: 7 }, { kind: 'story', title: 'A', date: '2026-05-31' })
  await client.pages.update({ id: 'a' }, { anything: 1 })
  await client.site.update({ ifMatch: 7 }, { tagline: 'x' })
  await client.site.children.create<'note'>({ slug: 'a', template: 'note', content: { kind: 'news' } })
  await client.pages.children.create<'note'>(
    { id: 'notes' },
    { slug: 'a', template: 'note', content: { kind: 'news' } },
  )
  await client.pages.get({ id: 'a', select: ['title', 'content'] })
  await client.pages.get({ id: 'a', select: { parents: ['title'] } })
  await client.pages.delete({ id: 'a', ifMatch: 7 })
  await unknown.pages.update<'note'>({ id: 'a' }, { anything: 1 })
  // @ts-expect-error there is no such field
  await client.pages.update<'note'>({ id: 'a' }, { colour: 'red' })
  // @ts-expect-error there is no such kind
  await client.pages.update<'note'>({ id: 'a' }, { kind: 'poem' })
  // @ts-expect-error a date is a string
  await client.pages.update<'note'>({ id: 'a' }, { date: 1 })
  // @ts-expect-error there is no such option
  await client.site.children.create({ slug: 'a' }, { stricter: true })
  // @ts-expect-error there is no such template
  await client.site.children.create({ slug: 'a', template: 'letter' })
  // @ts-expect-error there is no such field
  await client.site.children.create<'note'>({ slug: 'a', template: 'note', content: { colour: 'red' } })
  // @ts-expect-error the site has no such field
  await client.site.update({}, { colour: 'red' })
  // @ts-expect-error a page has no such field
  await client.pages.get({ id: 'a', select: ['titel'] })
  // @ts-expect-error a page has no such field
  await client.pages.get({ id: 'a', select: { titel: ['x'] } })
  // @ts-expect-error a revision is a number
  await client.pages.update({ id: 'a', ifMatch: 'latest' }, {})
  // @ts-expect-error only changes take `ifMatch`
  await client.pages.get({ id: 'a', ifMatch: 7 })

  // @ts-expect-error there is no such template
  await client.pages.get<'letter'>({ id: 'a' })
  // @ts-expect-error a role is not a template
  await client.pages.get<'editor'>({ id: 'a' })
  // @ts-expect-error there is no such field
  void note.content?.author
  // @ts-expect-error there is no such kind
  void (note.content?.kind === 'poem')
  // @ts-expect-error the site has no templates
  await client.site.get<'note'>()
  // @ts-expect-error a blueprint has no template, so its endpoint takes none
  await client.pages.blueprint<'note'>({ id: 'a' })
}

// ---- errors

export function errors() {
  fail('notFound')
  fail('user.notFound', { name: 'Ada' })
  // @ts-expect-error the placeholder is missing
  fail('user.notFound')
  // @ts-expect-error the placeholder has another name
  fail('user.notFound', { id: 'Ada' })
  // @ts-expect-error a placeholder is filled with text
  fail('user.notFound', { name: 1 })
  // @ts-expect-error there is no placeholder
  fail('notFound', { name: 'Ada' })
  // @ts-expect-error there is no such error
  fail('user.lost')
}

// ---- endpoints

const itemSchema = z.object({ id: z.string() })
const common = { method: 'GET', summary: 'x' } as const

export const validEndpoints = {
  things: {
    get: endpoint({
      ...common,
      path: '/things/:id/parts/:part',
      access: 'pages.read',
      on: async ({ params }) => ({ found: params.part, options: {} }),
      query: z.strictObject({ page: z.coerce.number().optional() }),
      answer: model(itemSchema),
      handler: async ({ params, query, body, target, caller }) => {
        expectTypeOf(params).toEqualTypeOf<{ id: string } & { part: string }>()
        expectTypeOf(query).toEqualTypeOf<{ page?: number | undefined }>()
        expectTypeOf(body).toEqualTypeOf<undefined>()
        expectTypeOf(target.found).toEqualTypeOf<string>()
        return { id: `${params.id} ${target.found} ${caller.user.id}` }
      },
    }),
    clear: endpoint({
      ...common,
      method: 'DELETE',
      path: '/things',
      access: 'public',
      answer: done,
      handler: async () => {},
    }),
  },
}

// @ts-expect-error access is missing
export const withoutAccess = endpoint({ ...common, path: '/x', answer: done, handler: async () => {} })

export const invalidEndpoints = [
  // @ts-expect-error there is no such permission
  endpoint({ ...common, path: '/x', access: 'pages.fly', answer: done, handler: async () => {} }),
  // @ts-expect-error nothing checks the permission: neither `on` nor `authorizedByOperation` is given
  endpoint({ ...common, path: '/x', access: 'pages.read', answer: done, handler: async () => {} }),
  endpoint({
    ...common,
    path: '/x',
    access: 'pages.read',
    // @ts-expect-error the options of the blueprint are missing
    on: async () => ({ page: 'home' }),
    answer: done,
    handler: async () => {},
  }),
  endpoint({
    ...common,
    path: '/x',
    access: 'users.update',
    // @ts-expect-error whose account it is, and its role, are missing
    on: async () => ({ options: {} }),
    answer: done,
    handler: async () => {},
  }),
  // @ts-expect-error there is no such method
  endpoint({ ...common, method: 'LIST', path: '/x', access: 'public', answer: done, handler: async () => {} }),
  // @ts-expect-error the handler returns a number for `id`, but the schema of the answer has a string
  endpoint({ ...common, path: '/x', access: 'public', answer: model(itemSchema), handler: async () => ({ id: 1 }) }),
  // @ts-expect-error the handler returns nothing
  endpoint({ ...common, path: '/x', access: 'public', answer: model(itemSchema), handler: async () => {} }),
  endpoint({
    ...common,
    path: '/x',
    access: 'public',
    answer: model(itemSchema),
    // @ts-expect-error an anonymous client has no account
    handler: async ({ caller }) => ({ id: caller.user.id }),
  }),
  endpoint({
    ...common,
    path: '/x/:id',
    access: 'session',
    answer: model(itemSchema),
    // @ts-expect-error the path has no such parameter
    handler: async ({ params }) => ({ id: params.name }),
  }),
]

export async function ownClient(client: ClientOf<typeof validEndpoints>) {
  expectTypeOf<Awaited<ReturnType<typeof client.things.get>>>().toEqualTypeOf<{ id: string }>()
  await client.things.get({ id: 'a', part: 'b', page: 2 })
  await client.things.clear()
  // @ts-expect-error a parameter of the path is missing
  await client.things.get({ id: 'a' })
  // @ts-expect-error the path has no parameters
  await client.things.clear({ id: 'a' })
}

export const mounted = mount('/pages/:page', validEndpoints)
export async function mountedClient(client: ClientOf<typeof mounted>) {
  await client.things.clear({ page: 'a' })
  // @ts-expect-error the parameter `page` of the path that `mount` adds is missing
  await client.things.clear()
}

// ---- views

interface House {
  street: string
}
export const invalidView = viewOf<House>()(
  field => ({ street: field.value(z.string(), house => house.street) }),
  // @ts-expect-error a view can only name fields that exist
  { default: ['street'], compact: ['number'] },
)
// @ts-expect-error `street` is a string, but its schema has a number
export const mistyped = viewOf<House>()(field => ({ street: field.value(z.number(), house => house.street) }), {})
