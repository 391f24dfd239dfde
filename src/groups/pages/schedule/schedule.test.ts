import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { requestsOf } from '../../../../test/requests.ts'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../../test/harness.ts'
import { describeRole, createSignedInUser } from '../../../../test/signed-in-user.ts'
import { refusal } from '../../../../test/sign-in.ts'
import { createPage } from '../create.ts'
import { carryOutDue, startSchedule } from './due.ts'
import { operatorContext } from '../../../cli/site.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/default.yml': 'fields: { text: { type: text } }',
  'pages/strict.yml': 'fields: { text: { type: text, required: true } }',
  'pages/plain.yml': 'status: { draft: true, listed: true }',
  'pages/listing.yml': 'sections: { notes: { type: pages, min: 1 } }',
})
describeRole(storage, 'writer', 'permissions: { pages: { changeStatus: false } }')
describeRole(storage, 'anonymous', 'permissions: { pages: { access: false } }')
const site = await createTestApp({ storage })
const { app } = site
const { db } = app.store
const anna = await createSignedInUser(site)
const ask = await requestsOf(anna)

/** Short enough that sessions do not expire. */
const soon = 5 * 60_000
const later = (milliseconds: number) => new Date(storage.clock() + milliseconds).toISOString()

let pageCount = 0
async function newPage(template = 'default'): Promise<{ uuid: string; path: string }> {
  const path = `page-${++pageCount}`
  return {
    uuid: await createPage(operatorContext(app), '', { shownReferences: 'all', slug: path, title: path, template }),
    path,
  }
}

const rowOf = (uuid: string) => db.selectFrom('pages').selectAll().where('uuid', '=', uuid).executeTakeFirstOrThrow()
const plansFor = (uuid: string) => db.selectFrom('schedules').selectAll().where('page', '=', uuid).execute()
const eventsOf = (uuid: string) =>
  db
    .selectFrom('audit_events')
    .select(['actor_id', 'detail'])
    .where('subject_id', '=', `page://${uuid}`)
    .where('event', '=', 'page.status')
    .orderBy('id')
    .execute()

test('a scheduled status is set at its time, and not before', async () => {
  const { uuid, path } = await newPage()
  const at = later(soon)
  const planned = { status: 'listed', at, user: { id: anna.id, username: anna.email }, problem: null }
  const answer = await ask('PATCH', `/pages/${path}/schedule`, { status: 'listed', at })
  expect(answer.json()).toMatchObject({ type: 'model', data: planned })
  expect((await ask('GET', `/pages/${path}/schedule`)).json()).toMatchObject({ data: planned })
  expect((await ask('GET', `/pages/${path}?select=schedule`)).json()).toMatchObject({ data: { schedule: planned } })
  expect((await ask('GET', `/pages/${path}?view=panel`)).json()).not.toHaveProperty('data.schedule')
  await storage.moveClock(soon - 60_000)
  await carryOutDue(app)
  expect(await rowOf(uuid)).toMatchObject({ status: 'draft' })
  await storage.moveClock(61_000)
  await carryOutDue(app)
  expect(await rowOf(uuid)).toMatchObject({ status: 'listed', num: 1, revision: 2 })
  expect(await plansFor(uuid)).toEqual([])
  const event = (await eventsOf(uuid)).at(-1)!
  expect(event.actor_id).toBe(anna.id)
  expect(JSON.parse(event.detail)).toMatchObject({ status: 'listed', oldStatus: 'draft', revision: 2 })
  expect((await ask('GET', `/pages/${path}?select=schedule`)).json()).toMatchObject({ data: { schedule: null } })
})

test('a page has one schedule: a new one replaces it, and it can be cancelled', async () => {
  const { uuid, path } = await newPage()
  for (const status of ['unlisted', 'listed'])
    expect((await ask('PATCH', `/pages/${path}/schedule`, { status, at: later(soon) })).statusCode).toBe(200)
  expect(await plansFor(uuid)).toMatchObject([{ status: 'listed' }])
  expect((await ask('DELETE', `/pages/${path}/schedule`)).json()).toMatchObject({ status: 'ok' })
  for (const method of ['GET', 'DELETE'] as const)
    expect(refusal(await ask(method, `/pages/${path}/schedule`))).toMatchObject({
      status: 404,
      key: 'error.page.schedule.notFound',
    })
})

