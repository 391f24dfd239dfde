import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addOwner, type Ceremony, createAuthenticator, loginBy, register } from '../../../../test/authenticator.ts'
import { addUser, createTestStorage, createTestApp, type TestApp } from '../../../../test/harness.ts'
import {
  describeRole,
  mailsTo,
  createSignedInUser,
  type SignedInUser,
  signIn,
  statusOf,
  withMail,
} from '../../../../test/signed-in-user.ts'
import { eventsOf, everythingIn, getWith, postLogin, refusal, sessionsOf, userRow } from '../../../../test/sign-in.ts'
import type { CreationOptions } from '../../../access/factors/passkeys/passkeys.ts'
import { endEpoch } from '../../../access/session/sessions.ts'
import { isPrototypeKey } from '../../../platform/lib/strict-json.ts'
import { operatorContext } from '../../../cli/site.ts'
import { addToken } from '../../../../test/tokens.ts'
import { rounds } from '../../../../test/slow.ts'

const minutes = 60_000
const storage = await createTestStorage()
describeRole(storage, 'editor', 'title: Editor\n')
describeRole(storage, 'guest', 'title: Guest\npermissions:\n  user: false\n  users: false\n')
const site = await createTestApp({ storage, settings: withMail })

const passkeysOf = ({ app }: TestApp, userId: string) =>
  app.store.db.selectFrom('passkeys').selectAll().where('user_id', '=', userId).orderBy('created_at').execute()

const everything = async (other: TestApp = site) => ({
  ...(await everythingIn(other)),
  passkeys: await other.app.store.db.selectFrom('passkeys').selectAll().execute(),
})

interface Registration {
  challenge: string
  expiresIn: number
  publicKey: CreationOptions
}

async function beginRegistration(user: Pick<SignedInUser, 'call'>, id = 'account'): Promise<Registration> {
  const answer = await user.call('POST', `${id}/passkeys`)
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return answer.json<{ data: Registration }>().data
}

/** Begins and finishes a registration with the response of the authenticator. */
async function sendRegistration(
  user: Pick<SignedInUser, 'call'>,
  key = createAuthenticator(),
  ceremony: Ceremony = {},
  extra = {},
) {
  const { challenge, publicKey } = await beginRegistration(user)
  return user.call('PUT', 'account/passkeys', { challenge, credential: key.create(publicKey, ceremony), name: 'Phone', ...extra }) // prettier-ignore
}

const invalid = { status: 400, key: 'error.user.passkey.invalid', details: {} }

// ---- registering

test('a registration begins with the options for navigator.credentials.create', async () => {
  const owner = await addOwner(site)
  const answer = await owner.browser.client.users.passkeys.begin({ id: 'account' })
  expect(answer).toEqual({
    challenge: expect.stringMatching(/^[\w-]{43}$/),
    expiresIn: 300,
    publicKey: {
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rp: { id: 'localhost', name: 'localhost' },
      user: { id: Buffer.from(owner.id).toString('base64url'), name: owner.email, displayName: owner.email },
      pubKeyCredParams: [-8, -7, -257].map(alg => ({ type: 'public-key', alg })),
      timeout: 300_000,
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      excludeCredentials: [{ type: 'public-key', id: owner.key.id, transports: ['hybrid', 'internal'] }],
    },
  })
  expect(answer.publicKey.challenge).not.toBe(answer.challenge)
})

test('a passkey is registered, listed, and counts as a proof of the session', async () => {
  const user = await createSignedInUser(site)
  const formerToken = user.token()!
  const key = createAuthenticator({ syncs: true })
  const answer = await sendRegistration(user, key, {}, { name: '  My phone ' })
  expect(answer.json()).toEqual({
    code: 200,
    status: 'ok',
    type: 'model',
    data: {
      id: expect.stringMatching(/^[a-z0-9]{16}$/),
      credential: key.id,
      name: 'My phone',
      created: expect.stringMatching(/Z$/),
      lastUsed: null,
      synced: true,
    },
    csrf: expect.any(String),
  })
  expect((await getWith(site, formerToken)).statusCode, 'the former token is invalid').toBe(401)
  expect((await user.browser.client.auth.get()).session).toMatchObject({ aal: 2, amr: ['pwd', 'passkey'] })
  await loginBy(site, key)
  const list = await user.call('GET', 'account/passkeys')
  expect(list.json()).toMatchObject({
    type: 'collection',
    pagination: { page: 1, total: 1, offset: 0 },
    data: [{ name: 'My phone', lastUsed: expect.stringMatching(/Z$/), synced: true }],
  })
  expect(list.body).not.toContain((await passkeysOf(site, user.id))[0]!.public_key)
})

