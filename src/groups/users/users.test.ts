import { expect, test } from 'vitest'
import { addUser, createTestStorage, createTestApp, password, type TestUser } from '../../../test/harness.ts'
import { describeRole, type SignedInUser, createSignedInUser, signIn, statusOf } from '../../../test/signed-in-user.ts'
import { eventsOf, newIp, postLogin, refusal, userRow } from '../../../test/sign-in.ts'
import { operatorContext } from '../../cli/site.ts'
import { isFirstEngine } from '../../../test/slow.ts'

const storage = await createTestStorage()
describeRole(
  storage,
  'editor',
  `title: { en: Editor, de: Redaktion }
description: { en: Writes, de: Schreibt }
permissions: { users: { changeRole: false, create: false } }
fields:
  Bio: { type: textarea }
  level: { type: number, min: 1, max: 10, label: { en: Level, de: Stufe } }
  tags: { type: tags }
  gone: { type: nonsense }
  joined: { type: text, default: today or later }
`,
)
describeRole(storage, 'strict', 'fields: { code: { type: text, required: true, pattern: "^[a-z]{3}$" } }')
describeRole(storage, 'guest', 'permissions: { access: { panel: false } }')
describeRole(storage, 'hidden', 'options: { access: { "*": false, admin: true } }')
describeRole(
  storage,
  'locked',
  'options: { changeName: false, update: { editor: true, "*": false }, delete: { admin: false } }',
)

const site = await createTestApp({ storage })
const admin = await createSignedInUser(site, { email: 'ada@example.org' })

interface Shown extends Record<string, unknown> {
  id: string
  content: Record<string, unknown>
  options: Record<string, boolean>
  role: { name: string; title: string }
  next: { id: string } | null
  prev: { id: string } | null
}

/** The model of a successful response. */
async function shown(answer: ReturnType<SignedInUser['call']>): Promise<Shown> {
  const { statusCode, body } = await answer
  expect([statusCode, body]).toEqual([200, body])
  return (JSON.parse(body) as { data: Shown }).data
}

async function refused(answer: ReturnType<SignedInUser['call']>) {
  const { status, key, details } = refusal(await answer)
  return { status, key, ...(Object.keys(details).length > 0 && { details }) }
}

const add = (options: TestUser = {}) => addUser(site, { role: 'editor', ...options })
const read = (id: string, query = '') => shown(admin.call('GET', id + query))
let count = 0
const newEmail = () => `new${++count}@example.org`
const create = (body: object) =>
  admin.call('POST', '', { email: newEmail(), password: 'a very long passphrase', ...body })

// ---- a life

test('an account is created, read, listed, found, changed and deleted', async () => {
  const browser = site.browser()
  await browser.client.auth.login({ email: admin.email, password })
  const { users } = browser.client
  const created = await users.create({
    email: 'Ben@Example.org ',
    password: 'a very long passphrase',
    name: 'Ben <b>Reed</b>',
    role: 'admin',
    content: { Motto: 'Looks after the clocks' },
  })
  expect(created).toMatchObject({
    email: 'ben@example.org',
    name: 'Ben Reed',
    role: { name: 'admin' },
    username: 'Ben Reed',
    content: { motto: 'Looks after the clocks' },
  })
  const id = created.id
  expect(await users.get({ id: 'ben@example.org', select: 'id' })).toEqual({ id })
  expect((await users.list()).data.map(user => user.username)).toContain('Ben Reed')
  expect((await users.search({ q: 'reed' })).data.map(user => user.id)).toEqual([id])
  expect((await users.search({ q: 'clocks' })).data.map(user => user.id)).toEqual([id])
  expect((await users.query({}, { filterBy: [{ field: 'name', value: 'Ben Reed' }] })).data).toHaveLength(1)
  expect((await users.changeName({ id }, { name: 'Benny' })).name).toBe('Benny')
  expect((await users.update({ id }, { motto: '' })).content).toEqual({ motto: '' })
  expect((await users.changeLanguage({ id }, { language: 'de' })).language).toBe('de')
  await users.delete({ id })
  await expect(users.get({ id })).rejects.toMatchObject({ status: 404, key: 'error.user.notFound' })
})

test('an empty name differs from no name', async () => {
  const browser = site.browser()
  await browser.client.auth.login({ email: admin.email, password })
  const { users } = browser.client
  const none = await users.create({ email: 'none@example.org', password: 'a very long passphrase' })
  const blank = await users.create({
    email: 'blank@example.org',
    password: 'a very long passphrase',
    name: ' ',
    role: 'admin',
  })
  expect([none.name, none.username, blank.name, blank.username]).toEqual([
    null,
    'none@example.org',
    '',
    'blank@example.org',
  ])
  expect((await users.list({ select: ['name'] })).data).toEqual(expect.arrayContaining([{ name: null }, { name: '' }]))
  expect((await users.changeName({ id: none.id }, { name: '' })).name).toBe('')
  expect((await users.changeName({ id: none.id }, { name: 'Nora' })).name).toBe('Nora')
  const own = site.browser()
  await own.client.auth.login({ email: 'blank@example.org', password: 'a very long passphrase' })
  expect((await own.client.auth.get()).data.name).toBe('')
  for (const { id } of [none, blank]) await users.delete({ id: id })
})

// ---- views and selections

const views = {
  default: 'avatar content email id language name next options prev role username uuid',
  compact: 'avatar email id language name role username uuid',
  auth: 'avatar email id language name permissions role',
  panel: 'avatar blueprint content email id language name next options prev role username uuid',
  any: 'avatar blueprint content email files id language name next options panelImage permissions prev role roles username uuid',
}

test.runIf(isFirstEngine).each(Object.entries(views))('the view %s has its fields, sorted', async (view, fields) => {
  const { id } = await add()
  const user = await read(id, `?view=${view}`)
  expect(Object.keys(user).join(' ')).toBe(fields)
})

