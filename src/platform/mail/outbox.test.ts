import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { addUser, createTestStorage, createTestApp, password, type TestApp } from '../../../test/harness.ts'
import { createSite as createProgramSite, serve } from '../../../test/program.ts'
import { isFirstEngine, isSlow, rounds } from '../../../test/slow.ts'
import { newIp, postLogin, statementsOf, withoutStore } from '../../../test/sign-in.ts'
import { createMailServer, type MailServer, refusal } from '../../../test/smtp.ts'
import { randomToken } from '../lib/id.ts'
import type { Mail } from './render.ts'
import { queueMail } from './mail.ts'
import { claimJob } from '../queue/queries.ts'
import { sweepJobs } from '../queue/queue.ts'
import { startSending } from './outbox.ts'
import { until } from '../../../test/until.ts'

const minute = 60_000

async function createSite(server: MailServer, more: Parameters<typeof createTestApp>[0] = {}): Promise<TestApp> {
  return createTestApp({ ...more, settings: { ...server.settings, ...more.settings } })
}

/** Port 1 is reserved: no other program listens there, as one may on a port that was just closed. */
const noServer = { mail: { url: 'smtp://127.0.0.1:1', from: 'Our site <cms@example.org>' } }

let count = 0
const notice = (more: Partial<Mail> = {}): Mail =>
  ({ to: `ada${++count}@example.org`, template: 'passwordChanged', language: 'en', data: {}, ...more }) as Mail

const queueMails = ({ app }: TestApp, ...mails: Mail[]) =>
  app.store.write(async tx => {
    for (const mail of mails) await queueMail(app, tx, mail)
  })
const rows = ({ app }: TestApp) => app.store.db.selectFrom('jobs').selectAll().orderBy('number').execute()
const jobCount = async (site: TestApp) => (await rows(site)).length

/** Sends until nothing is due, then stops. */
async function sendAll(site: TestApp): Promise<void> {
  const stop = startSending(site.app, { pollMs: 20 })
  try {
    await until(async () =>
      expect((await rows(site)).filter(row => row.finished_at === null && row.due_at <= site.storage.clock())).toEqual(
        [],
      ),
    )
  } finally {
    await stop()
  }
}

// ---- sent once

test('a mail is sent once, and its row is deleted', async () => {
  const server = await createMailServer()
  const site = await createSite(server)
  await queueMails(site, notice({ to: 'ada@example.org' }))
  expect(await jobCount(site)).toBe(1)
  await sendAll(site)
  expect(server.mails.map(mail => [mail.from, mail.to])).toEqual([['cms@example.org', ['ada@example.org']]])
  expect(await jobCount(site)).toBe(0)
})

test('a mail is sent without waiting for the next poll', async () => {
  const server = await createMailServer()
  const site = await createSite(server)
  const stop = startSending(site.app, { pollMs: 3_600_000 })
  for (let round = 1; round <= 3; round++) {
    await queueMails(site, notice())
    await until(() => expect(server.mails).toHaveLength(round))
  }
  await stop()
})

test('mail of another process is sent at the next poll', async () => {
  const server = await createMailServer()
  const storage = await createTestStorage()
  const [one, other] = [await createSite(server, { storage }), await createSite(server, { storage })]
  const stop = startSending(one.app, { pollMs: 50 })
  await sleep(100)
  await queueMails(other, notice())
  await until(() => expect(server.mails).toHaveLength(1))
  await stop()
})

test('a mail of a rolled-back transaction is not queued', async () => {
  const server = await createMailServer()
  const site = await createSite(server)
  const work = site.app.store.write(async tx => {
    await queueMail(site.app, tx, notice())
    throw new Error('no')
  })
  await expect(work).rejects.toThrow('no')
  expect(await jobCount(site)).toBe(0)
})

