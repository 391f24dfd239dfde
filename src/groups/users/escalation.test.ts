import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addUser,
  createTestStorage,
  createTestApp,
  password,
  type TestApp,
  writeBlueprints,
} from '../../../test/harness.ts'
import { describeRole, createSignedInUser, signIn } from '../../../test/signed-in-user.ts'
import { refusal, userRow } from '../../../test/sign-in.ts'
import { catalogue, decide, type Option, type Permission } from '../../blueprints/permissions/permissions.ts'
import { addToken } from '../../../test/tokens.ts'
import { isFirstEngine, rounds } from '../../../test/slow.ts'

const storage = await createTestStorage()
describeRole(storage, 'keeper', 'permissions: { pages: false, files: false, site: false, languages: false }')
describeRole(storage, 'author', 'permissions: { users: false }')
describeRole(
  storage,
  'reader',
  'permissions: { users: false, pages: false, files: false, site: false, languages: false }',
)
describeRole(
  storage,
  'namer',
  'permissions: { users: { "*": false, changeName: true, changeLanguage: true, update: true } }',
)
// One template is for authors only: a right that no permission of the role shows.
describeRole(storage, 'twin', 'permissions: { users: { "*": true } }')
writeBlueprints(storage.data, { 'pages/secret.yml': 'options: { update: { author: true, admin: true, "*": false } }' })
const site = await createTestApp({ storage })
const next = 'quite another long password'

const changes = [
  ['PATCH', 'password', { password: next }],
  ['PATCH', 'email', { email: 'moved@example.org' }],
  ['PATCH', 'role', { role: 'reader' }],
  ['PATCH', 'status', { status: 'disabled' }],
  ['DELETE', 'totp', undefined],
  ['DELETE', 'sessions', undefined],
  ['POST', 'tokens', { name: 'x', scopes: ['*'] }],
  ['POST', 'invitation', undefined],
  ['POST', 'password-reset', undefined],
  ['DELETE', '', undefined],
] as const

test.each(changes)(
  'N17: %s %s on an account with more rights than the caller is refused',
  async (method, path, body) => {
    const target = await addUser(site, { role: 'author', totp: true })
    const before = await userRow(site, target.id)
    for (const role of ['keeper', 'twin']) {
      const caller = await createSignedInUser(site, { role })
      const answer = await caller.call(method, `${target.id}/${path}`.replace(/\/$/, ''), body)
      expect(refusal(answer), `as ${role}`).toMatchObject({
        status: 403,
        key: expect.stringMatching(/permission$/) as string,
      })
    }
    expect(await userRow(site, target.id)).toEqual(before)
  },
)

test('N17: a caller with every right of an account may manage it', async () => {
  const keeper = await createSignedInUser(site, { role: 'keeper' })
  const { id } = await addUser(site, { role: 'reader' })
  for (const [method, path, body] of [changes[0], changes[1], changes[2], changes[3]])
    expect((await keeper.call(method, `${id}/${path}`, body)).statusCode, `to ${path}`).toBe(200)
})

test.each([
  ['PATCH', '/name', { name: 'x' }],
  ['PATCH', '/language', { language: 'de' }],
  ['PATCH', '', { bio: 'x' }],
  ['POST', '/changes/save', { bio: 'x' }],
] as const)(
  'N23: %s %s on an administrator is refused for callers with fewer rights over accounts',
  async (method, path, body) => {
    const boss = await addUser(site)
    for (const role of ['namer', 'keeper', 'twin']) {
      const author = await addUser(site, { role: 'author' })
      const caller = await createSignedInUser(site, { role })
      expect(refusal(await caller.call(method, boss.id + path, body)), `as ${role}`).toMatchObject({ status: 403 })
      expect((await caller.call(method, author.id + path, body)).statusCode, `as ${role}`).toBe(200)
    }
  },
)

// ---- no sequence of account operations gains a right

interface Made {
  permissions: Record<string, Record<string, boolean>>
  /** Of one template: which roles may change its pages. */
  update: Record<string, boolean>
}

const names = ['r0', 'r1', 'r2', 'r3']

const roleArbitrary = fc.record(
  Object.fromEntries(
    Object.entries(catalogue).map(([category, actions]) => [
      category,
      // Mostly all or nothing, so that some roles include others.
      fc.oneof(
        fc.constantFrom(true, false).map(all => Object.fromEntries(actions.map(action => [action, all]))),
        fc.record(Object.fromEntries(actions.map(action => [action, fc.boolean()]))),
      ),
    ]),
  ),
) as fc.Arbitrary<Made['permissions']>

/** An independent computation of the rights of a role: the permissions everywhere, and on pages of the one template. */
function heldBy(roles: Made['permissions'][], option: Option, role: string): Set<string> {
  const permissions = role === 'admin' ? undefined : (roles[names.indexOf(role)] as never)
  const all = Object.entries(catalogue).flatMap(([category, actions]) => actions.map(action => `${category}.${action}`))
  const held = all.filter(one => role === 'admin' || decide({ role, permissions }, one as Permission))
  const onSecret = role === 'admin' || decide({ role, permissions }, 'pages.update', option)
  return new Set([...held, ...(onSecret ? ['secret'] : []), ...(role === 'admin' ? ['administration'] : [])])
}

