import type { LightMyRequestResponse as Answer } from 'fastify'
import { expect, test } from 'vitest'
import { addUser, createPlace, createTestApp } from '../../../test/harness.ts'
import { describeRole, person, type Person } from '../../../test/person.ts'
import { refusal } from '../../../test/sign-in.ts'
import { createLanguage } from '../../languages/languages.ts'

const place = await createPlace()
describeRole(
  place,
  'member',
  `fields:
    bio: { type: textarea }
    level: { type: number, max: 10 }
    motto: { type: text, required: true }
    tags: { type: tags }
`,
)
describeRole(place, 'reader', 'permissions: { users: { update: false } }')
const site = await createTestApp({ place })
const { db } = site.app.store
const anna = await person(site)
const bert = await person(site)
const reader = await person(site, { role: 'reader' })

const minute = 60_000

async function newMember(content: object = { motto: 'first' }): Promise<string> {
  const { id } = await addUser(site, { role: 'member' })
  expect((await anna.call('PATCH', id, content)).statusCode).toBe(200)
  return id
}

const contentOf = async (id: string) =>
  (await anna.call('GET', id)).json<{ data: { content: Record<string, unknown> } }>().data.content

interface Shown {
  content: Record<string, unknown>
  fields: string[]
  conflicts: string[]
  user: { id: string; email: string; username: string } | null
  modified: string | null
  isLocked: boolean
}
const changesOf = async (id: string, who: Person = anna) =>
  (await who.call('GET', `${id}/changes`)).json<{ data: Shown }>().data

const rowsOf = (id: string) => db.selectFrom('changes').selectAll().where('owner', '=', `user://${id}`).execute()

function ok(answer: Answer): void {
  expect(answer.json()).toEqual({ status: 'ok' })
}

test('changes are kept beside what is published, merged, and published at once', async () => {
  const id = await newMember()
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'draft' }))
  ok(await anna.call('POST', `${id}/changes/save`, { Level: 3, tags: ['a'] }))
  expect(await contentOf(id)).toMatchObject({ bio: '', motto: 'first' })
  expect(await changesOf(id)).toMatchObject({
    content: { bio: 'draft', level: 3, motto: 'first', tags: ['a'] },
    fields: ['bio', 'level', 'tags'],
    conflicts: [],
    user: { id: anna.id, email: anna.email, username: anna.email },
    isLocked: false,
  })
  expect((await anna.call('GET', `?q=draft`)).body).not.toContain('draft"')
  ok(await anna.call('POST', `${id}/changes/publish`, { bio: 'done' }))
  expect(await contentOf(id)).toEqual({ bio: 'done', level: 3, motto: 'first', tags: ['a'] })
  expect(await rowsOf(id)).toEqual([])
  const history = await db
    .selectFrom('history')
    .select(['action', 'user_id', 'fields'])
    .where('owner', '=', `user://${id}`)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  expect(history).toEqual({ action: 'publish', user_id: anna.id, fields: JSON.stringify(['bio', 'level', 'tags']) })
})

test('without changes there is what is published, and publishing changes nothing', async () => {
  const id = await newMember()
  expect(await changesOf(id)).toEqual({
    content: await contentOf(id),
    fields: [],
    conflicts: [],
    user: null,
    modified: null,
    isLocked: false,
  })
  const before = (await anna.call('GET', id)).headers['etag']
  ok(await anna.call('POST', `${id}/changes/publish`))
  ok(await anna.call('POST', `${id}/changes/discard`))
  ok(await anna.call('POST', `${id}/changes/unlock`))
  expect((await anna.call('GET', id)).headers['etag']).toBe(before)
})

test('a change that is as published is none', async () => {
  const id = await newMember()
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'x', motto: 'first' }))
  expect((await changesOf(id)).fields).toEqual(['bio'])
  ok(await anna.call('POST', `${id}/changes/save`, { bio: '' }))
  expect(await rowsOf(id)).toEqual([])
})