test.runIf(isFirstEngine)(
  'by default one account is shown in the default view, and a list in the compact one',
  async () => {
    const { id } = await add()
    expect(Object.keys(await read(id)).join(' ')).toBe(views.default)
    expect(Object.keys(await read(id, '?view=unheard')).join(' ')).toBe(views.default)
    const list = (await admin.call('GET', '?limit=1')).json<{ data: object[] }>()
    expect(Object.keys(list.data[0]!).join(' ')).toBe(views.compact)
  },
)

test.runIf(isFirstEngine)('the fields of an account have the documented values', async () => {
  const { id, email } = await add()
  expect(await read(id, '?view=compact')).toEqual({
    avatar: null,
    email,
    id,
    language: 'en',
    name: null,
    role: { description: 'Writes', name: 'editor', title: 'Editor' },
    username: email,
    uuid: `user://${id}`,
  })
  const { blueprint, permissions, roles } = await read(id, '?view=any')
  const { status } = await read(id, '?select=status')
  expect(blueprint).toMatchObject({ name: 'users/editor', title: 'Editor', tabs: [{ name: 'main' }] })
  expect(permissions).toMatchObject({ users: { changeRole: false, delete: true }, access: { panel: true } })
  expect(status).toBe('active')
  expect((roles as { name: string }[]).map(({ name }) => name)).toEqual([
    'admin',
    'editor',
    'guest',
    'hidden',
    'locked',
    'strict',
  ])
})

test.each([
  ['?select=id,email', ['email', 'id']],
  ['?select= email , id ', ['email', 'id']],
  ['?select[]=id&select[]=name', ['id', 'name']],
  ['?select=', views.default.split(' ')],
  ['?view=compact&select=id', views.compact.split(' ')],
])('the selection %s shows %j', async (query, fields) => {
  const { id } = await add()
  expect(Object.keys(await read(id, query.replaceAll(' ', '%20')))).toEqual(fields)
})

test.runIf(isFirstEngine).each(['id,unheard', 'password', 'password_hash', 'sort_key', '__proto__', 'constructor'])(
  'the selection %s is refused',
  async select => {
    const { id } = await add()
    expect((await admin.call('GET', `${id}?select=${select}`)).statusCode).toBe(400)
  },
)

test('a related model is shown as selected', async () => {
  const { id } = await add()
  await add()
  expect(Object.keys((await read(id, '?select=role')).role)).toEqual(['description', 'name', 'permissions', 'title'])
  expect(Object.keys((await read(id, '?select[role]=compact')).role)).toEqual(['description', 'name', 'title'])
  expect(await read(id, '?select[role][]=name')).toEqual({ role: { name: 'editor' } })
  const { prev } = await read(id, '?select[prev][]=id&select[prev][]=name')
  expect(Object.keys(prev!)).toEqual(['id', 'name'])
  expect(Object.keys((await read(id, '?view=panel')).prev!)).toEqual(['id', 'name'])
  expect((await refused(admin.call('GET', `${id}?select[role]=any`))).key).toBe('error.validation')
})

test('neighbours are the previous and next accounts by id, and null at the ends', async () => {
  const otherSite = await createTestApp()
  const ids = ['aaaa', 'bbbb', 'cccc']
  const boss = await createSignedInUser(otherSite)
  for (const id of ids)
    await boss.call('POST', '', { email: `${id}@example.org`, password: 'a very long passphrase', id })
  const all = [...ids, boss.id].toSorted()
  for (const [index, id] of all.entries()) {
    const { next, prev } = await shown(boss.call('GET', id))
    expect([prev?.id, id, next?.id]).toEqual([all[index - 1], id, all[index + 1]])
  }
})

// ---- ids and e-mail addresses

test('an account is found by its id, by its address in any spelling, and by "account" if it is the own one', async () => {
  const { id } = await add({ email: 'kim@straße.example' })
  await site.app.store.db
    .updateTable('users')
    .set({ email_key: 'kim@xn--strae-oqa.example' })
    .where('id', '=', id)
    .execute()
  for (const name of [
    id,
    'kim@straße.example',
    'KIM@STRASSE.example'.replace('SS', 'ß'),
    'ｋｉｍ@xn--strae-oqa.example',
    ' kim@straße.example',
  ]) {
    expect((await read(encodeURIComponent(name))).id).toBe(id)
  }
  expect((await read('account')).id).toBe(admin.id)
  for (const path of ['/api/account', '/api/account?select=id', '/api/users/account']) {
    expect((await admin.browser.send({ url: path })).json<{ data: Shown }>().data.id).toBe(admin.id)
  }
})

test.runIf(isFirstEngine)('everything below the own account is also found under its short path', async () => {
  const user = await createSignedInUser(site, { role: 'editor' })
  const csrf = (await user.browser.send({ url: '/api/auth' })).json<{ csrf: string }>().csrf
  const answer = await user.browser.send({
    method: 'PATCH',
    url: '/api/account/name',
    headers: { 'content-type': 'application/json', 'x-csrf': csrf, 'sec-fetch-site': 'same-origin' },
    payload: JSON.stringify({ name: 'Own' }),
  })
  expect(answer.json<{ data: Shown }>().data['name']).toBe('Own')
  expect((await user.browser.send({ url: '/api/account/roles' })).statusCode).toBe(200)
  expect((await user.browser.send({ url: '/api/accounts' })).statusCode).toBe(404)
})

test
  .runIf(isFirstEngine)
  .each(['nobody', 'ACCOUNT', 'x@y.example', '%F0%9F%A6%8A', "'%20or%201=1", '..%2Fx', '*', 'null', 'x'.repeat(500)])(
  'the account %s is not found',
  async name => {
    const { status, key } = refusal(await admin.call('GET', name))
    expect([status, key]).toEqual([404, expect.stringMatching(/^error\.(user\.)?notFound$/)])
  },
)