test('O05, O07: a new passkey is recorded and its owner notified', async () => {
  const user = await createSignedInUser(site)
  await sendRegistration(user)
  expect((await mailsTo(site, user.email)).map(mail => [mail.template, mail.data])).toEqual([
    ['factorAdded', { factor: 'passkey' }],
  ])
  const events = (await eventsOf(site, 'auth.factor.added')).filter(event => event.subject_id === user.id)
  expect(events).toMatchObject([{ actor_id: user.id, detail: '{"factor":"passkey"}' }])
})

test.each<[string, Ceremony]>([
  ['another origin', { origin: 'https://evil.example' }],
  ['a frame', { crossOrigin: true }],
  ['another relying party', { rpId: 'evil.example' }],
  ['another challenge', { challenge: 'AAAA' }],
  ['the response of a sign-in', { type: 'webauthn.get' }],
  ['a response without user presence', { present: false }],
  ['a response without user verification', { verified: false }],
  ['a synced key that cannot be synced', { synced: true }],
  ['bytes after the authenticator data', { trailing: Buffer.alloc(1) }],
  ['bytes after everything', { attestationTrailing: Buffer.alloc(1) }],
  ['another id', { id: 'AAAA' }],
  ['an attestation of its manufacturer', { statement: { fmt: 'packed', attStmt: new Map([['x5c', []]]) } }],
])('J05, J07: %s registers nothing', async (_, ceremony) => {
  const user = await createSignedInUser(site)
  expect(refusal(await sendRegistration(user, createAuthenticator(), ceremony))).toEqual(invalid)
  expect(await passkeysOf(site, user.id)).toEqual([])
  expect((await user.browser.client.auth.get()).session).toMatchObject({ amr: ['pwd'] })
})

test('J04: a registration challenge works once, for five minutes, and until the next one', async () => {
  const otherSite = await createTestApp()
  const user = await createSignedInUser(otherSite)
  const finish = ({ challenge, publicKey }: Registration) =>
    user.call('PUT', 'account/passkeys', { challenge, credential: createAuthenticator().create(publicKey), name: 'x' })
  const [first, second] = [await beginRegistration(user), await beginRegistration(user)]
  expect(refusal(await finish(first)), 'there is a newer one').toEqual(invalid)
  expect((await finish(second)).statusCode).toBe(200)
  expect(refusal(await finish(second))).toEqual(invalid)
  const third = await beginRegistration(user)
  await otherSite.storage.moveClock(5 * minutes + 1000)
  expect(refusal(await finish(third))).toEqual(invalid)
  expect(await passkeysOf(otherSite, user.id)).toHaveLength(1)
})

test('J04: challenges of other accounts and of sign-ins register nothing', async () => {
  const [user, other] = [await createSignedInUser(site), await createSignedInUser(site)]
  const foreign = await beginRegistration(other)
  const login = await postLogin(user.browser, { method: 'passkey' })
  const { challenge } = login.json<{ challenge: { id: string; publicKey: { challenge: string } } }>()
  for (const [challengeId, toSign] of [
    [foreign.challenge, foreign.publicKey.challenge],
    [challenge.id, challenge.publicKey.challenge],
    ['x', 'AAAA'],
  ] as const) {
    const own = await beginRegistration(user)
    const credential = createAuthenticator().create({ ...own.publicKey, challenge: toSign })
    const answer = await user.call('PUT', 'account/passkeys', { challenge: challengeId, credential, name: 'x' })
    expect(refusal(answer)).toEqual(invalid)
  }
  expect(await passkeysOf(site, user.id)).toEqual([])
})

test('J04: five wrong responses end a registration', async () => {
  const user = await createSignedInUser(site)
  const { challenge, publicKey } = await beginRegistration(user)
  const send = (ceremony: Ceremony) =>
    user.call('PUT', 'account/passkeys', {
      challenge,
      credential: createAuthenticator().create(publicKey, ceremony),
      name: 'x',
    })
  for (let count = 0; count < 5; count++) expect(refusal(await send({ verified: false }))).toEqual(invalid)
  expect(refusal(await send({}))).toEqual(invalid)
})