test('discarded changes are gone', async () => {
  const id = await newMember()
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'x' }))
  ok(await anna.call('POST', `${id}/changes/discard`))
  expect(await rowsOf(id)).toEqual([])
  ok(await anna.call('POST', `${id}/changes/publish`))
  expect(await contentOf(id)).toMatchObject({ bio: '' })
})

test('the form of a change is asked, the rules of the blueprint when it is published', async () => {
  const id = await newMember()
  expect(refusal(await anna.call('POST', `${id}/changes/save`, { tags: 7, bio: 'x' }))).toMatchObject({
    status: 400,
    key: 'error.invalidArgument',
    details: { tags: expect.anything() as unknown },
  })
  expect(refusal(await anna.call('POST', `${id}/changes/save`, { email: 'x@example.org' }))).toMatchObject({
    status: 400,
    details: { email: { message: { reserved: expect.anything() as unknown } } },
  })
  expect(await rowsOf(id)).toEqual([])
  ok(await anna.call('POST', `${id}/changes/save`, { level: 30, motto: '' }))
  const refused = refusal(await anna.call('POST', `${id}/changes/publish`, { bio: 'more' }))
  expect(refused).toMatchObject({ status: 400, key: 'error.invalidArgument' })
  expect(Object.keys(refused.details).toSorted()).toEqual(['level', 'motto'])
  expect(await changesOf(id), 'nothing is lost').toMatchObject({ content: { level: 30, motto: '', bio: '' } })
  ok(await anna.call('POST', `${id}/changes/publish`, { level: 9, motto: 'second' }))
  expect(await contentOf(id)).toMatchObject({ level: 9, motto: 'second' })
})

test.each(['[]', '"x"', '{"": 1}', `{"${'n'.repeat(101)}": 1}`, '{"__proto__": {"a": 1}}', '{"a": 1, "a": 2}'])(
  'what is no content is refused: %s',
  async body => {
    const id = await newMember()
    const csrf = (await anna.browser.send({ url: '/api/auth' })).json<{ csrf: string }>().csrf
    const answer = await anna.browser.send({
      method: 'POST',
      url: `/api/users/${id}/changes/save`,
      headers: { 'content-type': 'application/json', 'x-csrf': csrf, 'sec-fetch-site': 'same-origin' },
      payload: body,
    })
    expect(answer.statusCode).toBe(400)
    expect(await rowsOf(id)).toEqual([])
  },
)

test('all of it needs the right to update, and sees nothing of what the caller may not see', async () => {
  const id = await newMember()
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'secret' }))
  for (const [action, key] of [
    ['save', 'save'],
    ['publish', 'publish'],
    ['discard', 'discard'],
    ['unlock', 'save'],
  ] as const)
    expect(refusal(await reader.call('POST', `${id}/changes/${action}`))).toMatchObject({
      status: 403,
      key: `error.version.${key}.permission`,
    })
  expect(refusal(await reader.call('GET', `${id}/changes`))).toMatchObject({ key: 'error.user.update.permission' })
  expect((await changesOf(id)).content['bio']).toBe('secret')
  for (const action of ['save', 'publish', 'discard', 'unlock'])
    expect(refusal(await anna.call('POST', `nobody99/changes/${action}`)).key).toBe('error.user.notFound')
})

// ---- locks

test('while somebody is at work nobody else writes, and is told who it is', async () => {
  const id = await newMember()
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'mine' }))
  const attempts = [
    () => bert.call('POST', `${id}/changes/save`, { bio: 'no, mine' }),
    () => bert.call('POST', `${id}/changes/publish`, { bio: 'no, mine' }),
    () => bert.call('POST', `${id}/changes/discard`),
    () => bert.call('PATCH', id, { level: 4 }),
  ]
  for (const attempt of attempts)
    expect(refusal(await attempt())).toMatchObject({
      status: 423,
      key: 'error.content.lock',
      details: {
        user: { id: anna.id, email: anna.email, username: anna.email },
        time: expect.stringMatching(/^\d{4}-/) as string,
        unlockable: true,
      },
    })
  expect(await changesOf(id, bert)).toMatchObject({ isLocked: true, user: { id: anna.id }, content: { bio: 'mine' } })
  expect(await contentOf(id)).toMatchObject({ bio: '', motto: 'first' })
  ok(await anna.call('POST', `${id}/changes/publish`))
  expect((await bert.call('PATCH', id, { level: 4 })).statusCode).toBe(200)
  expect(await contentOf(id)).toMatchObject({ bio: 'mine', level: 4 })
})