test.runIf(isFirstEngine)('an id with a NUL is not found', async () => {
  for (const name of ['%00', 'a%00b', `${admin.id}%00`])
    expect([name, (await refused(admin.call('GET', name))).key]).toEqual([name, 'error.notFound'])
  for (const name of ['search?q=%00ab', '?view=%00'])
    expect([name, (await refused(admin.call('GET', name))).key]).toEqual([name, 'error.request.malformed'])
})

// ---- creating accounts

test('an account is created with all given properties', async () => {
  const created = await shown(
    create({
      email: ' Zoë@Example.ORG',
      name: ' Zoë ',
      role: 'editor',
      language: 'fr',
      id: 'Zoe_1-x',
      content: { BIO: ' long ', level: 3, tags: ['a', 'b'], further: { a: [1] } },
    }),
  )
  expect(created).toMatchObject({
    id: 'Zoe_1-x',
    email: 'zoë@example.org',
    name: 'Zoë',
    role: { name: 'editor' },
    language: 'fr',
    content: { level: 3, tags: ['a', 'b'], joined: 'today or later' },
  })
  expect((await read(created.id)).content).toEqual(created.content)
  expect(
    (await postLogin(site.browser({ ip: newIp() }), { email: 'zoë@example.org', password: 'a very long passphrase' }))
      .statusCode,
  ).toBe(200)
  const event = (await eventsOf(site, 'user.created')).find(({ subject_id }) => subject_id === created.id)
  expect(event).toMatchObject({ actor_id: admin.id, detail: '{"role":"editor","revision":1}' })
})

test.each([
  ['nobody', undefined],
  ['nobody', 'vanished'],
  ['nobody', 'nobody'],
  ['nobody', 'default'],
  ['nobody', '__proto__x'],
  ['editor', 'editor'],
])('the role of a new account is %s if %s was sent', async (role, sentRole) => {
  const created = await shown(create({ role: sentRole }))
  expect(created.role.name).toBe(role)
  expect((await userRow(site, created.id)).role).toBe(role)
})

test('an account without a role can sign in, but has no access', async () => {
  const { email } = (await shown(create({}))) as unknown as { email: string }
  const { browser, call } = await signIn(site, email, { password: 'a very long passphrase' })
  expect(refusal(await browser.send({ url: '/api/auth' }))).toMatchObject({ status: 401, key: 'error.access.panel' })
  expect(await refused(call('GET', 'account'))).toEqual({ status: 401, key: 'error.access.panel' })
})

test('without a password the account is invited, and cannot sign in before it accepts', async () => {
  const { id, email, status } = (await shown(create({ password: undefined, role: 'editor' }))) as unknown as {
    id: string
    email: string
    status: string
  }
  expect(status).toBeUndefined()
  expect((await read(id, '?select=status'))['status']).toBe('invited')
  expect(await userRow(site, id)).toMatchObject({ password_hash: null, password_set_at: null })
  for (const wrongPassword of ['', ' ', 'null', 'undefined', password]) {
    const answer = await postLogin(site.browser({ ip: newIp() }), { email, password: wrongPassword })
    expect([400, 401]).toContain(answer.statusCode)
  }
  const challenges = await site.app.store.db.selectFrom('challenges').selectAll().where('user_id', '=', id).execute()
  expect(challenges.map(({ kind }) => kind)).toEqual(['invite'])
})

test
  .runIf(isFirstEngine)
  .each([
    '',
    ' ',
    'x',
    'x@',
    '@x.example',
    'a@b@c.example',
    'a b@x.example',
    'a@x.example\nBcc: y@x.example',
    'a@1.2.3.4',
    'a@x..example',
    `${'x'.repeat(300)}@x.example`,
    'a\u0000@x.example',
    'a\u202e@x.example',
  ])('C07–C09: %j is not an address of an account', async email => {
  const { status, key } = refusal(await create({ email }))
  expect([status, key]).toEqual([400, email === '' ? 'error.validation' : 'error.user.email.invalid'])
})

test.each([
  ['zoe@twins.example', 'ZOE@TWINS.EXAMPLE'],
  ['zoë@twins.example', 'zoe\u0308@twins.example'],
  ['kelvin@twins.example', '\u212aelvin@twins.example'],
  ['wide@twins.example', 'ｗｉｄｅ@twins.example'],
  ['fish@twins.example', 'ﬁsh@twins.example'],
  ['strasse@twins.example', 'straße@twins.example'],
  ['sun@twins.example', 'ſun@twins.example'],
  ['a@bücher.example', 'a@xn--bcher-kva.example'],
  ['b@bücher.example', 'b@BÜCHER.example.'],
])('C03: after %s, %s cannot be created', async (first, twin) => {
  await shown(create({ email: first }))
  expect(await refused(create({ email: twin }))).toMatchObject({ status: 400, key: 'error.user.duplicate' })
  expect(await refused(create({ email: ` ${first} ` }))).toMatchObject({ key: 'error.user.duplicate' })
})

test('C10: addresses that only a provider treats as equal are different', async () => {
  await shown(create({ email: 'tag@mail.example' }))
  await shown(create({ email: 'tag+more@mail.example' }))
  await shown(create({ email: 't.ag@mail.example' }))
})

test
  .runIf(isFirstEngine)
  .each([
    'account',
    'ACCOUNT',
    'kirby',
    'nobody',
    'Nobody',
    'search',
    'abc',
    'x'.repeat(41),
    'a b c d',
    'a/b/c',
    'é'.repeat(5),
    '../../x',
    'abcd\n',
    'a@b.example',
  ])('18.2.15: %j cannot be the id of an account', async id => {
  expect(await refused(create({ id }))).toMatchObject({ status: 400, key: 'error.invalidArgument' })
})

test('an id is used once', async () => {
  await shown(create({ id: 'once' }))
  expect(await refused(create({ id: 'once' }))).toEqual({ status: 400, key: 'error.duplicate' })
})

test.each([
  ['too short', 'short'],
  ['common', 'passwordpassword'],
])('a password that is %s is refused with the reasons', async (_, weakPassword) => {
  const { status, key, details } = refusal(await create({ password: weakPassword }))
  expect([status, key]).toEqual([400, 'error.user.password.invalid'])
  expect(details).toMatchObject({ password: { label: 'password' } })
})