test('a registration ends when the epoch of its account is raised', async () => {
  const user = await createSignedInUser(site)
  const { challenge, publicKey } = await beginRegistration(user)
  await site.app.store.write(tx => endEpoch(operatorContext(site.app), tx, user.id, 'test'))
  const again = await signIn(site, user.email)
  const credential = createAuthenticator().create(publicKey)
  expect(refusal(await again.call('PUT', 'account/passkeys', { challenge, credential, name: 'x' }))).toEqual(invalid)
})

test('a passkey belongs to one account, and is registered once', async () => {
  const [user, other] = [await createSignedInUser(site), await createSignedInUser(site)]
  const key = createAuthenticator()
  expect((await sendRegistration(user, key)).statusCode).toBe(200)
  expect(refusal(await sendRegistration(user, key))).toEqual(invalid)
  expect(refusal(await sendRegistration(other, key))).toEqual(invalid)
  expect(await passkeysOf(site, other.id)).toEqual([])
  expect((await userRow(site, other.id)).auth_epoch).toBe(1)
})

test('an account has at most twenty passkeys', async () => {
  const { id, browser } = await addOwner(site)
  const rows = Array.from({ length: 18 }, (_, index) => ({
    id: `${id}${index}`,
    credential: `${id}${index}`,
    user_id: id,
    name: 'x',
    public_key: 'x',
    counter: 0,
    transports: '',
    syncable: 0,
    synced: 0,
    created_at: 0,
    last_used_at: null,
  }))
  await site.app.store.db.insertInto('passkeys').values(rows).execute()
  const { challenge, publicKey } = await browser.client.users.passkeys.begin({ id: 'account' })
  await site.app.store.db
    .insertInto('passkeys')
    .values({ ...rows[0]!, id: `${id}x`, credential: `${id}x` })
    .execute()
  const full = { status: 400, key: 'error.user.passkey.limit' }
  const sent = { challenge, credential: createAuthenticator().create(publicKey), name: 'x' }
  await expect(browser.client.users.passkeys.create({ id: 'account' }, sent)).rejects.toMatchObject(full)
  await expect(browser.client.users.passkeys.begin({ id: 'account' })).rejects.toMatchObject(full)
})

test('J13: of many concurrent registrations with one challenge one succeeds', async () => {
  const user = await createSignedInUser(site)
  const { challenge, publicKey } = await beginRegistration(user)
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => {
      const credential = createAuthenticator().create(publicKey)
      return user.call('PUT', 'account/passkeys', { challenge, credential, name: 'x' })
    }),
  )
  // The others have the former session token, or a challenge that is used up.
  expect(answers.filter(answer => answer.statusCode === 200)).toHaveLength(1)
  expect(answers.every(answer => answer.statusCode < 500)).toBe(true)
  expect(await passkeysOf(site, user.id)).toHaveLength(1)
})

// ---- renaming and deleting

test('a passkey can be renamed', async () => {
  const owner = await addOwner(site)
  const shown = await owner.browser.client.users.passkeys.changeName(
    { id: 'account', passkey: owner.passkey },
    { name: ' Blue stick ' },
  )
  expect(shown).toMatchObject({ id: owner.passkey, name: 'Blue stick' })
  const events = (await eventsOf(site, 'auth.factor.renamed')).filter(event => event.subject_id === owner.id)
  expect(events).toMatchObject([{ actor_id: owner.id }])
  expect((await loginBy(site, owner.key)).statusCode).toBe(200)
})

test('N12: a removed passkey no longer works, and its owner is notified', async () => {
  const owner = await addOwner(site)
  const second = createAuthenticator()
  await register(owner.browser, second)
  const path = { id: 'account', passkey: owner.passkey }
  await owner.browser.client.users.passkeys.remove(path)
  expect((await loginBy(site, owner.key)).statusCode).toBe(401)
  expect((await loginBy(site, second)).statusCode, 'the other one stays').toBe(200)
  expect(await statusOf(owner), 'and so does the session').toBe(200)
  expect((await mailsTo(site, owner.email, 'factorRemoved')).map(mail => mail.data)).toEqual([{ factor: 'passkey' }])
  const events = (await eventsOf(site, 'auth.factor.removed')).filter(event => event.subject_id === owner.id)
  expect(events).toMatchObject([{ actor_id: owner.id, detail: '{"factor":"passkey"}' }])
  const gone = { status: 404, key: 'error.user.passkey.notFound' }
  await expect(owner.browser.client.users.passkeys.remove(path)).rejects.toMatchObject(gone)
  await expect(owner.browser.client.users.passkeys.changeName(path, { name: 'x' })).rejects.toMatchObject(gone)
})

