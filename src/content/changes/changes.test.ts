import type { LightMyRequestResponse as Answer } from 'fastify'
import { expect, test } from 'vitest'
import { addUser, createTestStorage, createTestApp } from '../../../test/harness.ts'
import { describeRole, createSignedInUser, type SignedInUser } from '../../../test/signed-in-user.ts'
import { revisionIn } from '../../../test/revision.ts'
import { refusal } from '../../../test/sign-in.ts'
import { createLanguage } from '../languages/languages.ts'
import { translate } from '../../platform/translations/translations.ts'
import { operatorContext } from '../../cli/site.ts'

const storage = await createTestStorage()
describeRole(
  storage,
  'member',
  `fields:
    bio: { type: textarea }
    level: { type: number, max: 10 }
    motto: { type: text, required: true }
    tags: { type: tags }
`,
)
describeRole(
  storage,
  'builder',
  `fields:
    lines:
      type: structure
      fields:
        title: { type: text, required: true }
        parts: { type: structure, fields: { price: { type: number, max: 10 } } }
    address: { type: object, fields: { city: { type: text, required: true } } }
    body: { type: blocks, fieldsets: { image: true, note: { fields: { words: { type: text, required: true } } } } }
    grid:
      type: layout
      fieldsets: { note: { fields: { words: { type: text, required: true } } } }
      settings: { fields: { name: { type: text, required: true } } }
`,
)
describeRole(storage, 'reader', 'permissions: { users: { update: false } }')
const site = await createTestApp({ storage })
const { db } = site.app.store
const anna = await createSignedInUser(site)
const bert = await createSignedInUser(site)
const reader = await createSignedInUser(site, { role: 'reader' })

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
  errors: Record<string, { label: string; message: Record<string, string>; inside?: object[] }>
  user: { id: string; email: string; username: string } | null
  modified: string | null
  draftRevision: number
  isLocked: boolean
}
const changesOf = async (id: string, who: SignedInUser = anna) =>
  (await who.call('GET', `${id}/changes`)).json<{ data: Shown }>().data

const rowsOf = (id: string) => db.selectFrom('changes').selectAll().where('owner', '=', `user://${id}`).execute()

function ok(answer: Answer): void {
  expect(answer.json()).toMatchObject({ status: 'ok' })
}

test('drafts are stored beside published content, merged, and published', async () => {
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

test('without a draft the published content is shown, and publishing changes nothing', async () => {
  const id = await newMember()
  expect(await changesOf(id)).toEqual({
    content: await contentOf(id),
    fields: [],
    conflicts: [],
    base: {},
    others: [],
    errors: {},
    user: null,
    modified: null,
    draftRevision: 0,
    isLocked: false,
  })
  const before = (await anna.call('GET', id)).headers['etag']
  ok(await anna.call('POST', `${id}/changes/publish`))
  ok(await anna.call('POST', `${id}/changes/discard`))
  ok(await anna.call('POST', `${id}/changes/unlock`))
  expect((await anna.call('GET', id)).headers['etag']).toBe(before)
})

test('a value equal to the published one is no change', async () => {
  const id = await newMember()
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'x', motto: 'first' }))
  expect((await changesOf(id)).fields).toEqual(['bio'])
  ok(await anna.call('POST', `${id}/changes/save`, { bio: '' }))
  expect(await rowsOf(id)).toEqual([])
})

test('a discarded draft is deleted', async () => {
  const id = await newMember()
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'x' }))
  ok(await anna.call('POST', `${id}/changes/discard`))
  expect(await rowsOf(id)).toEqual([])
  ok(await anna.call('POST', `${id}/changes/publish`))
  expect(await contentOf(id)).toMatchObject({ bio: '' })
})