test('a language must be one of the interface', async () => {
  for (const language of ['xx', 'EN', 'klingon']) {
    expect(await refused(create({ language }))).toEqual({ status: 400, key: 'error.user.language.invalid' })
    expect(await refused(admin.call('PATCH', 'account/language', { language }))).toEqual({
      status: 400,
      key: 'error.user.language.invalid',
    })
  }
})

test('a refused request leaves nothing behind', async () => {
  const before = await site.app.store.db.selectFrom('users').select('id').execute()
  const email = newEmail()
  await refused(create({ email, password: 'short' }))
  await refused(create({ email, language: 'xx' }))
  await refused(create({ email, role: 'editor', content: { tags: 7 } }))
  await refused(create({ email, id: 'x' }))
  expect(await site.app.store.db.selectFrom('users').select('id').execute()).toEqual(before)
  await shown(create({ email }))
})

// ---- names

test.each([
  ['<b>Ada</b> <i>L.</i>', 'Ada L.'],
  ['<script>alert(1)</script>', 'alert(1)'],
  ['a < b', 'a < b'],
  ['  spaces  ', 'spaces'],
  ['line\nbreak\u0000nul', 'line break nul'],
  ['<only><tags>', ''],
  ['', ''],
  ["Seán O'Brien & Söhne 🦊", "Seán O'Brien & Söhne 🦊"],
])('18.1.7: the name %j is stored and shown as %j', async (name, plain) => {
  const { id } = await add()
  const changed = await shown(admin.call('PATCH', `${id}/name`, { name }))
  expect(changed['name']).toBe(plain)
  expect((await read(id))['name']).toBe(plain)
  expect((await shown(create({ name })))['name']).toBe(plain)
})

// ---- content

test('only sent values change, and the response equals the next read', async () => {
  const { id } = await add()
  const first = await shown(admin.call('PATCH', id, { Bio: '  Hello  ', level: 2, own: ['x', { y: 1 }] }))
  expect(first.content).toMatchObject({ level: 2 })
  expect((await read(id)).content).toEqual(first.content)
  const second = await shown(admin.call('PATCH', id, { level: 3, bio: null }))
  expect(second.content).toEqual({ ...first.content, level: 3 })
  const third = await shown(admin.call('PATCH', id, { bio: '' }))
  expect(third.content).toEqual({ ...second.content, bio: '' })
  expect((await read(id)).content).toEqual(third.content)
})

test('18.1.3: a value of another type is refused, by the name and label of its field, and nothing is lost', async () => {
  const { id } = await add()
  const { content } = await shown(admin.call('PATCH', id, { bio: 'kept', level: 5, tags: ['a'] }))
  for (const [name, value] of Object.entries({ bio: ['x'], level: { a: 1 }, tags: { b: 2 }, Level: true })) {
    const { status, key, details } = refusal(
      await admin.call('PATCH', id, { other: 'not stored either', [name]: value }),
    )
    expect([name, status, key, Object.keys(details)]).toEqual([
      name,
      400,
      'error.invalidArgument',
      [name.toLowerCase()],
    ])
  }
  expect((await read(id)).content).toEqual(content)
})

test.runIf(isFirstEngine)('errors are in the language of the caller', async () => {
  const german = await createSignedInUser(site)
  await shown(german.call('PATCH', 'account/language', { language: 'de' }))
  const { id } = await add()
  const { details } = refusal(await german.call('PATCH', id, { level: 11 }))
  expect(details).toMatchObject({
    level: { label: 'Stufe', message: { max: expect.stringContaining('10') as string } },
  })
  expect(refusal(await admin.call('PATCH', id, { level: 0 })).details).toMatchObject({
    level: { label: 'Level', message: { min: expect.any(String) as string } },
  })
})

test('all fields are checked on a change, and none on creation', async () => {
  const { id } = await shown(create({ role: 'strict' }))
  const { status, details } = refusal(await admin.call('PATCH', id, { further: 'x' }))
  expect([status, details]).toMatchObject([400, { code: { message: { required: expect.any(String) as string } } }])
  expect(refusal(await admin.call('PATCH', id, { code: '123' })).details).toMatchObject({
    code: { message: { pattern: expect.any(String) as string } },
  })
  expect((await shown(admin.call('PATCH', id, { code: 'abc' }))).content).toEqual({ code: 'abc' })
})

test('18.1.4: the stored value of a field with an invalid definition stays', async () => {
  const { id } = await add()
  await site.app.store.db
    .insertInto('contents')
    .values({ owner: `user://${id}`, language: '', data: '{"gone":"still here","old":"too"}', modified_at: 0 })
    .execute()
  await shown(admin.call('PATCH', id, { bio: 'x', gone: 'overwritten' }))
  expect((await read(id)).content).toMatchObject({ bio: 'x', gone: 'still here', old: 'too' })
})

test.runIf(isFirstEngine).each(['email', 'id', 'language', 'name', 'password', 'role', 'uuid', 'Email', 'ROLE'])(
  'N18: 18.2.9: %s is not changed with the content',
  async name => {
    const { id } = await add()
    const before = await userRow(site, id)
    const { status, key, details } = refusal(await admin.call('PATCH', id, { [name]: 'admin', bio: 'x' }))
    expect([status, key, Object.keys(details)]).toEqual([400, 'error.invalidArgument', [name.toLowerCase()]])
    expect(await userRow(site, id)).toEqual(before)
    expect((await read(id)).content['bio']).toBe('')
    expect((await refused(create({ content: { [name]: 'x' } }))).key).toBe('error.invalidArgument')
  },
)

