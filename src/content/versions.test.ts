/** What pages, files, accounts and the site have in common. */
import { expect, test } from 'vitest'
import { requestsOf } from '../../test/requests.ts'
import { picture, senderOf } from '../../test/files.ts'
import { createTestStorage, createTestApp, writeBlueprints } from '../../test/harness.ts'
import { createSignedInUser } from '../../test/signed-in-user.ts'
import { revisionIn } from '../../test/revision.ts'
import { refusal } from '../../test/sign-in.ts'
import { createPage } from '../groups/pages/create.ts'
import { operatorContext } from '../cli/site.ts'

const storage = await createTestStorage()
const fields = 'fields: { text: { type: textarea }, level: { type: number, max: 10 } }'
const permissions = ['pages', 'site', 'files', 'users'].map(name => `  ${name}: { update: false }`).join('\n')
writeBlueprints(storage.data, {
  'site.yml': fields,
  'pages/default.yml': fields,
  'files/default.yml': fields,
  'users/admin.yml': fields,
  'users/reader.yml': `permissions:\n${permissions}`,
})
const site = await createTestApp({ storage })
const admin = await createSignedInUser(site)
const [anna, bert] = [await requestsOf(admin), await requestsOf(await createSignedInUser(site))]
const reader = await requestsOf(await createSignedInUser(site, { role: 'reader' }))

await createPage(operatorContext(site.app), '', { slug: 'about', title: 'About', draft: false })
const { id } = await createSignedInUser(site)
const sender = await senderOf(admin)
for (const parent of ['pages/about', 'site', `users/${id}`])
  await sender.send(`${parent}/files`, [{ filename: 'one.png', bytes: await picture() }])

const things = ['/pages/about', '/site', `/users/${id}`]
const nouns = [...things, ...things.map(thing => `${thing}/files/one.png`)]

interface Shown {
  content: Record<string, unknown>
  options: Record<string, boolean>
}
const read = async (thing: string, ask = anna) =>
  (await ask('GET', `${thing}?select=content,options`)).json<{ data: Shown }>().data

interface Version {
  kind: string
  id: number
  action: string
  fields: string[]
}
const historyOf = async (thing: string) =>
  (await anna('GET', `${thing}/history`))
    .json<{ data: Version[] }>()
    .data.map(({ kind, action, fields: names }) => ({ kind, action, names }))

test.each(nouns)('%s has drafts with an edit lock, and a history to restore from', async thing => {
  const before = revisionIn((await anna('GET', thing)).headers)
  expect(before).toBeGreaterThan(0)
  expect(revisionIn((await anna('PATCH', thing, { text: 'first' })).headers)).toBeGreaterThan(before)
  const { content } = await read(thing)
  const kept = await anna('POST', `${thing}/changes/save`, { ...content, text: 'walrus' })
  expect(kept.json()).toMatchObject({ status: 'ok', errors: {} })
  expect((await anna('GET', `${thing}/changes`)).json()).toMatchObject({
    data: { content: { text: 'walrus' }, fields: ['text'], errors: {}, user: { id: admin.id }, isLocked: false },
  })
  for (const path of [thing, `${thing}?view=any`, `${thing}/history`, '/site/search?q=walrus'])
    expect((await anna('GET', path)).body).not.toContain('walrus')
  for (const [method, path] of [
    ['PATCH', ''],
    ['POST', '/changes/save'],
    ['POST', '/changes/publish'],
    ['POST', '/changes/discard'],
  ] as const)
    expect(
      refusal(await bert(method, thing + path, path === '/changes/discard' ? undefined : { level: 1 })),
    ).toMatchObject({ status: 423, key: 'error.content.lock' })
  const { options } = await read(thing, bert)
  expect(Object.keys(options).filter(action => options[action] && action !== 'preview')).toEqual([])
  expect((await read(thing)).options['update']).toBe(true)

  expect((await bert('POST', `${thing}/changes/unlock`)).json()).toEqual({ status: 'ok' })
  expect((await anna('POST', `${thing}/changes/publish`)).statusCode).toBe(423)
  const published = await bert('POST', `${thing}/changes/publish`, { level: 2 })
  expect(published.json()).toEqual({ status: 'ok' })
  expect(revisionIn((await bert('GET', thing)).headers)).toBe(revisionIn(published.headers))
  expect((await read(thing)).content).toMatchObject({ text: 'walrus', level: 2 })

  const all = (await anna('GET', `${thing}/history`)).json<{ data: Version[] }>().data
  expect(all[1]).toMatchObject({ kind: 'draft', action: 'taken' })
  const [, first] = all.filter(({ kind }) => kind === 'version')
  expect((await anna('GET', `${thing}/history/${first!.id}?compare=current`)).json()).toMatchObject({
    data: { changes: { text: { before: 'walrus', after: 'first' }, level: { before: 2, after: '' } } },
  })
  expect((await anna('POST', `${thing}/history/${first!.id}/restore`)).json()).toEqual({ status: 'ok' })
  // Restoring a version publishes nothing: it becomes a draft.
  expect((await read(thing)).content).toMatchObject({ text: 'walrus', level: 2 })
  expect((await anna('GET', `${thing}/changes`)).json()).toMatchObject({
    data: { content: { text: 'first', level: '' }, fields: ['text', 'level'] },
  })
  expect((await anna('POST', `${thing}/changes/publish`)).json()).toEqual({ status: 'ok' })
  expect((await read(thing)).content).toMatchObject({ text: 'first', level: '' })
  const versions = (await historyOf(thing)).filter(({ kind }) => kind === 'version')
  expect(versions.slice(0, 3).map(({ action }) => action)).toEqual(['publish', 'publish', 'update'])
})