test('with two processes on one store each mail is sent by one', async () => {
  const server = await createMailServer()
  const storage = await createTestStorage()
  const sites = [await createSite(server, { storage }), await createSite(server, { storage })]
  const stops = sites.map(({ app }) => startSending(app, { pollMs: 20 }))
  const total = rounds(20, 60)
  const mails = Array.from({ length: total }, () => notice())
  await Promise.all(mails.map((mail, index) => queueMails(sites[index % 2]!, mail)))
  await until(async () => expect(await jobCount(sites[0]!)).toBe(0))
  await Promise.all(stops.map(stop => stop()))
  expect(server.mails).toHaveLength(total)
  expect(new Set(server.mails.map(mail => mail.to[0]))).toEqual(new Set(mails.map(mail => mail.to)))
  const sentCounts = sites.map(site => site.logged.filter(line => line['event'] === 'mail.sent').length)
  expect(sentCounts[0]! + sentCounts[1]!).toBe(total)
})

test.runIf(isFirstEngine)('many mails use few connections', async () => {
  const server = await createMailServer()
  const site = await createSite(server)
  const total = rounds(25, 200)
  const mails = Array.from({ length: total }, () => notice())
  await queueMails(site, ...mails)
  await sendAll(site)
  expect(new Set(server.mails.map(mail => mail.to[0])).size).toBe(total)
  expect(server.mails).toHaveLength(total)
  expect(server.connections).toBeLessThan(10)
})

test('without a mail server nothing is queued', async () => {
  const site = await createTestApp()
  await queueMails(site, notice())
  expect(await jobCount(site)).toBe(0)
  await startSending(site.app)()
})

// ---- retries

test('K18: while the mail server is down mails wait, and are sent when it is back', async () => {
  const storage = await createTestStorage()
  const site = await createTestApp({ storage, settings: noServer })
  await queueMails(site, notice({ to: 'ada@example.org' }))
  await sendAll(site)
  const after = site.storage.clock()
  const [row] = await rows(site)
  expect(row).toMatchObject({ attempts: 1, problem: expect.stringContaining('ECONNREFUSED') as string })
  expect(row!.due_at - minute).toBeGreaterThanOrEqual(row!.created_at)
  expect(row!.due_at - minute).toBeLessThanOrEqual(after + 1) // the clock of PostgreSQL may be rounded up
  expect(site.logged.filter(line => line['event'] === 'mail.postponed')).toHaveLength(1)
  const server = await createMailServer()
  const back = await createSite(server, { storage })
  await storage.moveClock(minute + 1000)
  await sendAll(back)
  expect(server.mails).toHaveLength(1)
  expect(await jobCount(back)).toBe(0)
})

test('a server that is down is tried once per poll, not once per mail', async () => {
  const site = await createTestApp({ settings: noServer })
  await queueMails(site, ...Array.from({ length: 50 }, () => notice()))
  const stop = startSending(site.app, { pollMs: 3_600_000 })
  await until(() => expect(site.logged.some(line => line['event'] === 'mail.postponed')).toBe(true))
  await sleep(200)
  await stop()
  expect((await rows(site)).filter(row => row.attempts > 0)).toHaveLength(1)
})

test('retries become less frequent and end after two days; the mail stays with its error', async () => {
  const storage = await createTestStorage()
  const site = await createTestApp({ storage, settings: noServer })
  const mail = notice()
  await queueMails(site, mail)
  const waits: number[] = []
  for (let round = 0; round < 30; round++) {
    await sendAll(site)
    const [row] = await rows(site)
    if (row!.finished_at !== null) break
    const wait = Math.round((row!.due_at - site.storage.clock()) / minute)
    waits.push(wait)
    await site.storage.moveClock(wait * minute + 1000)
  }
  expect(waits.slice(0, 6)).toEqual([1, 5, 15, 60, 240, 240])
  expect(waits.reduce((sum, wait) => sum + wait, 0) / 60).toBeGreaterThan(40)
  expect(waits.reduce((sum, wait) => sum + wait, 0) / 60).toBeLessThan(48)
  const failed = site.logged.filter(line => line['event'] === 'mail.failed')
  expect(failed).toMatchObject([{ level: 50, template: 'passwordChanged', attempts: waits.length + 1 }])
  await storage.moveClock(10 * 24 * 60 * minute)
  const server = await createMailServer()
  await sendAll(await createSite(server, { storage }))
  expect(server.mails).toEqual([])
  expect(await rows(site)).toMatchObject([{ problem: expect.stringContaining('ECONNREFUSED') as string }])
  await site.app.store.write(tx => sweepJobs(tx, 10))
  expect(await jobCount(site)).toBe(1)
  await site.storage.moveClock(30 * 24 * 60 * minute)
  await site.app.store.write(tx => sweepJobs(tx, 10))
  expect(await jobCount(site)).toBe(0)
})