test('N12: recovery codes are deleted with the last second factor, not before', async () => {
  const owner = await addOwner(site)
  const second = createAuthenticator()
  const { id: other } = await register(owner.browser, second)
  const codes = () =>
    site.app.store.db.selectFrom('recovery_codes').selectAll().where('user_id', '=', owner.id).execute()
  await owner.browser.client.users.recoveryCodes.renew({ id: 'account' })
  await owner.browser.client.users.passkeys.remove({ id: 'account', passkey: owner.passkey })
  expect(await codes()).toHaveLength(10)
  await owner.browser.client.users.passkeys.remove({ id: 'account', passkey: other })
  expect(await codes()).toEqual([])
})

test('G17: other sessions end with a factor change if requested', async () => {
  const user = await createSignedInUser(site)
  const others = [await signIn(site, user.email)]
  const key = createAuthenticator()
  const added = await sendRegistration(user, key, {}, { endOthers: true })
  expect(added.statusCode).toBe(200)
  expect([await statusOf(user), await statusOf(others[0]!)]).toEqual([200, 401])
  const { id } = added.json<{ data: { id: string } }>().data
  await loginBy(site, key)
  expect(await sessionsOf(site, user.id)).toHaveLength(2)
  const epoch = (await userRow(site, user.id)).auth_epoch
  const removed = await user.call('DELETE', `account/passkeys/${id}`, { endOthers: true })
  expect(removed.json()).toEqual({ status: 'ok', message: 'ok', code: 200, csrf: expect.any(String) })
  expect(await sessionsOf(site, user.id)).toHaveLength(1)
  expect((await userRow(site, user.id)).auth_epoch).toBe(epoch + 1)
  expect(await statusOf(user)).toBe(200)
})

// ---- permissions

test('N11: an administrator removes a passkey of another account, whose sessions end', async () => {
  const [admin, owner] = [await createSignedInUser(site), await addOwner(site)]
  const list = await admin.call('GET', `${owner.id}/passkeys`)
  expect(list.json<{ data: object[] }>().data).toMatchObject([{ id: owner.passkey }])
  const epoch = (await userRow(site, owner.id)).auth_epoch
  expect((await admin.call('DELETE', `${owner.id}/passkeys/${owner.passkey}`)).json()).toEqual({
    status: 'ok',
    message: 'ok',
    code: 200,
  })
  expect([await statusOf(admin), await statusOf(owner)]).toEqual([200, 401])
  expect((await userRow(site, owner.id)).auth_epoch).toBe(epoch + 1)
  const events = (await eventsOf(site, 'auth.factor.removed')).filter(event => event.subject_id === owner.id)
  expect(events).toMatchObject([{ actor_id: admin.id }])
  expect(await mailsTo(site, owner.email, 'factorRemoved')).toHaveLength(1)
})

test('only the owner can register and rename passkeys', async () => {
  const [admin, owner] = [await createSignedInUser(site), await addOwner(site)]
  const own = await beginRegistration(admin)
  const before = await everything()
  const credential = createAuthenticator().create(own.publicKey)
  for (const answer of [
    await admin.call('POST', `${owner.id}/passkeys`),
    await admin.call('PUT', `${owner.id}/passkeys`, { challenge: own.challenge, credential, name: 'x' }),
    await admin.call('PATCH', `${owner.id}/passkeys/${owner.passkey}`, { name: 'x' }),
  ]) {
    expect(refusal(answer)).toMatchObject({ status: 403, key: 'error.permission' })
  }
  expect({ ...(await everything()), audit_events: [] }).toEqual({ ...before, audit_events: [] })
})

test('a passkey of another account is not found below the own account', async () => {
  const [user, owner] = [await createSignedInUser(site), await addOwner(site)]
  for (const answer of [
    await user.call('DELETE', `account/passkeys/${owner.passkey}`),
    await user.call('PATCH', `account/passkeys/${owner.passkey}`, { name: 'x' }),
    await user.call('DELETE', 'account/passkeys/unknown'),
  ]) {
    expect(refusal(answer)).toMatchObject({ status: 404, key: 'error.user.passkey.notFound' })
  }
  expect(await passkeysOf(site, owner.id)).toHaveLength(1)
})