test.each([
  [{ status: 'listed' }, 'error.validation'],
  [{ at: '2090-01-01T00:00:00Z' }, 'error.validation'],
  [{ status: 'gone', at: '2027-01-01T00:00:00Z' }, 'error.validation'],
  [{ status: 'listed', at: 'tomorrow' }, 'error.validation'],
  [{ status: 'listed', at: 1 }, 'error.validation'],
  [{ status: 'listed', at: '2027-02-30T00:00:00Z' }, 'error.validation'],
  [{ status: 'listed', at: '2027-01-01T00:00:00' }, 'error.validation'],
  [{ status: 'listed', at: '9999-01-01T00:00:00Z' }, 'error.validation'],
  [{ status: 'listed', at: '2027-01-01T00:00:00Z', more: 1 }, 'error.validation'],
  [{ status: 'listed', at: '2001-01-01T00:00:00Z' }, 'error.page.schedule.past'],
])('an invalid schedule is refused: %j', async (body, key) => {
  const { uuid, path } = await newPage()
  expect(refusal(await ask('PATCH', `/pages/${path}/schedule`, body))).toMatchObject({ status: 400, key })
  expect(await plansFor(uuid)).toEqual([])
})

test('a status that is never possible is refused at once; one that fails later keeps its error', async () => {
  const plain = await newPage('plain')
  const at = later(soon)
  expect(refusal(await ask('PATCH', `/pages/${plain.path}/schedule`, { status: 'unlisted', at })).key).toBe(
    'error.page.status.invalid',
  )
  const { uuid, path } = await newPage('strict')
  await ask('PATCH', `/pages/${path}/schedule`, { status: 'listed', at })
  await storage.moveClock(2 * soon)
  await carryOutDue(app)
  await carryOutDue(app)
  expect(await rowOf(uuid)).toMatchObject({ status: 'draft', revision: 1 })
  expect((await ask('GET', `/pages/${path}/schedule`)).json()).toMatchObject({
    data: { problem: 'error.page.changeStatus.incomplete' },
  })
  expect((await ask('PATCH', `/pages/${path}`, { text: 'filled in' })).statusCode).toBe(200)
  await carryOutDue(app)
  expect(await rowOf(uuid), 'it was not scheduled again').toMatchObject({ status: 'draft' })
  await ask('PATCH', `/pages/${path}/schedule`, { status: 'listed', at: later(soon) })
  await storage.moveClock(2 * soon)
  await carryOutDue(app)
  expect(await rowOf(uuid)).toMatchObject({ status: 'listed' })
})

test('an already listed page keeps its position', async () => {
  const pages = [await newPage(), await newPage()]
  for (const { path } of pages) await ask('PATCH', `/pages/${path}/status`, { status: 'listed' })
  const before = await rowOf(pages[0]!.uuid)
  await ask('PATCH', `/pages/${pages[0]!.path}/schedule`, { status: 'listed', at: later(soon) })
  await storage.moveClock(2 * soon)
  await carryOutDue(app)
  expect(await rowOf(pages[0]!.uuid)).toEqual(before)
  expect(await plansFor(pages[0]!.uuid)).toEqual([])
})

test('scheduling requires the permission to change the status, and a visible page', async () => {
  const { uuid, path } = await newPage()
  const body = { status: 'listed', at: later(soon) }
  const writer = await requestsOf(await createSignedInUser(site, { role: 'writer' }))
  for (const method of ['PATCH', 'DELETE'] as const)
    expect(refusal(await writer(method, `/pages/${path}/schedule`, method === 'PATCH' ? body : undefined)).key).toBe(
      'error.page.changeStatus.permission',
    )
  expect(refusal(await writer('GET', `/pages/${path}/schedule`)).key).toBe('error.page.schedule.notFound')
  const anonymous = await requestsOf(await createSignedInUser(site, { role: 'anonymous' }))
  for (const method of ['GET', 'PATCH', 'DELETE'] as const)
    expect(refusal(await anonymous(method, `/pages/${path}/schedule`, method === 'PATCH' ? body : undefined)).key).toBe(
      'error.page.notFound',
    )
  const late = await ask('PATCH', `/pages/${path}/schedule`, body, { 'if-match': '"7"' })
  expect(refusal(late)).toMatchObject({ status: 412, key: 'error.content.changed' })
  expect(await plansFor(uuid)).toEqual([])
})