test('K18: a permanently refused mailbox is not retried, and delays no other mail', async () => {
  const server = await createMailServer()
  const site = await createSite(server)
  server.onRecipient = async address => {
    if (address.startsWith('gone')) throw refusal(550, `5.1.1 <${address}>: no such mailbox`)
  }
  await queueMails(site, notice({ to: 'gone@example.org' }), notice({ to: 'here@example.org' }))
  await sendAll(site)
  expect(server.mails.map(mail => mail.to[0])).toEqual(['here@example.org'])
  const [row] = await rows(site)
  expect(row).toMatchObject({ attempts: 1, problem: '550 5.1.1 <…>: no such mailbox' })
  expect(site.logged.filter(line => line['event'] === 'mail.failed')).toHaveLength(1)
  await site.storage.moveClock(24 * 60 * minute)
  await sendAll(site)
  expect(await rows(site)).toEqual([row])
})

test('a permanently refused mail is not retried', async () => {
  const server = await createMailServer()
  const site = await createSite(server)
  server.onMail = async () => {
    throw refusal(554, 'This looks like spam')
  }
  await queueMails(site, notice())
  await sendAll(site)
  expect(await rows(site)).toMatchObject([{ attempts: 1, problem: '554 This looks like spam' }])
  expect(site.logged.filter(line => line['event'] === 'mail.failed')).toHaveLength(1)
})

test('K18: a temporarily refused mailbox is retried, and delays no other mail', async () => {
  const server = await createMailServer()
  const site = await createSite(server)
  const busy = new Set(['busy@example.org'])
  server.onRecipient = async address => {
    if (busy.has(address)) throw refusal(451, 'try later')
  }
  await queueMails(site, notice({ to: 'busy@example.org' }), notice({ to: 'here@example.org' }))
  await sendAll(site)
  expect(server.mails.map(mail => mail.to[0])).toEqual(['here@example.org'])
  expect(await rows(site)).toMatchObject([{ attempts: 1, problem: '451 try later' }])
  busy.clear()
  await site.storage.moveClock(minute + 1000)
  await sendAll(site)
  expect(server.mails.map(mail => mail.to[0])).toEqual(['here@example.org', 'busy@example.org'])
  expect(await jobCount(site)).toBe(0)
})

test('the configured login is used; a wrong password is retried like an outage', async () => {
  const server = await createMailServer({ login: { user: 'cms@example.org', password: 'p:a/s s%' } })
  const site = await createSite(server)
  await queueMails(site, notice())
  await sendAll(site)
  expect(server.mails).toHaveLength(1)
  const url = server.settings.mail.url!.replace('p%3A', 'x')
  const wrong = await createTestApp({ settings: { mail: { ...server.settings.mail, url } } })
  await queueMails(wrong, notice())
  await sendAll(wrong)
  expect(await rows(wrong)).toMatchObject([{ attempts: 1, problem: expect.stringMatching(/^535 /) as string }])
  expect(wrong.logged.filter(line => line['event'] === 'mail.postponed')).toHaveLength(1)
})

test('a password is not sent to a remote server without TLS', async () => {
  const server = await createMailServer({ login: { user: 'cms', password: 'secret' } })
  const { port } = new URL(server.settings.mail.url!)
  // `0.0.0.0` reaches this machine, but is not a loopback name, so TLS is required.
  const settings = { mail: { ...server.settings.mail, url: `smtp://cms:secret@0.0.0.0:${port}` } }
  const site = await createTestApp({ settings })
  await queueMails(site, notice())
  await sendAll(site)
  expect(server.mails).toEqual([])
  expect(await rows(site)).toMatchObject([{ attempts: 1 }])
})

// ---- slow servers, and stopping