test.each(nouns)('%s reports the rules that a draft breaks', async thing => {
  const errors = { level: { label: 'Level', message: { max: 'This must be at most 10.' } } }
  expect((await anna('POST', `${thing}/changes/save`, { level: 30 })).json()).toMatchObject({ status: 'ok', errors })
  expect((await anna('GET', `${thing}/changes`)).json()).toMatchObject({ data: { errors } })
  expect(refusal(await anna('POST', `${thing}/changes/publish`))).toMatchObject({ status: 400, details: errors })
  expect((await anna('POST', `${thing}/changes/discard`)).json()).toEqual({ status: 'ok' })
  expect((await anna('GET', `${thing}/changes`)).json<{ data: { errors: object } }>().data.errors).toEqual({})
})

test.each(nouns)('%s hides drafts from accounts without the permission to update', async thing => {
  const isOfAccount = /^\/users\/.*\/files\//.test(thing)
  const keys = { save: 'save', publish: 'publish', discard: 'discard', unlock: 'save' }
  for (const [action, key] of Object.entries(keys))
    expect(refusal(await reader('POST', `${thing}/changes/${action}`))).toMatchObject({
      status: 403,
      // An account that the caller may not change is refused before its files are looked up.
      key: isOfAccount ? 'error.permission' : `error.version.${key}.permission`,
    })
  for (const path of ['changes', 'history', 'history/1'])
    expect((await reader('GET', `${thing}/${path}`)).statusCode).toBe(403)
  expect((await reader('POST', `${thing}/history/1/restore`)).statusCode).toBe(403)
})

test.each(nouns)('%s cannot be changed with an outdated revision', async thing => {
  for (const [method, path, body] of [
    ['PATCH', '', { level: 3 }],
    ['POST', '/changes/save', { level: 3 }],
    ['POST', '/changes/publish', { level: 3 }],
    ['POST', '/changes/discard', undefined],
  ] as const)
    expect(refusal(await anna(method, thing + path, body, { 'if-match': '"0"' }))).toMatchObject({
      status: 412,
      key: 'error.content.changed',
      details: { current: { content: expect.anything() as unknown } },
    })
})

test.each(nouns)('%s keeps no version of a save without changes', async thing => {
  const [before, { content }] = [await historyOf(thing), await read(thing)]
  const revision = revisionIn((await anna('GET', thing)).headers)
  expect(revisionIn((await anna('PATCH', thing, content)).headers)).toBe(revision)
  expect(await historyOf(thing)).toEqual(before)
})