test('N18: columns of an account are not fields: their names are plain content', async () => {
  const { id } = await add()
  const before = await userRow(site, id)
  await shown(
    admin.call('PATCH', id, {
      authEpoch: 99,
      auth_epoch: 99,
      password_hash: 'x',
      status: 'disabled',
      must_change_password: 1,
    }),
  )
  const { revision, modified_at, ...rest } = await userRow(site, id)
  expect(revision).toBe(before.revision + 1)
  expect(modified_at).toBeGreaterThanOrEqual(before.modified_at)
  expect({ ...before }).toMatchObject(rest)
})

test.runIf(isFirstEngine)(
  '18.1.1: a missing or mistyped parameter is named, and no path of the server is revealed',
  async () => {
    const { id } = await add()
    for (const [path, name] of [
      ['name', 'name'],
      ['email', 'email'],
      ['language', 'language'],
      ['role', 'role'],
      ['password', 'password'],
    ] as const) {
      for (const value of [undefined, null, 7, [], {}]) {
        const answer = await admin.call('PATCH', `${id}/${path}`, { [name]: value })
        expect([path, refusal(answer)]).toMatchObject([
          path,
          { status: 400, key: 'error.validation', details: { [name]: { label: name } } },
        ])
        expect(answer.body).not.toMatch(/src\/|node_modules|\.ts\b|at /)
      }
    }
  },
)

test.runIf(isFirstEngine)('18.1.2: invalid JSON is an error and changes nothing', async () => {
  const { id } = await add()
  const { content } = await shown(admin.call('PATCH', id, { bio: 'kept' }))
  const csrf = (await admin.browser.send({ url: '/api/auth' })).json<{ csrf: string }>().csrf
  for (const payload of ['{"bio":', 'bio=x', '{bio:1}', '"x"', '[]', 'null', '7', '{"bio":"x"}}']) {
    const answer = await admin.browser.send({
      method: 'PATCH',
      url: `/api/users/${id}`,
      headers: { 'content-type': 'application/json', 'x-csrf': csrf, 'sec-fetch-site': 'same-origin' },
      payload,
    })
    expect([payload, answer.statusCode]).toEqual([payload, 400])
  }
  expect((await read(id)).content).toEqual(content)
})

// ---- changes

test.runIf(isFirstEngine)('a new language applies to the next message', async () => {
  const user = await createSignedInUser(site, { role: 'editor' })
  await shown(user.call('PATCH', 'account/language', { language: 'de' }))
  const { message } = (await user.call('PATCH', `${admin.id}/role`, { role: 'editor' })).json<{ message: string }>()
  expect(message).not.toMatch(/You do not have permission/)
  expect((await shown(user.call('GET', 'account'))).role.title).toBe('Redaktion')
})

test('L05: a new role applies to the next request of a session, in every process', async () => {
  const second = await createTestApp({ storage })
  const user = await createSignedInUser(site, { role: 'editor' })
  const elsewhere = second.browser({ ip: newIp() })
  for (const [name, value] of user.browser.cookies) elsewhere.cookies.set(name, value)
  const { id } = await add()
  const rights = async () => {
    const there = (await elsewhere.send({ url: `/api/users/${id}` })).json<{ data?: Shown; key?: string }>()
    const here = await user.call('GET', id)
    const auth = (await user.browser.send({ url: '/api/auth' })).json<{ data?: Shown; key?: string }>()
    return [here.statusCode, there.data?.options['changeRole'] ?? there.key, auth.data?.role.name ?? auth.key]
  }
  expect(await rights()).toEqual([200, false, 'editor'])
  await shown(admin.call('PATCH', `${user.id}/role`, { role: 'admin' }))
  expect(await rights()).toEqual([200, true, 'admin'])
  await shown(admin.call('PATCH', `${user.id}/role`, { role: 'guest' }))
  expect(await rights()).toEqual([401, 'error.access.panel', 'error.access.panel'])
  await shown(admin.call('PATCH', `${user.id}/role`, { role: 'strict' }))
  expect(await rights(), 'only editors may change locked accounts').toEqual([200, false, 'strict'])
})

test('a role must exist', async () => {
  const { id } = await add()
  for (const role of ['vanished', 'nobody', 'default', 'Editor', 'toString']) {
    expect(await refused(admin.call('PATCH', `${id}/role`, { role }))).toEqual({
      status: 400,
      key: 'error.user.role.invalid',
    })
  }
  expect((await userRow(site, id)).role).toBe('editor')
})

test('content survives a change of the role and back', async () => {
  const { id } = await add()
  const { content } = await shown(admin.call('PATCH', id, { bio: 'kept', level: 4, tags: ['a', 'b'] }))
  const other = await shown(admin.call('PATCH', `${id}/role`, { role: 'guest' }))
  expect(other.content).toMatchObject({ bio: 'kept', level: '4' })
  expect((await shown(admin.call('PATCH', `${id}/role`, { role: 'editor' }))).content).toEqual(content)
})

test('a disabled account is signed out at once, and can be enabled again', async () => {
  const user = await createSignedInUser(site, { role: 'editor' })
  await shown(admin.call('PATCH', `${user.id}/status`, { status: 'disabled' }))
  expect(await statusOf(user)).toBe(401)
  expect((await postLogin(site.browser({ ip: newIp() }), { email: user.email, password })).statusCode).toBe(401)
  expect((await read(user.id, '?select=status'))['status']).toBe('disabled')
  await shown(admin.call('PATCH', `${user.id}/status`, { status: 'active' }))
  expect(await statusOf(user)).toBe(401) // not by the former session
  expect((await postLogin(site.browser({ ip: newIp() }), { email: user.email, password })).statusCode).toBe(200)
})

test('an invited and disabled account can be invited again', async () => {
  const { id } = await shown(create({ password: undefined }))
  await shown(admin.call('PATCH', `${id}/status`, { status: 'disabled' }))
  await shown(admin.call('PATCH', `${id}/status`, { status: 'active' }))
  expect((await userRow(site, id)).status).toBe('invited')
})