test('roles without the permission to change passwords cannot change passkeys, not even their own', async () => {
  const [editor, guest, admin] = [
    await createSignedInUser(site, { role: 'editor' }),
    await createSignedInUser(site, { role: 'guest' }),
    await addOwner(site),
  ]
  expect((await editor.call('GET', 'account/passkeys')).statusCode).toBe(200)
  expect((await sendRegistration(editor)).statusCode).toBe(200)
  expect((await guest.call('GET', 'account/passkeys')).statusCode).toBe(403)
  expect((await guest.call('POST', 'account/passkeys')).statusCode).toBe(403)
  for (const user of [editor, guest]) {
    expect((await user.call('GET', `${admin.id}/passkeys`)).statusCode).toBe(403)
    expect((await user.call('DELETE', `${admin.id}/passkeys/${admin.passkey}`)).statusCode).toBe(403)
  }
  expect(await statusOf(admin)).toBe(200)
})

test('anonymous clients and tokens cannot change passkeys', async () => {
  const owner = await addOwner(site)
  const { token } = await addToken(site.app, { userId: owner.id, name: 'x', scopes: ['*'] })
  const requests = [
    ['POST', ''],
    ['PUT', ''],
    ['PATCH', `/${owner.passkey}`],
    ['DELETE', `/${owner.passkey}`],
  ] as const
  for (const [method, path] of requests) {
    const url = `/api/users/${owner.id}/passkeys${path}`
    const anonymous = site.browser()
    expect((await anonymous.send({ method, url })).statusCode).toBe(401)
    const headers = { authorization: `Bearer ${token}` }
    expect((await anonymous.send({ method, url, headers })).statusCode, 'a token cannot change passkeys').toBe(403)
    const withoutCsrfToken = { method, url, headers: { 'sec-fetch-site': 'same-origin' } }
    expect((await owner.browser.send(withoutCsrfToken)).statusCode, 'without a CSRF token').toBe(403)
  }
  const list = await site
    .browser()
    .send({ url: `/api/users/${owner.id}/passkeys`, headers: { authorization: `Bearer ${token}` } })
  expect(list.statusCode, 'a token may list passkeys').toBe(200)
})

test('N07: after a quarter of an hour changing passkeys requires reauthentication', async () => {
  const otherSite = await createTestApp()
  const user = await createSignedInUser(otherSite)
  const added = await sendRegistration(user)
  const { id } = added.json<{ data: { id: string } }>().data
  const registration = await beginRegistration(user)
  await otherSite.storage.moveClock(15 * minutes + 1000)
  const credential = createAuthenticator().create(registration.publicKey)
  for (const answer of [
    await user.call('POST', 'account/passkeys'),
    await user.call('PUT', 'account/passkeys', { challenge: registration.challenge, credential, name: 'x' }),
    await user.call('PATCH', `account/passkeys/${id}`, { name: 'x' }),
    await user.call('DELETE', `account/passkeys/${id}`),
  ]) {
    expect(refusal(answer)).toMatchObject({ status: 401, key: 'error.auth.fresh' })
    expect(answer.headers['www-authenticate']).toContain('insufficient_user_authentication')
    expect(answer.headers['www-authenticate']).toContain('max_age=900')
  }
  expect((await user.call('GET', 'account/passkeys')).statusCode).toBe(200)
})

test('N10: a password alone does not change the factors of an account with a second factor', async () => {
  const user = await createSignedInUser(site)
  const elsewhere = await signIn(site, user.email)
  const added = await sendRegistration(user)
  const { id } = added.json<{ data: { id: string } }>().data
  for (const answer of [
    await elsewhere.call('POST', 'account/passkeys'),
    await elsewhere.call('DELETE', `account/passkeys/${id}`),
  ]) {
    expect(refusal(answer)).toMatchObject({ status: 401, key: 'error.auth.fresh', details: { secondFactor: true } })
  }
  expect((await sendRegistration(user)).statusCode, 'the session that registered it has a second factor').toBe(200)
})

test('I01: a passkey satisfies a role that requires a second factor', async () => {
  const strict = await createTestStorage()
  describeRole(strict, 'editor', 'title: Editor\nrequireSecondFactor: true\n')
  const otherSite = await createTestApp({ storage: strict })
  const user = await createSignedInUser(otherSite, { role: 'editor' })
  expect((await user.browser.client.auth.get()).session).toMatchObject({ mustEnrolSecondFactor: true })
  expect((await sendRegistration(user)).statusCode).toBe(200)
  expect((await user.browser.client.auth.get()).session).toMatchObject({ mustEnrolSecondFactor: false })
})

// ---- bodies