const operation = fc.record({
  kind: fc.constantFrom('create', 'password', 'role', 'own-role', 'email', 'token'),
  by: fc.nat({ max: 2 }),
  target: fc.nat({ max: 5 }),
  role: fc.constantFrom(...names, 'admin'),
  scopes: fc.constantFrom<string[] | undefined>(undefined, undefined, ['users.*'], ['users.create', 'pages.*'], ['*']),
})

test.runIf(isFirstEngine)('N19: no sequence of account operations gains a right', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(roleArbitrary, { minLength: 4, maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...names, '*'), fc.boolean()),
      fc.array(operation, { minLength: 4, maxLength: 10 }),
      async (roles, option, operations) => {
        const fresh = await createTestStorage()
        for (const [index, permissions] of roles.entries()) {
          // Every role may sign in and manage accounts; the test checks which rights that gives.
          const access = { ...permissions['access'], panel: true, users: true, account: true }
          const users = {
            ...permissions['users'],
            create: true,
            changePassword: true,
            changeRole: true,
            changeEmail: true,
          }
          Object.assign(permissions, { access, users, user: { ...permissions['user'], changeRole: true } })
          describeRole(fresh, names[index]!, JSON.stringify({ permissions }))
        }
        writeBlueprints(fresh.data, { 'pages/secret.yml': JSON.stringify({ options: { update: option } }) })
        const app = await createTestApp({ storage: fresh, settings: { auth: { throttle: false } } })
        await play(app, role => heldBy(roles, option, role), operations)
        await app.close()
      },
    ),
    { numRuns: Number(process.env['QUOIN_TEST_ROUNDS'] ?? rounds(4, 12)), endOnFailure: true },
  )
})

type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never

/** The first three accounts act. Accounts that they take over or create count as theirs. */
async function play(app: TestApp, held: (role: string) => Set<string>, operations: Operation[]): Promise<void> {
  const people = [
    await createSignedInUser(app, { role: 'r0' }),
    await createSignedInUser(app, { role: 'r1' }),
    await createSignedInUser(app, { role: 'r2' }),
  ]
  const others = [await addUser(app, { role: 'r2' }), await addUser(app, { role: 'r3' }), await addUser(app)]
  const roleOf = async (id: string) => (await userRow(app, id)).role
  for (const [count, { kind, by, target, role, scopes }] of operations.entries()) {
    const caller = people[by]!
    const before = held(await roleOf(caller.id))
    const within = scopes && [...before].filter(right => isNamed(scopes, right))
    const allowed = within ? new Set(within) : before
    const { id } = [...people, ...others][target]!
    const send = scopes
      ? await byToken(app, caller.id, scopes)
      : (method: 'POST' | 'PATCH', path: string, body: object) => caller.call(method, path, body)
    const gains = (gained: string) => {
      const more = [...held(gained)].filter(right => !covers(allowed, right))
      expect(more, `${kind} by ${[...before].length} rights, scopes ${String(scopes)}`).toEqual([])
    }
    if (kind === 'create') {
      const answer = await send('POST', '', { email: `made${count}@example.org`, password: next, role })
      if (answer.statusCode === 200) gains(role)
    } else if (kind === 'own-role') {
      const answer = await send('PATCH', 'account/role', { role })
      if (answer.statusCode === 200) gains(role)
    } else if (id !== caller.id) {
      const had = await roleOf(id)
      const body = { password: next, role, email: `moved${count}@example.org`, name: 'x', scopes: ['*'] }
      const path = kind === 'token' ? 'tokens' : kind
      const sent = kind === 'token' ? { name: body.name, scopes: body.scopes } : { [kind]: body[kind as 'role'] }
      const answer = await send(kind === 'token' ? 'POST' : 'PATCH', `${id}/${path}`, sent)
      if (answer.statusCode !== 200) continue
      gains(had)
      if (kind === 'role') gains(role)
      // Signs in again if the session has ended, to act with the current rights.
      if (target < 3 && kind === 'password') people[target] = { ...people[target]!, ...(await replace(app, id)) }
      if (target < 3 && kind === 'email') people[target] = { ...people[target]!, ...(await replace(app, id)) }
    }
  }
}

/** Gives an account the usual password and a session. */
async function replace(app: TestApp, id: string) {
  const { email } = await userRow(app, id)
  const { password_hash: hash } = await userRow(app, (await addUser(app, { role: 'r3', password })).id)
  await app.app.store.db
    .updateTable('users')
    .set({ password_hash: hash, must_change_password: 0 })
    .where('id', '=', id)
    .execute()
  return signIn(app, email)
}

async function byToken(app: TestApp, owner: string, scopes: string[]) {
  const { token } = await addToken(app.app, { userId: owner, name: 'x', scopes })
  const headers = { host: '127.0.0.1:4080', authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return (method: 'POST' | 'PATCH', path: string, body: object) =>
    app.request({
      method,
      url: `/api/users${path && `/${path}`}`,
      headers,
      payload: JSON.stringify(body),
    })
}

/** A token can do what its scopes name. */
const isNamed = (scopes: string[], right: string) =>
  scopes.includes('*') ||
  right === 'access.panel' ||
  (right === 'access.users' && scopes.some(scope => scope.startsWith('users.'))) ||
  (right === 'secret' && scopes.includes('pages.*')) ||
  scopes.some(scope => scope === right || scope === `${right.split('.')[0]}.*`)

/** The rights of an account over itself are at most those of others over it. */
const covers = (rights: Set<string>, right: string) =>
  rights.has(right) || rights.has(right.replace(/^user\./, 'users.').replace('access.account', 'access.users'))