test('what can be done with an account says that somebody else is at work', async () => {
  const id = await newMember()
  const options = async (who: Person) =>
    (await who.call('GET', `${id}?select=options`)).json<{ data: { options: Record<string, boolean> } }>().data.options
  expect((await options(bert))['update']).toBe(true)
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'mine' }))
  expect(Object.values(await options(bert)).some(Boolean)).toBe(false)
  expect((await options(anna))['update']).toBe(true)
})

test('after ten minutes anybody may go on with what is there', async () => {
  const id = await newMember()
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'begun' }))
  await place.moveClock(9 * minute)
  expect((await bert.call('POST', `${id}/changes/save`, { level: 2 })).statusCode).toBe(423)
  await place.moveClock(minute + 1)
  ok(await bert.call('POST', `${id}/changes/save`, { level: 2 }))
  expect(await changesOf(id)).toMatchObject({
    content: { bio: 'begun', level: 2 },
    user: { id: bert.id },
    isLocked: true,
  })
  expect((await anna.call('POST', `${id}/changes/publish`)).statusCode).toBe(423)
  ok(await bert.call('POST', `${id}/changes/publish`))
  expect(await contentOf(id)).toMatchObject({ bio: 'begun', level: 2 })
})

test('the changes of somebody can be taken over, with all that is in them', async () => {
  const id = await newMember()
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'begun' }))
  ok(await bert.call('POST', `${id}/changes/unlock`))
  expect(await changesOf(id, bert)).toMatchObject({ content: { bio: 'begun' }, user: { id: bert.id }, isLocked: false })
  expect((await anna.call('POST', `${id}/changes/save`, { bio: 'further' })).statusCode).toBe(423)
  ok(await bert.call('POST', `${id}/changes/publish`))
  expect(await contentOf(id)).toMatchObject({ bio: 'begun' })
})

test('changes of somebody who is gone lock nobody out', async () => {
  const id = await newMember()
  const third = await person(site)
  ok(await third.call('POST', `${id}/changes/save`, { bio: 'left behind' }))
  await db.deleteFrom('users').where('id', '=', third.id).execute()
  expect(await changesOf(id)).toMatchObject({ user: null, isLocked: false, content: { bio: 'left behind' } })
  ok(await anna.call('POST', `${id}/changes/publish`))
  expect(await contentOf(id)).toMatchObject({ bio: 'left behind' })
})

// ---- revisions

async function callWith(revision: string, path: string, body?: object, { browser }: Person = anna): Promise<Answer> {
  const csrf = (await browser.send({ url: '/api/auth' })).json<{ csrf: string }>().csrf
  const headers = { 'x-csrf': csrf, 'sec-fetch-site': 'same-origin', 'if-match': revision }
  return browser.send({
    method: 'POST',
    url: `/api/users/${path}`,
    headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
    ...(body && { payload: JSON.stringify(body) }),
  })
}

test('whoever has not seen the present state changes nothing, and is shown it', async () => {
  const id = await newMember()
  const seen = String((await anna.call('GET', id)).headers['etag'])
  ok(await callWith(seen, `${id}/changes/save`, { bio: 'x' }))
  expect(anna.browser.last.headers['etag'], 'changes that are not published are none of the thing').toBe(seen)
  expect((await anna.call('PATCH', id, { level: 1 })).headers['etag']).not.toBe(seen)
  for (const action of ['save', 'publish', 'discard', 'unlock'])
    expect(refusal(await callWith(seen, `${id}/changes/${action}`))).toMatchObject({
      status: 412,
      key: 'error.content.changed',
      details: { current: { id } },
    })
  expect((await changesOf(id)).fields).toEqual(['bio'])
  expect((await callWith('W/"x"', `${id}/changes/save`)).statusCode).toBe(400)
})

