import { expect, test } from 'vitest'
import { addUser, createTestApp } from '../../../../test/harness.ts'
import { lastMail, mailsTo, createSignedInUser, withMail } from '../../../../test/signed-in-user.ts'
import { newIp, postLogin, refusal } from '../../../../test/sign-in.ts'
import { createUser, disableUser, enableUser, findUser } from '../users.ts'
import { sendInvitationOrLink } from './invitation.ts'
import { operatorContext } from '../../../cli/site.ts'

const site = await createTestApp({ settings: withMail })
const admin = await createSignedInUser(site)
const post = (body: object) => postLogin(site.browser({ ip: newIp() }), body)

let count = 0
const address = () => `newbie${++count}@example.org`

async function anonymousAsk(email: string) {
  for (let round = 0; round < 4; round++) expect((await post({ method: 'reset', email })).statusCode).toBe(202)
}

test('anonymous link requests do not block invitations', async () => {
  const email = address()
  await anonymousAsk(email)
  expect((await admin.call('POST', '', { email, role: 'admin' })).statusCode).toBe(200)
  expect(await mailsTo(site, email, 'invite')).toHaveLength(1)
})

test('they do not block reset links either', async () => {
  const { id, email } = await addUser(site)
  await anonymousAsk(email)
  expect(await mailsTo(site, email, 'reset')).toHaveLength(3)
  expect((await admin.call('POST', `${id}/password-reset`)).statusCode).toBe(200)
  expect(await mailsTo(site, email, 'reset')).toHaveLength(4)
})

test('an account is created even if its invitation cannot be sent now, which is logged', async () => {
  const email = address()
  for (let round = 0; round < 3; round++) {
    const id = await createUser(operatorContext(site.app), { shownReferences: 'all', email, role: 'admin' })
    expect((await admin.call('DELETE', id)).statusCode).toBe(200)
  }
  const answer = await admin.call('POST', '', { email, role: 'admin' })
  expect(answer.statusCode).toBe(200)
  const { id } = answer.json<{ data: { id: string } }>().data
  expect(await findUser(site.app, email)).toMatchObject({ id, status: 'invited' })
  expect(await mailsTo(site, email, 'invite')).toHaveLength(3)
  expect(site.logged.find(({ event }) => event === 'mail.often')).toMatchObject({ user: id })
})

test('too many invitations are refused, and the last one stays valid', async () => {
  const email = address()
  const id = await createUser(operatorContext(site.app), { shownReferences: 'all', email, role: 'admin' })
  for (let round = 0; round < 2; round++) expect((await admin.call('POST', `${id}/invitation`)).statusCode).toBe(200)
  expect(refusal(await admin.call('POST', `${id}/invitation`))).toMatchObject({
    status: 429,
    key: 'error.user.mail.often',
  })
  const { token } = await lastMail(site, email, 'invite')
  expect((await post({ method: 'invite', token, password: 'a password of my own' })).statusCode).toBe(200)
})

test('the operator gets the link that was not sent', async () => {
  const email = address()
  const id = await createUser(operatorContext(site.app), { shownReferences: 'all', email, role: 'admin' })
  for (let round = 0; round < 2; round++)
    expect((await sendInvitationOrLink(operatorContext(site.app), { id })).sent).toBe(true)
  const { link, sent } = await sendInvitationOrLink(operatorContext(site.app), { id })
  expect(sent).toBe(false)
  const token = new URL(link).hash.replace('#token=', '')
  expect((await post({ method: 'invite', token, password: 'a password of my own' })).statusCode).toBe(200)
})

test('an invited account that was disabled and enabled can be invited again', async () => {
  const email = address()
  const id = await createUser(operatorContext(site.app), { shownReferences: 'all', email, role: 'admin' })
  await disableUser(operatorContext(site.app), { id })
  await enableUser(operatorContext(site.app), { id })
  expect(await mailsTo(site, email, 'invite')).toHaveLength(2)
  const { token } = await lastMail(site, email, 'invite')
  expect((await post({ method: 'invite', token, password: 'a password of my own' })).statusCode).toBe(200)
})
