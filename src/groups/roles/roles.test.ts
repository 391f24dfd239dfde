import { expect, test } from 'vitest'
import { createTestStorage, createTestApp } from '../../../test/harness.ts'
import { describeRole, type SignedInUser, createSignedInUser } from '../../../test/signed-in-user.ts'
import { refusal } from '../../../test/sign-in.ts'
import { catalogue } from '../../blueprints/permissions/permissions.ts'
import { addToken } from '../../../test/tokens.ts'

const storage = await createTestStorage()
describeRole(
  storage,
  'editor',
  `title: { en: Editor, de: Redaktion, fr: Rédaction }
description: { en: Writes, de: Schreibt }
permissions: { users: { changeRole: false, create: false }, pages: false }
`,
)
describeRole(storage, 'author', 'title: Author')
describeRole(storage, 'keeper', 'options: { changeRole: false, create: { admin: false } }')
describeRole(storage, 'clerk', 'permissions: { "*": false, access: { panel: true } }')
const site = await createTestApp({ storage })
const [admin, editor, clerk] = [
  await createSignedInUser(site),
  await createSignedInUser(site, { role: 'editor' }),
  await createSignedInUser(site, { role: 'clerk' }),
]

interface Listed {
  data: { name: string; title: string; description: string | null }[]
  pagination: object
}

const ask = async ({ browser }: SignedInUser, path: string) => browser.send({ url: `/api/roles${path}` })
const names = async (who: SignedInUser, path: string) =>
  (await ask(who, path)).json<Listed>().data.map(({ name }) => name)

test('all roles are listed by name, in a compact view; admin always exists', async () => {
  const answer = (await ask(admin, '')).json<Listed & { type: string }>()
  expect(answer).toEqual({
    code: 200,
    data: [
      { description: null, name: 'admin', title: 'Administrator' },
      { description: null, name: 'author', title: 'Author' },
      { description: null, name: 'clerk', title: 'Clerk' },
      { description: 'Writes', name: 'editor', title: 'Editor' },
      { description: null, name: 'keeper', title: 'Keeper' },
    ],
    pagination: { page: 1, total: 5, offset: 0, limit: 100 },
    status: 'ok',
    type: 'collection',
  })
})

test('a role is shown with its permissions', async () => {
  const { data } = (await ask(admin, '/editor')).json<{ data: Record<string, unknown> }>()
  expect(Object.keys(data)).toEqual(['description', 'name', 'permissions', 'title'])
  const permissions = data['permissions'] as Record<string, Record<string, boolean>>
  expect(Object.entries(permissions).map(([category, actions]) => [category, Object.keys(actions)])).toEqual(
    Object.entries(catalogue).map(([category, actions]) => [category, [...actions]]),
  )
  expect(Object.values(permissions['pages']!)).not.toContain(true)
  expect(permissions['users']).toMatchObject({ changeRole: false, create: false, delete: true })
  expect(Object.values(permissions['files']!)).not.toContain(false)
})

test('titles and descriptions follow the language of the caller', async () => {
  const titles: Record<string, [string, string | null]> = {
    de: ['Redaktion', 'Schreibt'],
    fr: ['Rédaction', 'Writes'],
    ja: ['Editor', 'Writes'],
    en: ['Editor', 'Writes'],
  }
  for (const [language, [title, description]] of Object.entries(titles)) {
    expect((await editor.call('PATCH', 'account/language', { language })).statusCode).toBe(200)
    expect((await ask(editor, '/editor?view=compact')).json()).toMatchObject({ data: { title, description } })
    const { data } = (await ask(editor, '')).json<Listed>()
    expect(data.find(({ name }) => name === 'editor')).toMatchObject({ title, description })
  }
})

test.each(['nobody', 'vanished', 'default', 'ADMIN', 'constructor', '__proto__', '%F0%9F%A6%8A', 'x'.repeat(200)])(
  'the role %s is not found',
  async name => {
    const { status, key } = refusal(await ask(admin, `/${name}`))
    expect([status, key]).toEqual([404, 'error.role.notFound'])
  },
)

test('canBe lists the roles that the caller may create and assign', async () => {
  expect(await names(admin, '?canBe=created')).toEqual(['admin', 'author', 'clerk', 'editor'])
  expect(await names(admin, '?canBe=changed'), 'the last one stays one').toEqual(['author', 'clerk', 'editor'])
  await createSignedInUser(site)
  expect(await names(admin, '?canBe=changed')).toEqual(['admin', 'author', 'clerk', 'editor'])
  const author = await createSignedInUser(site, { role: 'author' })
  expect(await names(author, '?canBe=created')).toEqual(['author', 'clerk', 'editor', 'keeper'])
  expect(await names(author, '?canBe=changed')).toEqual(['author', 'clerk', 'editor'])
  expect(await names(editor, '?canBe=created')).toEqual([])
  expect(await names(editor, '?canBe=changed')).toEqual([])
  const all = await names(admin, '')
  for (const value of ['', 'deleted', 'CREATED']) expect(await names(admin, `?canBe=${value}`)).toEqual(all)
})

test('the list has paging and views', async () => {
  expect(await names(admin, '?limit=2&page=2')).toEqual(['clerk', 'editor'])
  expect(refusal(await ask(admin, '?page=2')).key).toBe('error.errorPage')
  expect((await ask(admin, '?select=name&limit=1')).json()).toMatchObject({ data: [{ name: 'admin' }] })
  expect(Object.keys((await ask(admin, '/admin?select=title')).json<{ data: object }>().data)).toEqual(['title'])
  expect((await ask(admin, '?unheard=1')).statusCode).toBe(200)
})

test('every caller with access sees the roles; others do not', async () => {
  expect((await ask(clerk, '')).statusCode).toBe(200)
  expect((await site.browser().send({ url: '/api/roles' })).statusCode).toBe(401)
  const { token } = await addToken(site.app, { userId: admin.id, name: 'x', scopes: ['pages.read'] })
  const answer = await site
    .browser()
    .send({ url: '/api/roles?canBe=created', headers: { authorization: `Bearer ${token}` } })
  expect(answer.json()).toMatchObject({ data: [] })
})