test('a draft must have valid forms; blueprint rules apply on publishing', async () => {
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

// ---- the rules, before anything is published

const saved = async (id: string, content: object, who: SignedInUser = anna) =>
  (await who.call('POST', `${id}/changes/save`, content)).json<{
    status: string
    revision: number
    errors: Shown['errors']
  }>()

test('saving a draft reports broken rules as publishing would', async () => {
  const id = await newMember()
  const { headers } = await anna.call('GET', id)
  const answer = await saved(id, { level: 30, motto: '' })
  expect(answer).toEqual({
    status: 'ok',
    revision: revisionIn(headers),
    draftRevision: expect.any(Number) as number,
    errors: {
      level: { label: 'Level', message: { max: 'This must be at most 10.' } },
      motto: { label: 'Motto', message: { required: 'Please fill this in.' } },
    },
  })
  expect((await changesOf(id)).errors).toEqual(answer.errors)
  expect(refusal(await anna.call('POST', `${id}/changes/publish`)).details).toEqual(answer.errors)
  expect(Object.keys((await saved(id, { level: 9 })).errors)).toEqual(['motto'])
  expect(await saved(id, { motto: 'second' })).toMatchObject({ errors: {} })
  expect(await saved(id, {}), 'and without anything new').toMatchObject({ errors: {} })
})

test('broken rules of published values are reported, too', async () => {
  const { id } = await addUser(site, { role: 'member' })
  expect((await changesOf(id)).errors).toHaveProperty('motto')
  expect((await saved(id, { bio: 'x' })).errors).toHaveProperty('motto')
})

test('errors are in the language of the author', async () => {
  const id = await newMember()
  const dora = await createSignedInUser(site)
  expect((await dora.call('PATCH', `${dora.id}/language`, { language: 'de' })).statusCode).toBe(200)
  const { errors } = await saved(id, { motto: '' }, dora)
  expect(errors['motto']!.message).toEqual({ required: translate('de', 'validation.required') })
  expect((await changesOf(id, dora)).errors).toEqual(errors)
  expect(refusal(await dora.call('POST', `${id}/changes/publish`)).details).toEqual(errors)
})

const required = (label: string) => ({ label, message: { required: 'Please fill this in.' } })

test('errors of nested fields name their path', async () => {
  const { id } = await addUser(site, { role: 'builder' })
  const image = { id: 'i', type: 'image', content: { alt: '' } }
  const column = { id: 'c', width: '1/1', blocks: [{ id: 'n', type: 'note', content: { words: '' } }] }
  const { errors } = await saved(id, {
    lines: [{ title: 'A' }, { title: '', parts: [{ price: 5 }, { price: 20 }] }, { title: '' }],
    address: { city: '' },
    body: [{ id: 'a', type: 'note', content: { words: 'x' } }, image, { id: 'b', type: 'note', content: {} }],
    grid: [{ id: 'r', attrs: { name: '' }, columns: [{ id: 'e', width: '1/1', blocks: [] }, column] }],
  })
  expect(errors).toEqual({
    lines: {
      label: 'Lines',
      message: { structure: 'Row 2, Title: Please fill this in.' },
      inside: [
        { path: [1, 'title'], ...required('Title') },
        {
          path: [1, 'parts'],
          label: 'Parts',
          message: { structure: 'Row 2, Price: This must be at most 10.' },
        },
        { path: [1, 'parts', 1, 'price'], label: 'Price', message: { max: 'This must be at most 10.' } },
        { path: [2, 'title'], ...required('Title') },
      ],
    },
    address: {
      label: 'Address',
      message: { object: 'City: Please fill this in.' },
      inside: [{ path: ['city'], ...required('City') }],
    },
    body: {
      label: 'Body',
      message: { blocks: 'Block 3, Words: Please fill this in.' },
      inside: [{ path: [2, 'content', 'words'], ...required('Words') }],
    },
    grid: {
      label: 'Grid',
      message: { layout: 'Row 1 of the layout: Name: Please fill this in.' },
      inside: [
        { path: [0, 'attrs', 'name'], ...required('Name') },
        { path: [0, 'columns', 1, 'blocks', 0, 'content', 'words'], ...required('Words') },
      ],
    },
  })
  expect((await changesOf(id)).errors).toEqual(errors)
  expect(refusal(await anna.call('POST', `${id}/changes/publish`)).details).toEqual(errors)
})

test('only a limited number of errors is reported', async () => {
  const { id } = await addUser(site, { role: 'builder' })
  const { errors } = await saved(id, { lines: Array.from({ length: 3000 }, () => ({ title: '' })) })
  expect(errors['lines']!.inside).toHaveLength(50)
  expect((await saved(id, { lines: [] })).errors).toEqual({})
})

test.each(['[]', '"x"', '{"": 1}', `{"${'n'.repeat(101)}": 1}`, '{"__proto__": {"a": 1}}', '{"a": 1, "a": 2}'])(
  'invalid content is refused: %s',
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

test('drafts require the permission to update, and hide what the caller may not see', async () => {
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

test('an edit lock refuses writes of other accounts and names its holder', async () => {
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

test('the options of an account show a lock of another editor', async () => {
  const id = await newMember()
  const options = async (who: SignedInUser) =>
    (await who.call('GET', `${id}?select=options`)).json<{ data: { options: Record<string, boolean> } }>().data.options
  expect((await options(bert))['update']).toBe(true)
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'mine' }))
  expect(Object.values(await options(bert)).some(Boolean)).toBe(false)
  expect((await options(anna))['update']).toBe(true)
})

test('after ten minutes any editor can continue the draft', async () => {
  const id = await newMember()
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'begun' }))
  await storage.moveClock(9 * minute)
  expect((await bert.call('POST', `${id}/changes/save`, { level: 2 })).statusCode).toBe(423)
  await storage.moveClock(minute + 1)
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

test('a draft of another account can be taken over completely', async () => {
  const id = await newMember()
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'begun' }))
  ok(await bert.call('POST', `${id}/changes/unlock`))
  expect(await changesOf(id, bert)).toMatchObject({ content: { bio: 'begun' }, user: { id: bert.id }, isLocked: false })
  expect((await anna.call('POST', `${id}/changes/save`, { bio: 'further' })).statusCode).toBe(423)
  ok(await bert.call('POST', `${id}/changes/publish`))
  expect(await contentOf(id)).toMatchObject({ bio: 'begun' })
})