test('O12: everything that belongs to an account is deleted with it, and its events stay', async () => {
  const user = await createSignedInUser(site, { role: 'editor', totp: true })
  await shown(admin.call('PATCH', user.id, { bio: 'x' }))
  const { db } = site.app.store
  await db.insertInto('passkeys').values({ id: `pk${user.id}`, credential: `c${user.id}`, user_id: user.id, name: '', public_key: '', counter: 0, transports: '', syncable: 0, synced: 0, created_at: 0, last_used_at: null }).execute() // prettier-ignore
  expect((await user.call('POST', 'account/tokens', { name: 'x', scopes: ['pages.*'] })).statusCode).toBe(200)
  await postLogin(site.browser({ ip: newIp() }), { email: user.email, password }) // a challenge
  const rows = async () => ({
    sessions: (await db.selectFrom('sessions').select('id').where('user_id', '=', user.id).execute()).length,
    challenges: (await db.selectFrom('challenges').select('kind').where('user_id', '=', user.id).execute()).length,
    recovery: (await db.selectFrom('recovery_codes').select('code_mac').where('user_id', '=', user.id).execute())
      .length,
    devices: (await db.selectFrom('devices').select('device_mac').where('user_id', '=', user.id).execute()).length,
    tokens: (await db.selectFrom('api_tokens').select('id').where('owner_id', '=', user.id).execute()).length,
    passkeys: (await db.selectFrom('passkeys').select('id').where('user_id', '=', user.id).execute()).length,
    contents: (await db.selectFrom('contents').select('owner').where('owner', '=', `user://${user.id}`).execute())
      .length,
  })
  const before = await rows()
  expect(Object.entries(before).filter(([, number]) => number === 0)).toEqual([])
  const counted = async () =>
    (await db.selectFrom('user_counts').select('count').where('role', '=', 'editor').executeTakeFirstOrThrow()).count
  const editors = await counted()
  const events = (await eventsOf(site)).filter(({ subject_id }) => subject_id === user.id)
  expect((await admin.call('DELETE', user.id)).json()).toEqual({ status: 'ok', message: 'ok', code: 200 })
  expect(Object.values(await rows())).toEqual([0, 0, 0, 0, 0, 0, 0])
  expect(await counted()).toBe(editors - 1)
  const after = (await eventsOf(site)).filter(({ subject_id }) => subject_id === user.id)
  expect(after.slice(0, -1)).toEqual(events)
  expect(after.at(-1)).toMatchObject({ event: 'user.deleted', actor_id: admin.id })
  expect(await statusOf(user)).toBe(401)
  expect(await refused(admin.call('DELETE', user.id))).toEqual({ status: 404, key: 'error.user.notFound' })
})

test('deleting the own account signs out', async () => {
  const user = await createSignedInUser(site, { role: 'editor' })
  expect((await user.call('DELETE', 'account')).statusCode).toBe(200)
  expect(await statusOf(user)).toBe(401)
})

// ---- administrators

test('the last administrator can neither be deleted, disabled nor get another role', async () => {
  const otherSite = await createTestApp({ storage: await withEditors() })
  const last = await createSignedInUser(otherSite)
  await addUser(otherSite, { status: 'disabled' })
  await addUser(otherSite, { status: 'invited' })
  const attempts = [
    [last.call('DELETE', 'account'), 'delete'],
    [last.call('PATCH', 'account/status', { status: 'disabled' }), 'disable'],
    [last.call('PATCH', 'account/role', { role: 'editor' }), 'changeRole'],
  ] as const
  for (const [answer, what] of attempts)
    expect(await refused(answer)).toEqual({ status: 400, key: `error.user.${what}.lastAdmin` })
  expect((await shown(last.call('GET', 'account'))).options).toMatchObject({ delete: false, changeRole: false })
  expect((await shown(last.call('PATCH', 'account/role', { role: 'admin' }))).role.name).toBe('admin')
  await addUser(otherSite)
  expect((await shown(last.call('GET', 'account'))).options['delete']).toBe(true)
  expect((await shown(last.call('PATCH', 'account/role', { role: 'editor' }))).role.name).toBe('editor')
})

test('the last account cannot be deleted, even without the role admin', async () => {
  const otherSite = await createTestApp({ storage: await withEditors() })
  const [last, further] = [
    await createSignedInUser(otherSite, { role: 'editor' }),
    await createSignedInUser(otherSite, { role: 'editor' }),
  ]
  expect((await further.call('DELETE', 'account')).statusCode).toBe(200)
  expect(await refused(last.call('DELETE', 'account'))).toEqual({ status: 400, key: 'error.user.delete.lastUser' })
})

async function withEditors() {
  const fresh = await createTestStorage()
  describeRole(fresh, 'editor', 'title: Editor')
  return fresh
}

test('only administrators create, promote, demote and delete administrators', async () => {
  const user = await createSignedInUser(site, { role: 'strict' }) // everything but that
  const [boss, { id }] = [await addUser(site), await add({ role: 'guest' })]
  expect(await refused(user.call('POST', '', { email: newEmail(), role: 'admin' }))).toEqual({
    status: 403,
    key: 'error.user.create.permission',
  })
  expect(await refused(user.call('PATCH', `${id}/role`, { role: 'admin' }))).toEqual({
    status: 403,
    key: 'error.user.changeRole.toAdmin',
  })
  expect(await refused(user.call('PATCH', 'account/role', { role: 'admin' }))).toEqual({
    status: 403,
    key: 'error.user.changeRole.toAdmin',
  })
  expect(await refused(user.call('PATCH', `${boss.id}/role`, { role: 'editor' }))).toEqual({
    status: 403,
    key: 'error.user.changeRole.permission',
  })
  expect(await refused(user.call('DELETE', boss.id))).toEqual({ status: 403, key: 'error.user.delete.permission' })
  expect(await refused(user.call('PATCH', `${boss.id}/status`, { status: 'disabled' }))).toEqual({
    status: 403,
    key: 'error.user.delete.permission',
  })
  for (const path of ['email', 'password']) {
    expect(
      await refused(user.call('PATCH', `${boss.id}/${path}`, { [path]: 'new@taken.example and more' })),
    ).toMatchObject({ status: 403 })
  }
  expect((await shown(user.call('GET', boss.id))).options).toEqual({
    changeEmail: false,
    changeLanguage: false,
    changeName: false,
    changePassword: false,
    changeRole: false,
    create: false,
    delete: false,
    update: false,
  })
  expect((await user.call('GET', `${boss.id}/roles`)).json()).toMatchObject({ data: [{ name: 'admin' }] })
  expect(
    (await user.call('GET', `${id}/roles`)).json<{ data: { name: string }[] }>().data.map(({ name }) => name),
  ).toEqual(['guest', 'hidden', 'locked', 'strict'])
  expect((await shown(user.call('PATCH', `${id}/role`, { role: 'strict' }))).role.name).toBe('strict')
  expect((await shown(user.call('POST', '', { email: newEmail(), role: 'guest' }))).role.name).toBe('guest')
})

