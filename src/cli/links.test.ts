import { beforeAll, expect, test } from 'vitest'
import { createSite, openServer, quoin, type Site } from '../../test/program.ts'
import { openApp } from '../app.ts'
import { loadConfig } from '../platform/config.ts'
import { sendInvitationOrLink } from '../groups/users/invitation/invitation.ts'
import { sendResetOrLink } from '../groups/users/password/reset.ts'
import { createUser, findUser } from '../groups/users/users.ts'
import { operatorContext } from './site.ts'

const password = 'a password that is long enough'
const newPassword = 'quite another long password'
const mailEnvironment = { QUOIN_MAIL_URL: 'smtp://127.0.0.1:9', QUOIN_MAIL_FROM: 'cms@example.org' }

let site: Site
beforeAll(async () => {
  site = await createSite()
  const app = await openApp(await loadConfig({ site: site.folder, environment: site.environment }))
  await createUser(operatorContext(app), { shownReferences: 'all', email: 'ada@example.org', password, role: 'admin' })
  await createUser(operatorContext(app), { shownReferences: 'all', email: 'new@example.org', role: 'admin' })
  await app.close()
})

const runOnSite = (args: string[], environment: Record<string, string> = {}) =>
  quoin([...args, '--site', site.folder], { environment: { ...site.environment, ...environment } })

const tokenIn = (text: string) => /#token=(\S+)/.exec(text)![1]!

test('without mail the reset link is printed, and works', async () => {
  const run = await runOnSite(['user', 'reset', 'ada@example.org'])
  expect(run).toMatchObject({ code: 0, stderr: '' })
  expect(run.stdout).toMatch(
    /^Give this link to ada@example\.org\. It expires in ten minutes:\nhttp:\S+\/panel\/reset#token=\S+\n$/,
  )
  const [challenge, secret] = tokenIn(run.stdout).split('.')
  const server = await openServer(site)
  const login = (body: object) => server.send({ path: '/api/auth/login', body })
  expect(await login({ method: 'reset', challenge, code: secret, password: newPassword })).toMatchObject({
    status: 200,
    body: '{"code":200,"status":"ok","next":"login"}',
    token: undefined,
  })
  expect((await login({ email: 'ada@example.org', password: newPassword })).status).toBe(200)
  await server.close()
})

test('without mail the invitation link is printed, and works', async () => {
  const { stdout } = await runOnSite(['user', 'invite', 'new@example.org', '--json'])
  const { link } = JSON.parse(stdout) as { link: string }
  expect(link).toContain('/panel/invite#token=')
  const server = await openServer(site)
  const login = (body: object) => server.send({ path: '/api/auth/login', body })
  expect((await login({ method: 'invite', token: tokenIn(link), password: newPassword })).status).toBe(200)
  expect((await login({ email: 'new@example.org', password: newPassword })).status).toBe(200)
  await server.close()
  const again = await runOnSite(['user', 'invite', 'new@example.org'])
  expect(again).toEqual({ code: 1, stdout: '', stderr: 'quoin: This account has no pending invitation.\n' })
})

test('with mail no link is printed', async () => {
  const { code, stdout } = await runOnSite(['user', 'reset', 'ada@example.org'], mailEnvironment)
  expect([code, stdout]).toEqual([0, 'A link to choose a new password is on its way to ada@example.org.\n'])
})

test('with mail the link is printed if the mail limit is reached', async () => {
  const environment = { ...site.environment, ...mailEnvironment }
  const app = await openApp(await loadConfig({ site: site.folder, environment }))
  const id = await createUser(operatorContext(app), {
    shownReferences: 'all',
    email: 'third@example.org',
    role: 'admin',
  })
  const ada = await findUser(app, 'ada@example.org')
  for (let round = 0; round < 3; round++) {
    await sendResetOrLink(operatorContext(app), ada)
    await sendInvitationOrLink(operatorContext(app), { id })
  }
  await app.close()
  for (const [command, email] of [
    ['reset', 'ada@example.org'],
    ['invite', 'third@example.org'],
  ] as const) {
    const { code, stdout } = await runOnSite(['user', command, email], mailEnvironment)
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(`^Give this link to \\S+\\. It expires in [a-z ]+:\\n\\S+/panel/${command}#token=\\S+\\n$`),
      ),
    ])
  }
})

test('an unknown account is reported in one line', async () => {
  for (const command of ['reset', 'invite'])
    expect(await runOnSite(['user', command, 'nobody@example.org'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'quoin: There is no account “nobody@example.org”.\n',
    })
})
