/** What pages, files, accounts and the site have in common. */
import { expect, test } from 'vitest'
import { requestsOf } from '../../test/requests.ts'
import { createImage, createUploader } from '../../test/files.ts'
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

await createPage(operatorContext(site.app), '', { shownReferences: 'all', slug: 'about', title: 'About', draft: false })
const { id } = await createSignedInUser(site)
const sender = await createUploader(admin)
for (const parent of ['pages/about', 'site', `users/${id}`])
  await sender.send(`${parent}/files`, [{ filename: 'one.png', bytes: await createImage() }])

const owners = ['/pages/about', '/site', `/users/${id}`]
const models = [...owners, ...owners.map(model => `${model}/files/one.png`)]

interface Shown {
  content: Record<string, unknown>
  options: Record<string, boolean>
}
const read = async (model: string, ask = anna) =>
  (await ask('GET', `${model}?select=content,options`)).json<{ data: Shown }>().data

interface Version {
  kind: string
  id: number
  action: string
  fields: string[]
}
const historyOf = async (model: string) =>
  (await anna('GET', `${model}/history`))
    .json<{ data: Version[] }>()
    .data.map(({ kind, action, fields: names }) => ({ kind, action, names }))

test.each(models)('%s has drafts with an edit lock, and a history to restore from', async model => {
  const before = revisionIn((await anna('GET', model)).headers)
  expect(before).toBeGreaterThan(0)
  expect(revisionIn((await anna('PATCH', model, { text: 'first' })).headers)).toBeGreaterThan(before)
  const { content } = await read(model)
  const saved = await anna('POST', `${model}/changes/save`, { ...content, text: 'walrus' })
  expect(saved.json()).toMatchObject({ status: 'ok', errors: {} })
  expect((await anna('GET', `${model}/changes`)).json()).toMatchObject({
    data: { content: { text: 'walrus' }, fields: ['text'], errors: {}, user: { id: admin.id }, isLocked: false },
  })
  for (const path of [model, `${model}?view=any`, `${model}/history`, '/site/search?q=walrus'])
    expect((await anna('GET', path)).body).not.toContain('walrus')
  for (const [method, path] of [
    ['PATCH', ''],
    ['POST', '/changes/save'],
    ['POST', '/changes/publish'],
    ['POST', '/changes/discard'],
  ] as const)
    expect(
      refusal(await bert(method, model + path, path === '/changes/discard' ? undefined : { level: 1 })),
    ).toMatchObject({ status: 423, key: 'error.content.lock' })
  const { options } = await read(model, bert)
  expect(Object.keys(options).filter(action => options[action] && action !== 'preview')).toEqual([])
  expect((await read(model)).options['update']).toBe(true)

  expect((await bert('POST', `${model}/changes/unlock`)).json()).toEqual({ status: 'ok' })
  expect((await anna('POST', `${model}/changes/publish`)).statusCode).toBe(423)
  const published = await bert('POST', `${model}/changes/publish`, { level: 2 })
  expect(published.json()).toEqual({ status: 'ok' })
  expect(revisionIn((await bert('GET', model)).headers)).toBe(revisionIn(published.headers))
  expect((await read(model)).content).toMatchObject({ text: 'walrus', level: 2 })

  const all = (await anna('GET', `${model}/history`)).json<{ data: Version[] }>().data
  expect(all[1]).toMatchObject({ kind: 'draft', action: 'taken' })
  const [, first] = all.filter(({ kind }) => kind === 'version')
  expect((await anna('GET', `${model}/history/${first!.id}?compare=current`)).json()).toMatchObject({
    data: { changes: { text: { before: 'walrus', after: 'first' }, level: { before: 2, after: '' } } },
  })
  expect((await anna('POST', `${model}/history/${first!.id}/restore`)).json()).toEqual({ status: 'ok' })
  // Restoring a version publishes nothing: it becomes a draft.
  expect((await read(model)).content).toMatchObject({ text: 'walrus', level: 2 })
  expect((await anna('GET', `${model}/changes`)).json()).toMatchObject({
    data: { content: { text: 'first', level: '' }, fields: ['text', 'level'] },
  })
  expect((await anna('POST', `${model}/changes/publish`)).json()).toEqual({ status: 'ok' })
  expect((await read(model)).content).toMatchObject({ text: 'first', level: '' })
  const versions = (await historyOf(model)).filter(({ kind }) => kind === 'version')
  expect(versions.slice(0, 3).map(({ action }) => action)).toEqual(['publish', 'publish', 'update'])
})

test.each(models)('%s reports the rules that a draft breaks', async model => {
  const errors = { level: { label: 'Level', message: { max: 'This must be at most 10.' } } }
  expect((await anna('POST', `${model}/changes/save`, { level: 30 })).json()).toMatchObject({ status: 'ok', errors })
  expect((await anna('GET', `${model}/changes`)).json()).toMatchObject({ data: { errors } })
  expect(refusal(await anna('POST', `${model}/changes/publish`))).toMatchObject({ status: 400, details: errors })
  expect((await anna('POST', `${model}/changes/discard`)).json()).toEqual({ status: 'ok' })
  expect((await anna('GET', `${model}/changes`)).json<{ data: { errors: object } }>().data.errors).toEqual({})
})

test.each(models)('%s hides drafts from accounts without the permission to update', async model => {
  const isOfAccount = /^\/users\/.*\/files\//.test(model)
  const keys = { save: 'save', publish: 'publish', discard: 'discard', unlock: 'save' }
  for (const [action, key] of Object.entries(keys))
    expect(refusal(await reader('POST', `${model}/changes/${action}`))).toMatchObject({
      status: 403,
      // An account that the caller may not change is refused before its files are looked up.
      key: isOfAccount ? 'error.permission' : `error.version.${key}.permission`,
    })
  for (const path of ['changes', 'history', 'history/1'])
    expect((await reader('GET', `${model}/${path}`)).statusCode).toBe(403)
  expect((await reader('POST', `${model}/history/1/restore`)).statusCode).toBe(403)
})

test.each(models)('%s cannot be changed with an outdated revision', async model => {
  for (const [method, path, body] of [
    ['PATCH', '', { level: 3 }],
    ['POST', '/changes/save', { level: 3 }],
    ['POST', '/changes/publish', { level: 3 }],
    ['POST', '/changes/discard', undefined],
  ] as const)
    expect(refusal(await anna(method, model + path, body, { 'if-match': '"0"' }))).toMatchObject({
      status: 412,
      key: 'error.content.changed',
      details: { current: { content: expect.anything() as unknown } },
    })
})

test.each(models)('%s keeps no version of a save without changes', async model => {
  const [before, { content }] = [await historyOf(model), await read(model)]
  const revision = revisionIn((await anna('GET', model)).headers)
  expect(revisionIn((await anna('PATCH', model, content)).headers)).toBe(revision)
  expect(await historyOf(model)).toEqual(before)
})