test('of two administrators who step down concurrently one stays', async () => {
  const otherSite = await createTestApp({ storage: await withEditors() })
  const [one, two] = [await createSignedInUser(otherSite), await createSignedInUser(otherSite)]
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all([one, two].map(each => each.call('PATCH', 'account/role', { role: 'editor' })))
    expect(answers.map(({ statusCode }) => `${statusCode}`).toSorted()).toEqual(['200', '400'])
    await otherSite.app.store.db.updateTable('users').set({ role: 'admin' }).execute()
  }
})

test('a new administrator counts as the last one, whatever was read before', async () => {
  const otherSite = await createTestApp({ storage: await withEditors() })
  const [last, risen] = [await createSignedInUser(otherSite), await addUser(otherSite, { role: 'editor' })]
  const { findUser, changeRole } = await import('./users.ts')
  const asEditor = await findUser(otherSite.app, risen.id)
  await shown(last.call('PATCH', `${risen.id}/role`, { role: 'admin' }))
  await shown(last.call('PATCH', 'account/role', { role: 'editor' }))
  await expect(changeRole(operatorContext(otherSite.app), asEditor, 'editor')).rejects.toMatchObject({
    key: 'user.changeRole.lastAdmin',
  })
})

// ---- the own and other accounts, options of blueprints

test('the category "user" applies to the own account, "users" to all others', async () => {
  const fresh = await createTestStorage()
  describeRole(fresh, 'own', 'permissions: { users: false }')
  describeRole(fresh, 'others', 'permissions: { user: false }')
  const otherSite = await createTestApp({ storage: fresh })
  const [mine, theirs] = [
    await createSignedInUser(otherSite, { role: 'own' }),
    await createSignedInUser(otherSite, { role: 'others' }),
  ]
  const changes: [string, object][] = [
    ['/name', { name: 'x' }],
    ['/language', { language: 'en' }],
    ['', { bio: 'x' }],
    ['/role', { role: 'own' }],
    ['/email', { email: 'own@example.org' }],
  ]
  const paths = ['changeName', 'changeLanguage', 'update', 'changeRole', 'changeEmail']
  for (const [index, [path, body]] of changes.entries()) {
    const denied = { status: 403, key: `error.user.${paths[index]}.permission` }
    expect(await refused(mine.call('PATCH', theirs.id + path, body))).toEqual(denied)
    expect(await refused(theirs.call('PATCH', `account${path}`, body))).toEqual(denied)
    expect(await refused(theirs.call('PATCH', theirs.id + path, body))).toEqual(denied) // by any of its names
    if (path !== '/email' && path !== '/role') await shown(mine.call('PATCH', `account${path}`, body))
    if (path !== '/email') await shown(theirs.call('PATCH', mine.id + path, body))
  }
  expect(await refused(mine.call('DELETE', theirs.id))).toEqual({ status: 403, key: 'error.user.delete.permission' })
  expect(await refused(theirs.call('DELETE', 'account'))).toEqual({ status: 403, key: 'error.user.delete.permission' })
  expect(await refused(mine.call('POST', '', { email: 'x@example.org' }))).toEqual({
    status: 403,
    key: 'error.user.create.permission',
  })
})

test.runIf(isFirstEngine)('the options of an account match its operations', async () => {
  const user = await createSignedInUser(site, { role: 'editor' })
  const target = await add({ role: 'locked' })
  const { options } = await shown(user.call('GET', target.id))
  expect(options).toMatchObject({
    changeName: false,
    update: true, // its blueprint names editors
    delete: false, // such accounts have more rights than an editor
    changeLanguage: false,
    changeRole: false,
    create: false,
  })
  expect((await user.call('PATCH', target.id, { x: '1' })).statusCode).toBe(200)
  expect(await refused(user.call('PATCH', `${target.id}/name`, { name: 'x' }))).toEqual({
    status: 403,
    key: 'error.user.changeName.permission',
  })
  const asAdmin = (await read(target.id)).options
  expect(asAdmin).toMatchObject({ changeName: false, update: false, delete: false, changeRole: true })
  expect(await refused(admin.call('PATCH', target.id, { x: '1' }))).toEqual({
    status: 403,
    key: 'error.user.update.permission',
  })
  expect(await refused(admin.call('DELETE', target.id))).toEqual({ status: 403, key: 'error.user.delete.permission' })
  const own = await createSignedInUser(site, { role: 'locked' })
  expect((await shown(own.call('GET', 'account'))).options).toMatchObject({
    changeName: false,
    update: false,
    delete: true,
  })
})

const make = (who: SignedInUser, role?: string) =>
  who.call('POST', '', { email: newEmail(), password: 'a very long passphrase', role })
const creatable = async ({ browser }: SignedInUser) =>
  (await browser.send({ url: '/api/roles?canBe=created' }))
    .json<{ data: { name: string }[] }>()
    .data.map(({ name }) => name)

