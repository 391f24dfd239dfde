import { beforeAll, expect, test } from 'vitest'
import { addUser, createTestStorage, createTestApp } from '../../../../test/harness.ts'
import { describeRole, type SignedInUser, createSignedInUser } from '../../../../test/signed-in-user.ts'
import { refusal } from '../../../../test/sign-in.ts'
import { sortKey } from '../users.ts'
import { addToken } from '../../../../test/tokens.ts'
import { isSlow } from '../../../../test/slow.ts'

const storage = await createTestStorage()
describeRole(storage, 'editor', 'fields: { bio: { type: textarea }, level: { type: number }, tags: { type: tags } }')
describeRole(storage, 'without-users', 'permissions: { access: { users: false } }')
describeRole(storage, 'watched', 'options: { access: { without-users: true } }')
describeRole(storage, 'secret', 'options: { access: { admin: true, "*": false } }')
describeRole(storage, 'unlisted', 'options: { list: { admin: true, "*": false } }')
describeRole(storage, 'not-accessible', 'options: { access: false }')
const site = await createTestApp({ storage })

interface Listed {
  data: { id: string; username: string; role: { name: string } }[]
  pagination: { page: number; total: number; offset: number; limit: number }
}

const people: [name: string, email: string, role: string, content: object][] = [
  [
    'Émile Zola',
    'emile@books.example',
    'editor',
    { bio: 'Wrote "Germinal", 123456 % of it', level: '9', tags: 'novel, paris' },
  ],
  ['Zadie', 'zadie@books.example', 'editor', { bio: 'White Teeth', level: '10', password_hash: 'decoy' }],
  ['', 'zoëlle@bücher.example', 'editor', { bio: 'straße\\nach_Süden' }],
  ['émile', 'kästner@books.example', 'editor', { bio: 'CAFÉTERIA society', level: '2' }],
  ['Watched One', 'watched@books.example', 'watched', {}],
  ['Secret One', 'secret@books.example', 'secret', { bio: 'secret germinal' }],
  ['Unlisted One', 'unlisted@books.example', 'unlisted', { bio: 'unlisted germinal' }],
  ['Vanished Role', 'gone@books.example', 'vanished', {}],
]
const ids = new Map<string, string>()
let admin: SignedInUser

beforeAll(async () => {
  admin = await createSignedInUser(site, { email: 'boss@office.example' })
  for (const [name, email, role, content] of people) {
    const answer = await admin.call('POST', '', { email, name, role, content, password: 'a very long passphrase' })
    ids.set(email.split('@')[0]!, answer.json<{ data: { id: string } }>().data.id)
  }
  await site.app.store.db.updateTable('users').set({ role: 'vanished' }).where('id', '=', ids.get('gone')!).execute()
})

/** By the first part of their addresses, in the order of the answer. */
const namesIn = async (answer: ReturnType<SignedInUser['call']>) => {
  const { statusCode, body } = await answer
  expect([statusCode, body]).toEqual([200, body])
  const names = new Map([...ids, ['boss', admin.id]].map(([name, id]) => [id, name]))
  return (JSON.parse(body) as Listed).data.map(({ id }) => names.get(id) ?? id)
}
const find = (q: string, who = admin) => namesIn(who.call('GET', `search?q=${encodeURIComponent(q)}`))
const query = (body: object, who = admin) => namesIn(who.call('POST', 'search', body))
const details = async (answer: ReturnType<SignedInUser['call']>) => {
  const { status, key, details: found } = refusal(await answer)
  return [status, key, ...Object.keys(found)]
}

// ---- lists

const page = async (search: string) => (await admin.call('GET', search)).json<Listed>()

const order = ['boss', 'kästner', 'emile', 'secret', 'unlisted', 'gone', 'watched', 'zadie', 'zoëlle']

test('a list is sorted by the shown name, ignoring case and accents', async () => {
  expect(await namesIn(admin.call('GET', ''))).toEqual(order)
})