/** Takes connections and says nothing. */
async function createSilentServer() {
  let connections = 0
  const server = createServer(socket => {
    connections++
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const settings = { mail: { url: `smtp://127.0.0.1:${port}`, from: 'cms@example.org' } }
  return { settings, connections: () => connections, close: () => server.close() }
}

// Both tests wait, so they run concurrently.
test.runIf(isSlow).concurrent('K18, M12: an unresponsive mail server delays neither logins nor queueing', async () => {
  const silent = await createSilentServer()
  const site = await createTestApp({ settings: silent.settings })
  const { email } = await addUser(site)
  const problems = () => site.logged.filter(line => line['event'] === 'mail.postponed').map(line => line['problem'])
  const stop = startSending(site.app, { pollMs: 50 })
  await queueMails(site, notice())
  await until(() => expect(silent.connections()).toBe(1))
  await queueMails(site, ...Array.from({ length: 20 }, () => notice()))
  expect((await postLogin(site.browser({ ip: newIp() }), { email, password })).statusCode).toBe(200)
  expect(problems(), 'the first mail is still under way').toEqual([])
  await until(() => expect(silent.connections()).toBe(2))
  expect(problems()).toEqual([expect.stringMatching(/ETIMEDOUT.*[Gg]reeting/)])
  await stop()
  expect(problems(), 'the second is aborted by the stop').toEqual([
    expect.any(String),
    expect.not.stringMatching(/[Gg]reeting/),
  ])
  const tried = (await rows(site)).filter(row => row.attempts > 0)
  expect([tried.length, await jobCount(site)]).toEqual([2, 21])
  silent.close()
})

// The tests below check the same within one process; this one stops and kills real ones.
test
  .runIf(isSlow)
  .concurrent('a process that stops finishes its mail; one that is killed leaves it to the others', async () => {
    const server = await createMailServer()
    const { url, from } = server.settings.mail
    const programSite = await createProgramSite({
      QUOIN_MAIL_URL: url!,
      QUOIN_MAIL_FROM: from!,
      QUOIN_LOG_LEVEL: 'error',
    })
    const testApp = await createSite(server, { storage: programSite.storage })
    let startCount = 0
    let held = Promise.withResolvers<void>()
    server.onMail = () => {
      startCount++
      return held.promise
    }

    await queueMails(testApp, notice({ to: 'one@example.org' })) // found by the first poll
    const firstServer = await serve(programSite)
    await until(() => expect(startCount).toBe(1))
    const stopped = firstServer.stop('SIGTERM')
    const isReady = () =>
      fetch(`http://127.0.0.1:${firstServer.port}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    await expect.poll(isReady).toBe(false)
    held.resolve()
    expect(await stopped).toEqual({ code: 0, signal: null })
    expect(firstServer.output()).toBe('')
    expect(server.mails).toHaveLength(1)
    expect(await jobCount(testApp)).toBe(0)

    held = Promise.withResolvers()
    await queueMails(testApp, notice({ to: 'two@example.org' }))
    const secondServer = await serve(programSite)
    await until(() => expect(startCount).toBe(2))
    await secondServer.stop('SIGKILL')
    held.resolve()
    const [row] = await rows(testApp)
    expect(row).toMatchObject({ attempts: 1, problem: null })
    expect(row!.due_at - row!.created_at).toBeGreaterThan(60_000)
  })

test('stopping waits for the mail in progress, and leaves the others', async () => {
  const server = await createMailServer()
  const site = await createSite(server)
  let startCount = 0
  const held = Promise.withResolvers<void>()
  server.onMail = () => {
    startCount++
    return held.promise
  }
  await queueMails(site, notice(), notice(), notice())
  const stop = startSending(site.app)
  await until(() => expect(startCount).toBe(1))
  const stopped = stop()
  held.resolve()
  await stopped
  expect(server.mails).toHaveLength(1)
  expect(await rows(site)).toMatchObject([{ attempts: 0 }, { attempts: 0 }])
  await queueMails(site, notice())
  await sleep(300)
  expect(startCount, 'nothing begins after the stop').toBe(1)
})

test('a mail whose sender died is sent by another process after the lease', async () => {
  const server = await createMailServer()
  const storage = await createTestStorage()
  const [one, other] = [await createSite(server, { storage }), await createSite(server, { storage })]
  await queueMails(one, notice())
  const { number } = (await rows(one))[0]!
  const claims = await Promise.all(
    [one, other, one, other].map(({ app }) => app.store.write(tx => claimJob(tx, number, 120_000))),
  )
  expect(claims.filter(claim => claim !== undefined)).toHaveLength(1)
  await sendAll(other)
  expect(server.mails).toEqual([])
  await storage.moveClock(121_000)
  await sendAll(other)
  expect(server.mails).toHaveLength(1)
})

test('an unreachable database is polled again', async () => {
  const server = await createMailServer()
  const site = await createSite(server)
  await queueMails(site, notice())
  const stop = await withoutStore(site, async () => {
    const stopSending = startSending(site.app, { pollMs: 20 })
    await until(() => expect(site.logged.some(line => String(line['msg']).includes('queue'))).toBe(true))
    return stopSending
  })
  await until(() => expect(server.mails).toHaveLength(1))
  await stop()
})

// ---- never sent

test('an expired link is not sent', async () => {
  const server = await createMailServer()
  const site = await createSite(server)
  await queueMails(site, { to: 'ada@example.org', template: 'reset', language: 'en', data: { code: '1', token: 'x' } })
  await queueMails(site, { to: 'ada@example.org', template: 'invite', language: 'en', data: { token: 'x' } })
  await site.storage.moveClock(11 * minute)
  await sendAll(site)
  expect(server.mails.map(mail => mail.headers['subject'])).toEqual(['Your invitation to 127.0.0.1:4080'])
  expect(await jobCount(site)).toBe(0)
  expect(site.logged.filter(line => line['event'] === 'mail.expired')).toMatchObject([{ template: 'reset' }])
})

test('a mail about a deleted account is not sent', async () => {
  const server = await createMailServer()
  const site = await createSite(server)
  const [gone, here] = [await addUser(site), await addUser(site)]
  await queueMails(site, notice({ to: gone.email, user: gone.id }), notice({ to: here.email, user: here.id }))
  await site.app.store.db.deleteFrom('users').where('id', '=', gone.id).execute()
  await sendAll(site)
  expect(server.mails.map(mail => mail.to[0])).toEqual([here.email])
  expect(await jobCount(site)).toBe(0)
})

test('E07: a decoy takes the same statements as a mail, and is not sent', async () => {
  const server = await createMailServer()
  const site = await createSite(server)
  const data = { code: '12345678', token: randomToken() }
  const ask = (to: string, decoy: boolean) =>
    statementsOf(site, () => queueMails(site, { to, template: 'reset', language: 'en', data, decoy }))
  const real = await ask('real@example.org', false)
  const decoy = await ask('unknown@example.org', true)
  expect(decoy).toEqual(real)
  await sendAll(site)
  expect(server.mails.map(({ to }) => to[0])).toEqual(['real@example.org'])
  expect(await jobCount(site)).toBe(0)
})

test('a mail that cannot be decrypted stays and is logged', async () => {
  const server = await createMailServer()
  const site = await createSite(server)
  await queueMails(site, notice(), notice())
  const [one, two] = await rows(site)
  await site.app.store.db.updateTable('jobs').set({ payload: one!.payload }).where('id', '=', two!.id).execute()
  await sendAll(site)
  expect(server.mails).toHaveLength(1)
  expect(await rows(site)).toMatchObject([{ id: two!.id, problem: expect.stringContaining('opened') as string }])
  expect(site.logged.filter(line => line['event'] === 'mail.failed')).toHaveLength(1)
})

// ---- secrets

test('neither store nor log reveal addresses or links', async () => {
  const server = await createMailServer()
  const site = await createSite(server)
  const token = randomToken()
  server.onRecipient = async address => {
    throw refusal(451, `<${address}> is greylisted`)
  }
  await queueMails(site, {
    to: 'ada@example.org',
    template: 'reset',
    language: 'en',
    data: { code: '87654321', token },
  })
  await sendAll(site)
  const found = JSON.stringify([await rows(site), site.logged])
  for (const secret of [token, '87654321', 'ada@', 'example.org', 'reset#']) expect(found).not.toContain(secret)
  expect(found).toContain('greylisted')
})
