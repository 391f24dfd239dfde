import { syncBuiltinESMExports } from 'node:module'
import { expect, test } from 'vitest'
import { addUser, createTestApp, password } from '../../../test/harness.ts'
import { eventsOf, eventually, newIp, postLogin, refusal, replacing } from '../../../test/sign-in.ts'

/** The functions of Node that fail, one after the other. */
const crypto = process.getBuiltinModule('node:crypto')

const fail = () => {
  throw new Error('out of memory')
}

async function withBroken(names: readonly ('argon2' | 'randomBytes' | 'randomInt')[], work: () => Promise<void>) {
  await replacing(crypto, () => Object.fromEntries(names.map(name => [name, fail])), async () => {
    syncBuiltinESMExports()
    await work()
  }) // prettier-ignore
  syncBuiltinESMExports()
}

const site = await createTestApp()

test.each([
  ['argon2', ['argon2']],
  ['random', ['randomBytes', 'randomInt']],
] as const)('M22: if %s fails, a sign-in is 503, recorded, and not charged', async (what, names) => {
  const { email } = await addUser(site)
  const login = () => postLogin(site.browser({ ip: newIp() }), { email, password })
  await withBroken(names, async () => {
    for (let tries = 0; tries < 7; tries++) {
      const answer = await login()
      expect(refusal(answer)).toMatchObject({ status: 503, key: 'error.busy' })
      expect(answer.headers).toMatchObject({ 'retry-after': '2' })
      expect(answer.headers).not.toHaveProperty('set-cookie')
    }
  })
  expect((await login()).statusCode).toBe(200)
  const recorded = await eventually(
    () => eventsOf(site, 'system.crypto.failed'),
    events => events.some(({ detail }) => detail.includes(what)),
  )
  expect(recorded.map(({ detail }) => JSON.parse(detail) as object)).toContainEqual({ what })
  expect(site.logged).toContainEqual(expect.objectContaining({ event: 'system.crypto.failed', what }))
})
