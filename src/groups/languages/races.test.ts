import { expect, test } from 'vitest'
import { addUser, createTestStorage, createTestApp, password, type TestApp } from '../../../test/harness.ts'
import { describeRole } from '../../../test/signed-in-user.ts'
import { newIp } from '../../../test/sign-in.ts'
import { rounds } from '../../../test/slow.ts'
import { createLanguage, deleteLanguage, updateLanguage } from '../../content/languages/languages.ts'
import { operatorContext } from '../../cli/site.ts'

/** Two instances on one store. */
const storage = await createTestStorage()
describeRole(storage, 'author', 'fields: { bio: { type: text }, room: { type: text, translate: false } }')
const settings = { database: { timeout: 10 } }
const firstSite = await createTestApp({ storage, settings })
const secondSite = await createTestApp({ storage, settings })
const { store } = firstSite.app
const clients = [await clientOf(firstSite), await clientOf(secondSite)] as const

async function clientOf(site: TestApp) {
  const { client } = site.browser({ ip: newIp() })
  await client.auth.login({ email: (await addUser(site)).email, password })
  return client
}

const all = () => store.db.selectFrom('languages').select(['code', 'key', 'is_default']).orderBy('code').execute()

async function clear(): Promise<void> {
  for (const table of ['languages', 'contents', 'history'] as const) await store.db.deleteFrom(table).execute()
}

/** Runs both concurrently, often enough that every order occurs. A 4xx is accepted, a 5xx is not. */
async function race(...requests: (() => Promise<unknown>)[]): Promise<(number | 'ok')[]> {
  const results = await Promise.allSettled(requests.map(request => request()))
  const statuses = results.map(result =>
    result.status === 'fulfilled' ? 'ok' : (result.reason as { status: number }).status,
  )
  for (const status of statuses) expect(['ok', 400, 404]).toContain(status)
  return statuses
}

const count = rounds(4, 20)

test('of two concurrent first languages one is the default, and has the existing content', async () => {
  for (let round = 0; round < count; round++) {
    await clear()
    expect(
      await race(
        () => clients[0].languages.create({ code: 'en' }),
        () => clients[1].languages.create({ code: 'de', default: round % 2 === 0 }),
      ),
    ).toEqual(['ok', 'ok'])
    const rows = await all()
    expect(rows.filter(({ is_default }) => is_default === 1)).toHaveLength(1)
    expect(rows.filter(({ key }) => key === '')).toHaveLength(1)
  }
})

test('of two concurrent additions of one language one fails', async () => {
  for (let round = 0; round < count; round++) {
    await clear()
    const statuses = await race(...clients.map(client => () => client.languages.create({ code: 'en' })))
    expect(new Set(statuses)).toEqual(new Set([400, 'ok']))
  }
})

test('of two languages made default at the same time one wins', async () => {
  await clear()
  for (const code of ['en', 'de', 'fr']) await createLanguage(operatorContext(firstSite.app), { code })
  for (let round = 0; round < count; round++) {
    const codes = round % 2 === 0 ? ['de', 'fr'] : ['fr', 'en']
    await race(
      ...clients.map((client, index) => () => client.languages.update({ code: codes[index]! }, { default: true })),
    )
    const defaults = (await all()).filter(({ is_default }) => is_default === 1)
    expect(defaults).toHaveLength(1)
    expect(codes).toContain(defaults[0]!.code)
  }
})

test('a language deleted while it becomes the default is one or the other', async () => {
  const outcomes = new Set<string>()
  for (let round = 0; round < count; round++) {
    await clear()
    for (const code of ['en', 'de']) await createLanguage(operatorContext(firstSite.app), { code })
    const [deleted, updated] = await race(
      () => clients[round % 2]!.languages.delete({ code: 'de' }),
      () => clients[(round + 1) % 2]!.languages.update({ code: 'de' }, { default: true }),
    )
    const defaults = (await all()).filter(({ is_default }) => is_default === 1).map(({ code }) => code)
    expect([deleted, updated, defaults]).toEqual(deleted === 'ok' ? ['ok', 404, ['en']] : [400, 'ok', ['de']])
    outcomes.add(String(deleted))
  }
  expect(outcomes.size).toBeGreaterThan(0)
})

test('content written during a change of languages is never lost', async () => {
  for (let round = 0; round < count; round++) {
    await clear()
    const { id } = await addUser(firstSite, { role: 'author' })
    const { users } = clients[0]
    for (const code of ['en', 'de', 'fr']) await createLanguage(operatorContext(firstSite.app), { code })
    await users.update({ id, language: 'en' }, { bio: 'English', room: '1' })
    await race(
      () => users.update({ id, language: 'en' }, { room: '2' }),
      () => users.update({ id, language: 'fr' }, { bio: 'Français' }),
      () => updateLanguage(operatorContext(secondSite.app), 'de', { default: true }),
      () => deleteLanguage(operatorContext(secondSite.app), 'fr'),
    )
    const keys = new Set((await all()).map(({ key }) => key))
    for (const table of ['contents', 'history'] as const) {
      const rows = await store.db.selectFrom(table).select('language').execute()
      for (const { language } of rows) expect(keys).toContain(language)
    }
    // In any order: untranslated fields equal those of the default language, and the last write wins.
    const { content } = await users.get({ id, select: 'content' })
    expect(content).toMatchObject({ bio: 'English' })
    const rooms = await Promise.all(
      ['en', 'de'].map(async language => (await users.get({ id, select: 'content', language })).content['room']),
    )
    expect(rooms[0]).toBe(rooms[1])
  }
})

test('an account deleted during a change of the default language leaves nothing behind', async () => {
  for (let round = 0; round < count; round++) {
    await clear()
    const { id } = await addUser(firstSite, { role: 'author' })
    await clients[0].users.update({ id }, { bio: 'English' })
    for (const code of ['en', 'de']) await createLanguage(operatorContext(firstSite.app), { code })
    await race(
      () => clients[0].users.delete({ id }),
      () => updateLanguage(operatorContext(secondSite.app), 'de', { default: true }),
    )
    const rows = await store.db.selectFrom('contents').select('language').where('owner', '=', `user://${id}`).execute()
    expect(rows).toEqual([])
  }
})