test.each([
  ['whose account is no longer active', { status: 'disabled' }],
  ['whose role no longer may', { role: 'writer' }],
  ['who does not see the page any more', { role: 'anonymous' }],
  ['who is gone', undefined],
] as const)('a schedule of an account %s is not carried out', async (_, now) => {
  const { uuid, path } = await newPage()
  const planner = await createSignedInUser(site)
  await (
    await requestsOf(planner)
  )('PATCH', `/pages/${path}/schedule`, { status: 'listed', at: later(soon) })
  if (now) await db.updateTable('users').set(now).where('id', '=', planner.id).execute()
  else await db.deleteFrom('users').where('id', '=', planner.id).execute()
  await storage.moveClock(2 * soon)
  await carryOutDue(app)
  expect(await rowOf(uuid)).toMatchObject({ status: 'draft', revision: 1 })
  expect(await plansFor(uuid)).toMatchObject([{ problem: 'page.changeStatus.permission' }])
})

test('a schedule of the system is carried out, and sections are checked, too', async () => {
  const [plain, bare] = [await newPage(), await newPage('listing')]
  for (const { uuid } of [plain, bare])
    await db
      .insertInto('schedules')
      .values({ page: uuid, status: 'unlisted', due_at: storage.clock(), user_id: null, problem: null })
      .execute()
  await storage.moveClock(1000)
  await carryOutDue(app)
  expect(await rowOf(plain.uuid)).toMatchObject({ status: 'unlisted' })
  expect(await rowOf(bare.uuid)).toMatchObject({ status: 'draft' })
  expect(await plansFor(bare.uuid)).toMatchObject([{ problem: 'page.changeStatus.incomplete' }])
})

test('a schedule is deleted with its page', async () => {
  const { uuid, path } = await newPage()
  await ask('PATCH', `/pages/${path}/schedule`, { status: 'listed', at: later(soon) })
  expect((await ask('DELETE', `/pages/${path}`)).statusCode).toBe(200)
  expect(await plansFor(uuid)).toEqual([])
})

test('two processes carry out each of many schedules exactly once', async () => {
  const otherSite = await createTestApp({ storage })
  const admin = await createSignedInUser(site)
  const pages: string[] = []
  for (let at = 0; at < 20; at++) pages.push((await newPage()).uuid)
  await db
    .insertInto('schedules')
    .values(
      pages.map(page => ({
        page,
        status: 'listed' as const,
        due_at: storage.clock() + soon,
        user_id: admin.id,
        problem: null,
      })),
    )
    .execute()
  await storage.moveClock(2 * soon)
  await Promise.all([carryOutDue(app), carryOutDue(otherSite.app), carryOutDue(app)])
  const rows = await db.selectFrom('pages').selectAll().where('uuid', 'in', pages).execute()
  expect(rows.map(({ status, revision }) => `${status} ${revision}`)).toEqual(pages.map(() => 'listed 2'))
  expect(new Set(rows.map(({ num }) => num)).size, 'each has its own number').toBe(pages.length)
  const events = await db
    .selectFrom('audit_events')
    .select('id')
    .where('event', '=', 'page.status')
    .where(
      'subject_id',
      'in',
      pages.map(uuid => `page://${uuid}`),
    )
    .execute()
  expect(events.length).toBe(pages.length)
  expect(await db.selectFrom('schedules').select('page').where('page', 'in', pages).execute()).toEqual([])
})

test('a running server carries out schedules until it stops', async () => {
  const { uuid } = await newPage()
  await db
    .insertInto('schedules')
    .values({ page: uuid, status: 'unlisted', due_at: storage.clock() + 150, user_id: null, problem: null })
    .execute()
  const end = startSchedule(app)
  await expect.poll(async () => (await rowOf(uuid)).status).toBe('unlisted')
  await end()
  await db
    .insertInto('schedules')
    .values({ page: uuid, status: 'draft', due_at: storage.clock(), user_id: null, problem: null })
    .execute()
  await wait(120)
  expect((await rowOf(uuid)).status).toBe('unlisted')
})