test('a list is paginated', async () => {
  expect((await page('')).pagination).toEqual({ page: 1, total: 9, offset: 0, limit: 100 })
  expect((await page('?limit=4&page=3')).pagination).toEqual({ page: 3, total: 9, offset: 8, limit: 4 })
  expect((await page('?limit=4&page=0')).pagination).toEqual({ page: 1, total: 9, offset: 0, limit: 4 })
  expect((await page('?limit=1000')).data).toHaveLength(9)
  const pages = await Promise.all([1, 2, 3].map(number => namesIn(admin.call('GET', `?limit=4&page=${number}`))))
  expect(pages.flat()).toEqual(order)
  expect((await page('search?q=nothing-like-it')).pagination).toEqual({ page: 0, total: 0, offset: 0, limit: 100 })
})

test.each(['?page=2', '?limit=4&page=4', '?page=1000000000', 'search?q=books&limit=2&page=5', 'account/roles?page=2'])(
  'there is no page %s',
  async path => {
    expect(refusal(await admin.call('GET', path))).toMatchObject({ status: 404, key: 'error.errorPage' })
  },
)

test.each([
  ['limit', '0'],
  ['limit', '1001'],
  ['limit', '-1'],
  ['limit', '1.5'],
  ['limit', 'ten'],
  ['limit', 'NaN'],
  ['limit', 'Infinity'],
  ['limit', '1e9'],
  ['page', '-1'],
  ['page', '1.5'],
  ['page', 'first'],
  ['page', '99999999999'],
])('%s=%s is refused as paging', async (name, value) => {
  const [status, key, ...fields] = await details(admin.call('GET', `?${name}=${value}`))
  expect([status, key, fields]).toEqual([400, 'error.validation', [name.replace(/\[.*/, '')]])
})

test('an empty limit is refused', async () => {
  expect((await details(admin.call('GET', '?limit=')))[0]).toBe(400)
})

test('a list can be shown in any view', async () => {
  const { data } = (await admin.call('GET', '?select=id&limit=2')).json<Listed>()
  expect(data.map(user => Object.keys(user))).toEqual([['id'], ['id']])
  const full = (await admin.call('GET', '?view=any&limit=2')).json<{ data: object[] }>()
  expect(Object.keys(full.data[0]!)).toContain('permissions')
})

// ---- search

// Ids are random, and are searched, too: shorter words would be found in one of them now and then.
test.each([
  ['germinal', ['emile', 'secret', 'unlisted']],
  ['GERMINAL', ['emile', 'secret', 'unlisted']],
  ['germin minal', ['emile', 'secret', 'unlisted']],
  ['emile', ['emile', 'kästner']],
  ['kastner', ['kästner']],
  ['KÄSTNER', ['kästner']],
  ['cafeteria', ['kästner']],
  ['caféteria', ['kästner']],
  ['zoelle', ['zoëlle']],
  ['bucher', ['zoëlle']],
  ['Bücher', ['zoëlle']],
  ['suden', ['zoëlle']],
  ['white teeth', ['zadie']],
  ['"germinal"', ['emile']],
  ['123456 %', ['emile']],
  ['%%', []],
  ['__', []],
  ['h_s', ['zoëlle']],
  ['e\\n', ['zoëlle']],
  ['vanished', ['gone']],
  ['novel,zadie', ['emile', 'zadie']],
  ['z', []],
  ['', []],
  ['  ', []],
  ['argon2', []],
  ['nothing like this', []],
])('the search %j finds %j', async (q, expected) => {
  expect((await find(q)).toSorted()).toEqual(expected)
})

test('an account is found by its id, too, and first', async () => {
  const id = ids.get('zadie')!
  expect(await find(id)).toEqual(['zadie'])
  expect(await find(`novel ${id}`)).toEqual(['zadie', 'emile'])
})

test('the best match comes first', async () => {
  expect((await find('Unlisted one'))[0]).toBe('unlisted')
  expect((await find('books zadie'))[0]).toBe('zadie')
})

test('a query of the maximum length is accepted, a longer one is refused', async () => {
  const words = Array.from({ length: 250 }, (_, index) => (index + 100).toString(36).padStart(3, 'q')).join(' ')
  expect(words.length).toBeLessThanOrEqual(1000)
  expect((await admin.call('GET', `search?q=${encodeURIComponent(words)}`)).statusCode).toBe(200)
  expect((await admin.call('POST', 'search', { search: words })).statusCode).toBe(200)
  expect(await details(admin.call('GET', `search?q=${'x'.repeat(1001)}`))).toEqual([400, 'error.validation', 'q'])
})

test('both engines find the same, in any spelling', async () => {
  for (const q of ['\u0001\u0002', '\u{1f98a}\u{1f98a}', "' or '1'='1", '\\\\', '%25', 'İi', 'ﬁ', '\ufeff\ufeff'])
    expect([q, (await admin.call('GET', `search?q=${encodeURIComponent(q)}`)).statusCode]).toEqual([q, 200])
})

// ---- queries

test('an empty query returns all accounts in list order', async () => {
  expect(await query({})).toEqual(order)
  expect(await namesIn(admin.call('POST', 'search'))).toEqual(order)
})

test.each([
  [{ filterBy: [{ field: 'email', value: 'zadie@books.example' }] }, ['zadie']],
  [
    {
      filterBy: [
        { field: 'email', operator: '$=', value: '@books.example' },
        { field: 'role', value: 'editor' },
      ],
    },
    ['kästner', 'emile', 'zadie'],
  ],
  [{ filter: [{ field: 'level', operator: '>', value: 2 }] }, ['emile', 'zadie']],
  [{ filterBy: [{ field: 'level', operator: 'between', value: [2, 9] }] }, ['kästner', 'emile']],
  [{ filterBy: [{ field: 'tags', operator: '*=', value: 'PARIS' }] }, ['emile']],
  [{ filterBy: [{ field: 'role', value: 'editor' }], sortBy: 'level desc' }, ['zoëlle', 'zadie', 'emile', 'kästner']],
  [{ sortBy: 'email', limit: 3 }, ['boss', 'emile', 'gone']],
  [{ offset: 7 }, ['zadie', 'zoëlle']],
  [{ limit: 1, search: 'white teeth' }, ['zadie']],
  [{ search: 'white teeth germ', paginate: 1 }, ['zadie']],
  [{ search: { query: 'books', options: { fields: ['bio'] } } }, []],
  [{ search: { query: 'zadie', options: { fields: ['name'] } } }, ['zadie']],
  [{ paginate: { limit: 2, page: 2 } }, ['emile', 'secret']],
])('the query %j finds %j', async (body, expected) => {
  expect(await query(body)).toEqual(expected)
})

test('not excludes by id, before the limit', async () => {
  expect(await query({ not: admin.id, limit: 1 })).toEqual(['kästner'])
  expect(await query({ not: [admin.id, ids.get('kästner')!], limit: 1 })).toEqual(['emile'])
})

test('paging of a query comes from its body or its URL', async () => {
  const { pagination } = (await admin.call('POST', 'search?limit=2&page=2', {})).json<Listed>()
  expect(pagination).toEqual({ page: 2, total: 9, offset: 2, limit: 2 })
  const inBody = (await admin.call('POST', 'search?limit=2', { paginate: { page: 3 } })).json<Listed>()
  expect(inBody.pagination).toEqual({ page: 3, total: 9, offset: 4, limit: 2 })
  expect(refusal(await admin.call('POST', 'search', { paginate: { limit: 9, page: 2 } })).key).toBe('error.errorPage')
})

const columns = ['password_hash', 'passwordHash', 'password', 'auth_epoch', 'totp_secret', 'totp_last_step', 'must_change_password', 'status', 'email_key', 'sort_key', 'created_at', 'bcrypt_cost', 'content', 'constructor', '__proto__x'] // prettier-ignore

test.each(columns)('18.2.3: %s can neither be filtered nor sorted by', async field => {
  for (const body of [{ filterBy: [{ field, operator: '*=', value: '$argon2' }] }, { sortBy: field }])
    expect((await details(admin.call('POST', 'search', body))).slice(0, 2)).toEqual([400, 'error.validation'])
})

test.each([
  [{ filterBy: [{ field: 'id', operator: '*', value: '(a+)+$' }] }, 'operator'],
  [{ filterBy: [{ field: 'id', operator: 'unheard' }] }, 'operator'],
  [{ filterBy: [{ operator: '==' }] }, 'filterBy.0.field'],
  [{ filterBy: { field: 'id' } }, 'filterBy'],
  [{ filterBy: 'id' }, 'filterBy'],
  [{ filterBy: [{ field: 'id', value: { a: 1 } }] }, 'filterBy.0.value'],
  [{ limit: -1 }, 'limit'],
  [{ limit: 'five' }, 'limit'],
  [{ offset: 1.5 }, 'offset'],
  [{ paginate: 0 }, 'paginate'],
  [{ paginate: 1001 }, 'paginate'],
  [{ paginate: { limit: 5000 } }, 'paginate.limit'],
  [{ sortBy: 7 }, 'sortBy'],
  [{ not: [7] }, 'not'],
  [{ search: 7 }, 'search'],
])('the query %j is refused because of %s', async (body, field) => {
  const [status, key, ...fields] = await details(admin.call('POST', 'search', body))
  expect([status, key]).toEqual([400, 'error.validation'])
  expect(fields[0]).toBe(field)
})

test('number and length of filters are limited', async () => {
  const one = { field: 'email', operator: '!*=', value: 'é'.repeat(201) }
  expect(await details(admin.call('POST', 'search', { filterBy: [one] }))).toEqual([
    400,
    'error.validation',
    'filterBy.0.value',
  ])
  const many = Array.from({ length: 21 }, () => ({ ...one, value: 'x' }))
  expect(await details(admin.call('POST', 'search', { filterBy: many }))).toEqual([400, 'error.validation', 'filterBy'])
})

// ---- many accounts

test('sorting in the store and in memory agree, and large lists are found like small ones', async () => {
  const otherSite = await createTestApp()
  const otherAdmin = await createSignedInUser(otherSite, { email: 'boss@office.example' })
  const insert = (rows: [id: string, name: string, email: string, role: string, language: string][]) =>
    otherSite.app.store.db
      .insertInto('users')
      .values(
        rows.map(([id, name, email, role, language]) => ({
          id, name, email, email_key: email.toLowerCase(), sort_key: sortKey(name, email), role, language,
          status: 'active', created_at: 0, modified_at: 0,
        })), // prettier-ignore
      )
      .execute()
  const all = async (body: object) => {
    const pages = await Promise.all(
      [1, 2].map(number => otherAdmin.call('POST', `search?select=id&limit=1000&page=${number}`, body)),
    )
    expect(pages.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    return pages.flatMap(answer => answer.json<Listed>().data.map(({ id }) => id))
  }
  const orders = ['', 'name', 'name desc', 'username desc', 'email', 'email desc', 'id', 'id desc', 'role', 'role desc name', 'language desc, email', 'role language id desc'] // prettier-ignore
  const bothAgree = async (total: number) => {
    for (const sortBy of orders) {
      const sorted = await all({ sortBy })
      expect([sortBy, new Set(sorted).size]).toEqual([sortBy, total])
      expect([sortBy, sorted]).toEqual([sortBy, await all({ sortBy, not: 'nobody' })])
    }
  }
  for (let start = 0; start < 1200; start += 300)
    await insert(
      Array.from({ length: 300 }, (_, at) => {
        const number = start + at
        const name = number % 3 === 0 ? '' : `${number % 2 === 0 ? 'Person' : 'Émile'} ${number % 50}`
        return [`u${number}`, name, `P${(number * 7919) % 1200}@Example.org`, number % 2 === 0 ? 'editor' : 'Author', number % 5 === 0 ? 'de' : 'en'] // prettier-ignore
      }),
    )
  if (isSlow) await bothAgree(1201)
  await insert([
    ['12', '42', 'é@example.org', '7', 'en'],
    ['9', '9', 'e1@example.org', '10', 'en'],
    ['U5', '-1.5', 'f@example.org', 'editor', 'en'],
    ['ü', '--', 'g@example.org', 'éditor', 'en'],
  ])
  await bothAgree(1205)
  const found = (await otherAdmin.call('GET', 'search?q=example')).json<Listed>()
  expect(found.pagination.total).toBe(1205)
  expect(found.data.slice(0, 4).map(({ id }) => id)).toEqual(['9', '12', 'ü', 'u0'])
  const one = (await otherAdmin.call('GET', 'search?q=p1134@')).json<Listed>()
  expect(one.data).toHaveLength(1)
  const cut = (await otherAdmin.call('POST', 'search', { offset: 1100, limit: 10 })).json<Listed>()
  expect(cut.data.map(({ id }) => id)).toEqual((await all({})).slice(1100, 1110))
})

test('a list shows the same values as the account itself', async () => {
  for (const who of [admin, await createSignedInUser(site, { role: 'editor' })]) {
    const { data } = (await who.call('GET', '?view=default&limit=1000')).json<Listed>()
    expect(data.length).toBeGreaterThan(5)
    for (const shown of data)
      expect(shown).toEqual((await who.call('GET', `${shown.id}?view=default`)).json<{ data: object }>().data)
  }
})

// ---- visible accounts

/** Every response that could reveal an account. */
async function visibilityOf(who: SignedInUser, id: string, name: string) {
  const listed = (await who.call('GET', '')).body
  const found = (await who.call('GET', `search?q=${encodeURIComponent(name)}`)).body
  const queried = (await who.call('POST', 'search', { filterBy: [{ field: 'id', value: id }] })).body
  const lists = [listed, found, queried].map(body => body.includes(id))
  const { data } = (await who.call('GET', '?select=next,prev,id&limit=1000')).json<{ data: object[] }>()
  const around = JSON.stringify(data).includes(id)
  return { list: new Set(lists).size === 1 ? lists[0] : lists, around, get: (await who.call('GET', id)).statusCode }
}

const visible = { list: true, around: true, get: 200 }
const unseen = { list: false, around: false, get: 404 }

test('without access to accounts a caller sees the own one, and those whose blueprint allows it', async () => {
  const user = await createSignedInUser(site, { role: 'without-users' })
  const expected = [ids.get('watched')!, user.id].toSorted()
  const { data, pagination } = (await user.call('GET', '')).json<Listed>()
  expect(data.map(({ id }) => id).toSorted()).toEqual(expected)
  expect(pagination.total).toBe(2)
  expect(await visibilityOf(user, ids.get('emile')!, 'emile')).toEqual(unseen)
  expect(await visibilityOf(user, admin.id, 'boss')).toEqual(unseen)
  expect(await visibilityOf(user, ids.get('gone')!, 'gone')).toEqual(unseen)
  expect(await visibilityOf(user, ids.get('watched')!, 'watched')).toEqual(visible)
  expect(await visibilityOf(user, user.id, user.email)).toMatchObject({ list: true, get: 200 })
  for (const [method, path, body] of [
    ['PATCH', '/name', { name: 'x' }],
    ['PATCH', '', {}],
    ['DELETE', '', undefined],
    ['PATCH', '/role', { role: 'without-users' }],
    ['GET', '/roles', undefined],
    ['GET', '/sessions', undefined],
    ['GET', '/events', undefined],
  ] as const)
    expect([path, refusal(await user.call(method, ids.get('emile')! + path, body))]).toMatchObject([
      path,
      { status: 404, key: 'error.user.notFound' },
    ])
})

test('18.2.8: invisible accounts are revealed neither by counts nor by addresses', async () => {
  const fresh = await createTestStorage()
  describeRole(fresh, 'without-users', 'permissions: { access: { users: false } }')
  const otherSite = await createTestApp({ storage: fresh })
  const [one] = [
    await createSignedInUser(otherSite, { role: 'without-users' }),
    await addUser(otherSite),
    await addUser(otherSite, { role: 'without-users' }),
  ]
  const { data, pagination } = (await one.call('GET', '')).json<Listed>()
  expect([data.map(({ id }) => id), pagination.total]).toEqual([[one.id], 1])
  expect((await one.call('GET', 'search?q=example')).json<Listed>().pagination.total).toBe(1)
  expect((await one.call('POST', 'search', {})).json<Listed>().pagination.total).toBe(1)
  const { next, prev } = (await one.call('GET', 'account')).json<{ data: { next: unknown; prev: unknown } }>().data
  expect([next, prev]).toEqual([null, null])
})

test('accounts denied by a blueprint are not found, and unlisted ones only by their names', async () => {
  const user = await createSignedInUser(site, { role: 'editor' })
  expect(await visibilityOf(user, ids.get('secret')!, 'secret germinal')).toEqual(unseen)
  expect(await visibilityOf(user, ids.get('unlisted')!, 'unlisted germinal')).toEqual({ ...unseen, get: 200 })
  expect(await visibilityOf(admin, ids.get('secret')!, 'secret germinal')).toEqual(visible)
  expect(await visibilityOf(admin, ids.get('unlisted')!, 'unlisted germinal')).toEqual(visible)
  expect(await find('germinal', user)).toEqual(['emile'])
  const total = (await admin.call('GET', '')).json<Listed>().pagination.total
  expect((await user.call('GET', '')).json<Listed>().pagination.total).toBe(total - 2)
  expect(await visibilityOf(user, ids.get('gone')!, 'vanished')).toEqual(visible)
})

test('an unlisted account is listed for its owner', async () => {
  const [one, two] = [
    await createSignedInUser(site, { role: 'unlisted' }),
    await createSignedInUser(site, { role: 'unlisted' }),
  ]
  expect(await visibilityOf(one, one.id, one.email)).toMatchObject({ list: true, get: 200 })
  expect(await visibilityOf(one, two.id, two.email)).toEqual({ ...unseen, get: 200 })
  const { data, pagination } = (await one.call('GET', '')).json<Listed>()
  expect(pagination.total).toBe(data.length)
})

test('an account that is denied to all is denied to its owner, too', async () => {
  const user = await createSignedInUser(site, { role: 'not-accessible' })
  expect(refusal(await user.call('GET', 'account'))).toMatchObject({ status: 404, key: 'error.user.notFound' })
  const { data, pagination } = (await user.call('GET', '')).json<Listed>()
  expect(data.map(({ id }) => id)).not.toContain(user.id)
  expect(pagination.total).toBe(data.length)
})

test('a token sees what its scopes and its owner allow', async () => {
  const total = async (scopes: string[]) => {
    const { token } = await addToken(site.app, { userId: admin.id, name: 'x', scopes })
    const answer = await site.browser().send({ url: '/api/users', headers: { authorization: `Bearer ${token}` } })
    return answer.json<Listed>().pagination.total
  }
  const all = (await admin.call('GET', '')).json<Listed>().pagination.total
  expect(await total(['*'])).toBe(all)
  expect(await total(['access.users'])).toBe(all)
  expect(await total(['access.account'])).toBe(1)
  expect(await total(['pages.*'])).toBe(0)
})