test('after a draft is taken over, the last words of its former author are saved: in it, or in the history', async () => {
  const id = await newMember()
  const draftRevision = async () => (await changesOf(id, bert)).draftRevision
  const last = async (words: object, seen: number | '') =>
    refusal(await anna.call('POST', `${id}/changes/save?draftRevision=${seen}`, words))
  const inHistory = () =>
    db
      .selectFrom('history')
      .select(['data', 'fields', 'user_id'])
      .where('owner', '=', `user://${id}`)
      .where('action', '=', 'taken')
      .execute()
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'A sentence' }))
  const seen = await draftRevision()
  ok(await bert.call('POST', `${id}/changes/unlock`))

  const first = await last({ bio: 'A sentence that' }, seen)
  expect(first).toMatchObject({
    status: 423,
    key: 'error.content.lock',
    details: { saved: 'draft', user: { id: bert.id } },
  })
  expect(await changesOf(id, bert)).toMatchObject({ content: { bio: 'A sentence that' }, user: { id: bert.id }, isLocked: false }) // prettier-ignore
  const { draftRevision: next } = first.details as { draftRevision: number }
  expect(next).toBe(await draftRevision())
  expect(await last({ bio: 'A sentence that is' }, next)).toMatchObject({ details: { saved: 'draft' } })

  // Once the new author has saved, the words of the former one do not overwrite theirs.
  const stale = await draftRevision()
  ok(await bert.call('POST', `${id}/changes/save?draftRevision=${stale}`, { bio: 'By Bert' }))
  const late = await last({ bio: 'A sentence that is complete', level: 4 }, stale)
  expect(late).toMatchObject({ status: 423, details: { saved: 'history' } })
  expect(late.details).not.toHaveProperty('draftRevision')
  expect(await last({ tags: ['x'] }, stale)).toMatchObject({ details: { saved: 'history' } })
  expect(await changesOf(id, bert)).toMatchObject({ content: { bio: 'By Bert' }, fields: ['bio'] })
  const [taken, ...others] = await inHistory()
  expect(others).toEqual([])
  expect(taken).toMatchObject({ user_id: anna.id, fields: JSON.stringify(['bio', 'level', 'tags']) })
  expect(JSON.parse(taken!.data)).toMatchObject({ bio: 'A sentence that is complete', level: '4' })

  // Wrong values, other accounts and other ways to write are refused as always.
  expect(await last({ tags: 7 }, stale)).toMatchObject({ status: 400 })
  expect(refusal(await anna.call('POST', `${id}/changes/publish`, { bio: 'No' }))).toMatchObject({ status: 423 })
  const third = await createSignedInUser(site)
  const other = refusal(await third.call('POST', `${id}/changes/save`, { bio: 'No' }))
  expect(other.status).toBe(423)
  expect(other.details).not.toHaveProperty('saved')
  await storage.moveClock(9 * minute)
  ok(await bert.call('POST', `${id}/changes/save`, { bio: 'Still by Bert' }))
  await storage.moveClock(2 * minute)
  expect((await last({ bio: 'Too late' }, stale)).details).not.toHaveProperty('saved')
  expect(await inHistory()).toEqual([taken])
})