/** Whether a JSON value has a name such as `prototype`, which is refused before the body is checked. */
function reachesPrototype(value: unknown): boolean {
  let found = false
  JSON.stringify(value, (name, inner: unknown) => {
    found ||= isPrototypeKey(name)
    return inner
  })
  return found
}

test('J12: any invalid registration is refused and changes nothing', async () => {
  const otherSite = await createTestApp({ settings: { auth: { throttle: false } } })
  const user = await createSignedInUser(otherSite)
  const junk = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.uint8Array({ maxLength: 300 }).map(value => Buffer.from(value).toString('base64url')),
  )
  const damage = fc.oneof(
    fc.tuple(fc.constantFrom('challenge', 'credential', 'credential.id', 'credential.response', 'more'), junk),
    fc.tuple(
      fc.constant('name'),
      junk.filter(value => typeof value !== 'string'),
    ),
    fc.tuple(
      fc.constant('endOthers'),
      junk.filter(value => typeof value !== 'boolean'),
    ),
  )
  const before = await everything(otherSite)
  await fc.assert(
    fc.asyncProperty(damage, async ([part, value]) => {
      const { challenge, publicKey } = await beginRegistration(user)
      const right = createAuthenticator().create(publicKey)
      const body: Record<string, unknown> = { challenge, credential: right, name: 'x' }
      if (part === 'credential.id') body['credential'] = { ...right, id: value }
      else if (part === 'credential.response') body['credential'] = { ...right, response: value }
      else body[part] = value
      const { status, key } = refusal(await user.call('PUT', 'account/passkeys', body))
      expect(status).toBe(400)
      if (reachesPrototype(value)) expect(key).toBe('error.request.malformed')
      else expect(['error.validation', invalid.key]).toContain(key)
    }),
    { numRuns: rounds(40, 200) },
  )
  const objects = fc.uint8Array({ minLength: 1, maxLength: 400 }).map(bytes => Buffer.from(bytes).toString('base64url'))
  await fc.assert(
    fc.asyncProperty(objects, async attestationObject => {
      const { challenge, publicKey } = await beginRegistration(user)
      const right = createAuthenticator().create(publicKey)
      const response = { ...right.response, attestationObject }
      const body = { challenge, credential: { ...right, response }, name: 'x' }
      expect(refusal(await user.call('PUT', 'account/passkeys', body))).toEqual(invalid)
    }),
    { numRuns: rounds(20, 100) },
  )
  // Each registration that begins stores a challenge.
  expect({ ...(await everything(otherSite)), challenges: [] }).toEqual({ ...before, challenges: [] })
})

test.each([
  ['no name', { name: undefined }],
  ['an empty name', { name: '  ' }],
  ['a name that is too long', { name: 'x'.repeat(101) }],
  ['a name that is not a string', { name: 1 }],
  ['a field that does not exist', { name: 'x', owner: 'x' }],
])('a passkey is neither registered nor renamed with %s', async (_, body) => {
  const user = await createSignedInUser(site)
  const added = await sendRegistration(user)
  const { id } = added.json<{ data: { id: string } }>().data
  const before = await passkeysOf(site, user.id)
  const { challenge, publicKey } = await beginRegistration(user)
  const right = { challenge, credential: createAuthenticator().create(publicKey) }
  for (const answer of [
    await user.call('PATCH', `account/passkeys/${id}`, body),
    await user.call('PUT', 'account/passkeys', { ...right, ...body }),
  ]) {
    expect(refusal(answer)).toMatchObject({ status: 400, key: 'error.validation' })
  }
  expect(await passkeysOf(site, user.id)).toEqual(before)
  const answer = await user.call('PUT', 'account/passkeys', { ...right, name: 'x' })
  expect(answer.statusCode, 'nothing else was wrong').toBe(200)
})

test('a passkey is not removed if endOthers is not true or false', async () => {
  const owner = await createSignedInUser(site)
  const added = await sendRegistration(owner)
  const { id } = added.json<{ data: { id: string } }>().data
  const answer = await owner.call('DELETE', `account/passkeys/${id}`, { endOthers: 'yes' })
  expect(refusal(answer)).toMatchObject({ status: 400, key: 'error.validation' })
  expect(await passkeysOf(site, owner.id)).toHaveLength(1)
})

test('O12: passkeys are deleted with their account', async () => {
  const { id } = await addOwner(site)
  await addUser(site)
  await site.app.store.db.deleteFrom('users').where('id', '=', id).execute()
  expect(await passkeysOf(site, id)).toEqual([])
})