test('a blueprint lets a role create accounts of this role only', async () => {
  const fresh = await createTestStorage()
  describeRole(fresh, 'clerk', 'permissions: { users: { create: false } }')
  describeRole(fresh, 'customer', 'options: { create: { clerk: true } }')
  describeRole(fresh, 'partner', 'options: { create: { "*": false } }')
  const otherSite = await createTestApp({ storage: fresh })
  const [clerk, boss] = [await createSignedInUser(otherSite, { role: 'clerk' }), await createSignedInUser(otherSite)]
  expect((await shown(make(clerk, 'customer'))).role.name).toBe('customer')
  for (const role of ['clerk', 'partner', 'admin', undefined])
    expect((await refused(make(clerk, role))).key).toBe('error.user.create.permission')
  expect(await creatable(clerk)).toEqual(['customer'])
  expect((await refused(make(boss, 'partner'))).key).toBe('error.user.create.permission')
  for (const role of ['clerk', 'customer', 'admin']) await shown(make(boss, role))
  expect(await creatable(boss)).toEqual(['admin', 'clerk', 'customer', 'editor'])
})

// ---- a role without access

test.runIf(isFirstEngine)('an account without access is refused everywhere, but can sign in and out', async () => {
  const guest = await createSignedInUser(site, { role: 'guest' })
  for (const path of ['', 'account', admin.id, 'search?q=ada', 'account/roles', 'account/sessions', 'account/events']) {
    expect([path, await refused(guest.call('GET', path))]).toEqual([path, { status: 401, key: 'error.access.panel' }])
  }
  for (const url of ['/api/auth', '/api/roles', '/api/account'])
    expect(refusal(await guest.browser.send({ url }))).toMatchObject({ status: 401, key: 'error.access.panel' })
  expect(await refused(guest.call('PATCH', 'account/name', { name: 'x' }))).toEqual({
    status: 401,
    key: 'error.access.panel',
  })
  expect((await guest.browser.client.auth.logout()).status).toBe('ok')
  expect(refusal(await guest.browser.send({ url: '/api/auth' }))).toMatchObject({ status: 401, key: 'error.auth' })
})

// ---- at once

test('two concurrent changes of different fields are both stored', async () => {
  const second = await createTestApp({ storage })
  const firstSession = await signIn(site, admin.email)
  const secondSession = await signIn(second, admin.email)
  for (let round = 0; round < 8; round++) {
    const { id } = await add()
    const answers = await Promise.all([
      firstSession.call('PATCH', id, { bio: 'from one' }),
      secondSession.call('PATCH', id, { level: 4 }),
      firstSession.call('PATCH', id, { tags: ['x'] }),
      secondSession.call('PATCH', `${id}/name`, { name: 'Name' }),
      firstSession.call('PATCH', `${id}/language`, { language: 'it' }),
      secondSession.call('PATCH', `${id}/role`, { role: 'editor' }),
    ])
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200, 200])
    expect(await read(id)).toMatchObject({
      name: 'Name',
      language: 'it',
      content: { bio: 'from one', level: 4, tags: ['x'] },
    })
  }
})

test('concurrent changes of name and address are both in the sort order', async () => {
  const { id } = await add()
  for (let round = 0; round < 5; round++) {
    const [name, email] = [`Name ${round}`, `address${round}@example.org`]
    const answers = await Promise.all([
      admin.call('PATCH', `${id}/name`, { name }),
      admin.call('PATCH', `${id}/email`, { email }),
    ])
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    expect(await userRow(site, id)).toMatchObject({ name, email, sort_key: name.toLowerCase() })
    await shown(admin.call('PATCH', `${id}/name`, { name: '' }))
    expect((await userRow(site, id)).sort_key).toBe(email)
  }
})

test('C15: of two concurrent creations of one account one succeeds, in any process', async () => {
  const second = await createTestApp({ storage })
  const makers = [await signIn(site, admin.email), await signIn(second, admin.email)]
  for (let round = 0; round < 8; round++) {
    const emails = [`Race${round}@example.org`, `race${round}@EXAMPLE.org`]
    const answers = await Promise.all(
      makers.map(({ call }, index) => call('POST', '', { email: emails[index], password: 'a very long passphrase' })),
    )
    expect(answers.map(({ statusCode }) => `${statusCode}`).toSorted()).toEqual(['200', '400'])
    expect(answers.map(answer => answer.json<{ key?: string }>().key).filter(Boolean)).toEqual(['error.user.duplicate'])
  }
})

test('C15: an id is not assigned twice', async () => {
  const second = await createTestApp({ storage })
  const makers = [await signIn(site, admin.email), await signIn(second, admin.email)]
  for (let round = 0; round < 8; round++) {
    const answers = await Promise.all(
      makers.map(({ call }) =>
        call('POST', '', { email: newEmail(), password: 'a very long passphrase', id: `race-${round}` }),
      ),
    )
    expect(answers.map(({ statusCode }) => `${statusCode}`).toSorted()).toEqual(['200', '400'])
    expect(answers.map(answer => answer.json<{ key?: string }>().key).filter(Boolean)).toEqual(['error.duplicate'])
  }
})

test('a change of an account that is deleted concurrently is stored or refused, and leaves nothing', async () => {
  for (let round = 0; round < 6; round++) {
    const { id } = await add()
    const [gone, ...changed] = await Promise.all([
      admin.call('DELETE', id),
      admin.call('PATCH', id, { bio: 'x' }),
      admin.call('PATCH', `${id}/name`, { name: 'x' }),
      admin.call('PATCH', `${id}/role`, { role: 'guest' }),
    ])
    expect(gone.statusCode).toBe(200)
    for (const { statusCode } of changed) expect([200, 404]).toContain(statusCode)
    expect(
      await site.app.store.db.selectFrom('contents').selectAll().where('owner', '=', `user://${id}`).execute(),
    ).toEqual([])
    const events = (await eventsOf(site)).filter(({ subject_id }) => subject_id === id).map(({ event }) => event)
    expect(events.at(-1)).toBe('user.deleted')
  }
})