test('a draft of a deleted account does not lock the content', async () => {
  const id = await newMember()
  const third = await createSignedInUser(site)
  ok(await third.call('POST', `${id}/changes/save`, { bio: 'left behind' }))
  await db.deleteFrom('users').where('id', '=', third.id).execute()
  expect(await changesOf(id)).toMatchObject({ user: null, isLocked: false, content: { bio: 'left behind' } })
  ok(await anna.call('POST', `${id}/changes/publish`))
  expect(await contentOf(id)).toMatchObject({ bio: 'left behind' })
})

// ---- revisions

async function callWith(
  revision: string,
  path: string,
  body?: object,
  { browser }: SignedInUser = anna,
): Promise<Answer> {
  const csrf = (await browser.send({ url: '/api/auth' })).json<{ csrf: string }>().csrf
  const headers = { 'x-csrf': csrf, 'sec-fetch-site': 'same-origin', 'if-match': revision }
  return browser.send({
    method: 'POST',
    url: `/api/users/${path}`,
    headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
    ...(body && { payload: JSON.stringify(body) }),
  })
}

test('a write with an outdated revision is refused and returns the current state', async () => {
  const id = await newMember()
  const etag = String((await anna.call('GET', id)).headers['etag'])
  ok(await callWith(etag, `${id}/changes/save`, { bio: 'x' }))
  expect(revisionIn(anna.browser.last.headers), 'drafts do not raise the revision').toBe(revisionIn({ etag }))
  expect(revisionIn((await anna.call('PATCH', id, { level: 1 })).headers)).not.toBe(revisionIn({ etag }))
  for (const action of ['save', 'publish', 'discard', 'unlock'])
    expect(refusal(await callWith(etag, `${id}/changes/${action}`))).toMatchObject({
      status: 412,
      key: 'error.content.changed',
      details: { current: { id } },
    })
  expect((await changesOf(id)).fields).toEqual(['bio'])
  expect((await callWith('W/"x"', `${id}/changes/save`)).statusCode).toBe(400)
})

test('content published in the meantime is not overwritten unseen', async () => {
  const id = await newMember()
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'mine', level: 5 }))
  await storage.moveClock(11 * minute)
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

test('a conflict remains until the author has seen the published content', async () => {
  const id = await newMember()
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'mine' }))
  await storage.moveClock(11 * minute)
  const { headers } = await bert.call('PATCH', id, { bio: 'of Bert' })
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'mine, longer', level: 5 }))
  expect((await changesOf(id)).conflicts).toEqual(['bio'])
  expect((await anna.call('POST', `${id}/changes/publish`, { bio: 'mine, at last' })).statusCode).toBe(412)
  ok(await callWith(String(headers['etag']), `${id}/changes/save`, { bio: 'of both' }))
  expect((await changesOf(id)).conflicts).toEqual([])
  ok(await anna.call('POST', `${id}/changes/publish`))
  expect(await contentOf(id)).toMatchObject({ bio: 'of both', level: 5 })
})

test('fields saved directly by the author leave the draft', async () => {
  const id = await newMember()
  ok(await anna.call('POST', `${id}/changes/save`, { bio: 'begun', level: 5 }))
  expect((await anna.call('PATCH', id, { Bio: 'done' })).statusCode).toBe(200)
  expect(await changesOf(id)).toMatchObject({ fields: ['level'], conflicts: [], content: { bio: 'done', level: 5 } })
  expect((await anna.call('PATCH', id, { level: 5 })).statusCode).toBe(200)
  expect(await rowsOf(id)).toEqual([])
})

test('of many concurrent saves one wins, and nothing of the others is stored', async () => {
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

test('each language has its own draft, and writes in an unknown language are refused', async () => {
  const id = await newMember()
  for (const code of ['en', 'de']) await createLanguage(operatorContext(site.app), { code })
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