test('what somebody else has published in the meantime is not overwritten unseen', async () => {
  const id = await newMember()
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'mine', level: 5 }))
  await place.moveClock(11 * minute)
  const { headers } = await bert.call('PATCH', id, { bio: 'of Bert' })
  expect(await changesOf(id)).toMatchObject({ conflicts: ['bio'], content: { bio: 'mine' } })
  expect(refusal(await anna.call('POST', `${id}/changes/publish`))).toMatchObject({
    status: 412,
    key: 'error.content.changed',
    details: { fields: ['bio'], current: { content: { bio: 'of Bert' } } },
  })
  expect(await contentOf(id)).toMatchObject({ bio: 'of Bert', level: '' })
  ok(await callWith(String(headers['etag']), `${id}/changes/publish`))
  expect(await contentOf(id)).toMatchObject({ bio: 'mine', level: 5 })
})

test('a conflict stays until whoever writes has seen what is published', async () => {
  const id = await newMember()
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'mine' }))
  await place.moveClock(11 * minute)
  const { headers } = await bert.call('PATCH', id, { bio: 'of Bert' })
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'mine, longer', level: 5 }))
  expect((await changesOf(id)).conflicts).toEqual(['bio'])
  expect((await anna.call('POST', `${id}/changes/publish`, { bio: 'mine, at last' })).statusCode).toBe(412)
  ok(await callWith(String(headers['etag']), `${id}/changes/save`, { bio: 'of both' }))
  expect((await changesOf(id)).conflicts).toEqual([])
  ok(await anna.call('POST', `${id}/changes/publish`))
  expect(await contentOf(id)).toMatchObject({ bio: 'of both', level: 5 })
})

test('what an author sends past the own changes takes the place of them', async () => {
  const id = await newMember()
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'begun', level: 5 }))
  expect((await anna.call('PATCH', id, { Bio: 'done' })).statusCode).toBe(200)
  expect(await changesOf(id)).toMatchObject({ fields: ['level'], conflicts: [], content: { bio: 'done', level: 5 } })
  expect((await anna.call('PATCH', id, { level: 5 })).statusCode).toBe(200)
  expect(await rowsOf(id)).toEqual([])
})

test('of many who save at once one has it, and nobody else has written a word', async () => {
  const id = await newMember()
  const people = [anna, bert]
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, at) =>
      people[at % 2]!.call('POST', `${id}/changes/save`, { [`field${at}`]: people[at % 2]!.id }),
    ),
  )
  const statuses = answers.map(({ statusCode }) => String(statusCode)).toSorted()
  expect(statuses.join(' ')).toBe('200 200 200 200 423 423 423 423')
  const { content, user } = await changesOf(id)
  const words = Object.entries(content).flatMap(([name, value]) => (name.startsWith('field') ? [value] : []))
  expect(words).toEqual(Array.from({ length: 4 }, () => user!.id))
})

// ---- languages

test('each language has changes of its own, and an unknown one is not written in', async () => {
  const id = await newMember()
  for (const code of ['en', 'de']) await createLanguage(site.app, { code })
  ok(await anna.call('POST', `${id}/changes/save?language=de`, { bio: 'Entwurf' }))
  ok(await bert.call('POST', `${id}/changes/save`, { bio: 'draft' }))
  expect((await changesOf(id)).content['bio']).toBe('draft')
  expect((await bert.call('PATCH', `${id}?language=de`, { level: 3 })).statusCode).toBe(423)
  expect((await bert.call('PATCH', `${id}?language=en`, { level: 3 })).statusCode).toBe(200)
  ok(await anna.call('POST', `${id}/changes/publish?language=de`))
  expect(await contentOf(`${id}?language=de`)).toMatchObject({ bio: 'Entwurf' })
  expect(await contentOf(id)).toMatchObject({ bio: '', level: 3 })
  for (const action of ['save', 'publish', 'discard', 'unlock'])
    expect(refusal(await anna.call('POST', `${id}/changes/${action}?language=xx`))).toMatchObject({
      status: 400,
      key: 'error.language.unknown',
    })
})
