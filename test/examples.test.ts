/** One recorded request and answer per operation, for the OpenAPI document and the reference. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { api } from '../src/api.ts'
import { defineExtension, job } from '../src/index.ts'
import { listEndpoints } from '../src/http/endpoint.ts'
import { createAuthenticator } from './authenticator.ts'
import { multipartBody, multipartContentType, createImage } from './files.ts'
import { createTestApp, createTestStorage, totpCode, writeBlueprints } from './harness.ts'
import { type Example, maskAll } from './masked.ts'
import { lastMail, withMail } from './signed-in-user.ts'

const file = join(import.meta.dirname, '../src/http/reference/examples.json')
const password = 'seven quiet herons over water'

const fields = `
sections:
  words:
    type: fields
    fields:
      text: { type: textarea }
      related: { type: pages }
  pictures: { type: files }
  notes: { type: pages, parent: site.find("notes"), template: note }
`
const blueprints = {
  'site.yml': `title: Site${fields}`,
  'pages/notes.yml': `title: Notes${fields}`,
  'pages/note.yml': `title: Note\noptions: { changeTemplate: [story] }${fields}`,
  'pages/story.yml': `title: Story${fields}`,
  'files/default.yml': `title: File\noptions: { changeTemplate: [photo] }${fields}`,
  'files/photo.yml': `title: Photo${fields}`,
  'users/editor.yml': `title: Editor${fields}`,
  'users/admin.yml': `title: Admin${fields}`,
}

type Params = Record<string, string | number>
interface Call {
  body?: unknown
  query?: string
  form?: { filename: string; bytes: Buffer }
}

/** Calls every operation once, on a small site, in an order in which each succeeds. */
async function callAll(): Promise<Record<string, Example>> {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, blueprints)
  const site = await createTestApp({
    storage,
    settings: {
      ...withMail,
      site: { url: 'https://www.example.org' },
      delivery: { purge: { kind: 'url', url: 'http://127.0.0.1:9' } },
      webhooks: { allow: ['203.0.113.9'] },
      extensions: [defineExtension({ name: 'shop', jobs: [job('nightly', { at: '0 3 * * *', run: async () => {} })] })],
    },
  })
  const endpoints = new Map(listEndpoints(api))
  const recorded: Record<string, Example> = {}
  const host = new URL(site.app.config.url).host
  let csrf = ''
  let browser = site.browser({ ip: '127.0.0.1' })

  // oxlint-disable-next-line typescript/no-explicit-any -- answers differ
  async function call(name: string, params: Params = {}, { body, query, form }: Call = {}): Promise<any> {
    const { method, path } = endpoints.get(name)!
    const filled = path.replaceAll(/:(\w+)/g, (_, key: string) => encodeURI(String(params[key])))
    const url = `/api${filled}${query === undefined ? '' : `?${query}`}`
    const answer = await browser.send({
      method,
      url,
      headers: {
        host,
        'sec-fetch-site': 'same-origin',
        ...(csrf !== '' && { 'x-csrf': csrf }),
        ...(form && { 'content-type': multipartContentType }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(form && { payload: multipartBody([form]) }),
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    })
    const json = answer.json<Record<string, unknown>>()
    expect(answer.statusCode, `${name} ${url} ${answer.body}`).toBeLessThan(300)
    if (typeof json['csrf'] === 'string') csrf = json['csrf']
    recorded[name] ??= {
      request: { method, url, ...(body !== undefined && { body }), ...(form && { file: form.filename }) },
      answer: { status: answer.statusCode, body: json },
    }
    return json
  }

  const png = await createImage('png', { width: 30, height: 20 })
  const red = await createImage('png', { width: 40, height: 20, color: '#c00' })

  // ---- setting up, signing in
  const account = { email: 'ada@example.org', password }
  await call('system.install', {}, { body: { ...account, name: 'Ada' } })
  await call('auth.logout')
  csrf = ''
  await call('auth.login', {}, { body: account })
  await call('auth.get', {}, { query: 'select=email,name' })
  await call('system.get', {}, { query: 'select=title,version,loginMethods' })
  await call('translations.list', {}, { query: 'limit=2' })
  await call('translations.get', { id: 'de' }, { query: 'select=id,name' })
  await call('roles.list', {}, { query: 'limit=1' })
  await call('roles.get', { name: 'editor' }, { query: 'select=name,title' })

  // ---- pages
  await call(
    'site.children.create',
    {},
    { body: { title: 'Notes', template: 'notes', draft: false }, query: 'select=id,status' },
  )
  const id = 'notes+storm'
  const titled = 'select=id,title'
  await call(
    'pages.children.create',
    { id: 'notes' },
    { body: { title: 'Storm', template: 'note', content: { text: 'It rained.' } }, query: 'select=id,status' },
  )
  await call('pages.changeStatus', { id }, { body: { status: 'listed' }, query: 'select=id,status,num' })
  await call('pages.changeTitle', { id }, { body: { title: 'The storm' }, query: titled })
  await call('pages.update', { id }, { body: { text: 'It rained all night.' }, query: 'select=content' })
  await call('pages.get', { id }, { query: 'select=id,title,status,content' })
  await call('pages.changeSlug', { id }, { body: { slug: 'tempest' }, query: 'select=id,url' })
  await call('site.resolve', {}, { query: 'path=/notes/storm' })
  await call('pages.changeSlug', { id: 'notes+tempest' }, { body: { slug: 'storm' } })
  await call('pages.changeTemplate', { id }, { body: { template: 'story' }, query: 'select=id,template' })
  await call('pages.duplicate', { id }, { body: { slug: 'calm', title: 'The calm' }, query: titled })
  await call('pages.move', { id: 'notes+calm' }, { body: { parent: null }, query: titled })
  await call('pages.blueprint', { id }, { query: 'select=name,title' })
  await call('pages.children.list', { id: 'notes' }, { query: titled })
  await call('pages.children.search', { id: 'notes' }, { query: `q=rained&${titled}` })
  await call(
    'pages.children.query',
    { id: 'notes' },
    { body: { filterBy: [{ field: 'title', operator: '*=', value: 'storm' }], sortBy: 'title desc' }, query: titled },
  )
  await call('site.children.list', {}, { query: titled })
  await call('site.children.search', {}, { query: `q=notes&${titled}` })
  await call('site.children.query', {}, { body: { sortBy: 'title asc' }, query: titled })
  await call('site.search', {}, { query: `q=rained&${titled}` })
  await call('site.query', {}, { body: { search: 'rained' }, query: titled })
  await call('site.find', {}, { body: ['notes/storm'], query: titled })
  await call('site.sitemap')
  await call('pages.uses', { id })
  await call('pages.preview.create', { id })
  await call('pages.preview.delete', { id })
  await call('pages.preview.check', { id })
  await call('pages.schedule.change', { id }, { body: { status: 'unlisted', at: '2030-01-31T12:00:00Z' } })
  await call('pages.schedule.get', { id })
  await call('site.schedules', {}, { query: 'select=id,schedule,title' })
  await call('pages.schedule.delete', { id })

  // ---- the site
  await call('site.get', {}, { query: 'select=title,url' })
  await call('site.changeTitle', {}, { body: { title: 'Field notes' }, query: 'select=title' })
  await call('site.update', {}, { body: { text: 'Notes from outdoors.' }, query: 'select=content' })
  await call('site.blueprint', {}, { query: 'select=name,title' })
  await call('site.preview.create')
  await call('site.preview.delete')
  await call('site.preview.check')
  const { data: redirect } = await call('site.redirects.create', {}, { body: { path: '/old', target: '/notes' } })
  await call('site.redirects.list', {}, { query: 'limit=1&select=id,path,target' })
  await call('site.redirects.update', { id: redirect.id }, { body: { target: 'https://example.org/notes' } })
  await call('site.redirects.delete', { id: redirect.id })
  await call('site.presence', {}, { body: { tab: 'tab-of-ada', page: 'notes/storm' } })
  await call('site.events.list', {}, { query: 'event=page.*&limit=1&select=event,time,title' })

  // ---- accounts
  const { data: ben } = await call(
    'users.create',
    {},
    { body: { email: 'ben@example.org', name: 'Ben', role: 'editor' }, query: 'select=id,email,name' },
  )
  const user = { id: ben.id as string }
  const brief = 'select=email,name'
  await call('users.list', {}, { query: brief })
  await call('users.search', {}, { query: `q=ben&${brief}` })
  await call(
    'users.query',
    {},
    { body: { filterBy: [{ field: 'role', operator: '==', value: 'editor' }] }, query: brief },
  )
  await call('users.get', user, { query: 'select=email,name,language' })
  await call('users.update', user, { body: { text: 'Writes about rain.' }, query: 'select=content' })
  await call('users.changeName', user, { body: { name: 'Benjamin' }, query: brief })
  await call('users.changeLanguage', user, { body: { language: 'de' }, query: 'select=email,language' })
  await call('users.changeRole', user, { body: { role: 'admin' }, query: 'select=email' })
  await call('users.changeRole', user, { body: { role: 'editor' } })
  await call('users.changeEmail', user, { body: { email: 'benjamin@example.org' }, query: brief })
  await call('users.invite', user)
  await call('users.changeStatus', user, { body: { status: 'disabled' }, query: 'select=email,status' })
  await call('users.changeStatus', user, { body: { status: 'active' } })
  await call('users.resetPassword', { id: 'account' })
  await call('users.roles', user, { query: 'select=name,title' })
  await call('users.blueprint', user, { query: 'select=name,title' })
  await call('users.events.list', user, { query: 'limit=1&select=event,time' })
  await call('users.avatar.upload', user, { form: { filename: 'ben.png', bytes: png }, query: 'select=filename,mime' })
  await call('users.avatar.get', user, { query: 'select=filename,mime' })
  await call('users.avatar.delete', user)

  // ---- what pages, the site and accounts have in common
  const owners: [string, Params][] = [['pages', { id }], ['site', {}], ['users', user]] // prettier-ignore
  for (const [group, params] of owners) {
    const shown = 'select=filename,mime,size'
    await call(`${group}.files.upload`, params, { form: { filename: 'storm.png', bytes: png }, query: shown })
    const one = { ...params, filename: 'storm.png' }
    await call(`${group}.files.list`, params, { query: shown })
    await call(`${group}.files.search`, params, { query: `q=storm&${shown}` })
    await call(`${group}.files.query`, params, { body: { sortBy: 'filename asc' }, query: shown })
    await call(`${group}.files.sort`, params, { body: { files: ['storm.png'] }, query: shown })
    await call(`${group}.files.get`, one, { query: shown })
    await call(`${group}.files.update`, one, { body: { text: 'Clouds over the harbour' }, query: 'select=content' })
    await call(`${group}.files.replace`, one, { form: { filename: 'storm.png', bytes: red }, query: shown })
    await call(`${group}.files.changeTemplate`, one, { body: { template: 'photo' }, query: 'select=filename,template' })
    await call(`${group}.fileSection`, { ...one, name: 'words' })
    await call(`${group}.fileField`, { ...one, name: 'related' }, { query: 'limit=1' })
    await call(`${group}.fileUses`, one)
    if (group !== 'site') await call(`${group}.blueprints`, params, { query: 'section=notes' })
    else await call('site.blueprints')
    await call(`${group}.section`, { ...params, name: 'words' })
    await call(`${group}.sortSection`, { ...params, name: 'pictures' }, { body: { files: ['storm.png'] } })
    await call(`${group}.field`, { ...params, name: 'related' }, { query: 'limit=1' })
    for (const [prefix, place] of [
      [group, params],
      [`${group}.files`, one],
    ] as const) {
      // prettier-ignore
      const { data: versions } = await call(`${prefix}.history.list`, place, { query: 'kind=version&limit=1' })
      const version = { ...place, version: versions[0].id }
      await call(`${prefix}.history.get`, version)
      await call(`${prefix}.history.restore`, version)
      await call(`${prefix}.changes.save`, place, { body: { text: 'The wind turned.' } })
      if (prefix === 'pages') await call('site.drafts', {}, { query: 'user=account' })
      await call(`${prefix}.changes.get`, place)
      if (prefix === 'pages') {
        const comment = { text: 'Is that the right date?', field: 'text' }
        const { data: first } = await call('pages.comments.create', place, { body: comment })
        await call('pages.comments.list', place)
        await call('pages.comments.change', { ...place, comment: first.id }, { body: { resolved: true } })
        await call('pages.comments.delete', { ...place, comment: first.id })
        await call('pages.review.request', place, { body: { note: 'Please check the dates.' } })
        await call('pages.review.get', place)
        await call('site.reviews', {}, { query: 'select=id,title' })
        await call('pages.review.sendBack', place, { body: { note: 'The second date is wrong.' } })
        await call('pages.review.withdraw', place)
      }
      await call(`${prefix}.changes.unlock`, place)
      await call(`${prefix}.changes.publish`, place, { body: {} })
      await call(`${prefix}.changes.discard`, place)
    }
    await call(`${group}.files.changeName`, one, { body: { name: 'harbour' }, query: shown })
    if (group === 'pages') await call('site.searchFiles', {}, { query: `q=harbour&${shown}` })
    if (group === 'pages') {
      const { data: found } = await call('pages.get', { id }, { query: 'select=uuid' })
      await call('site.references', {}, { query: `of=${found.uuid}` })
    }
    if (group === 'pages') {
      const { data: files } = await call('site.library.list', {}, { query: 'q=harbour&limit=1' })
      const uuids = { files: [files[0].uuid] }
      await call('site.library.move', {}, { body: { ...uuids, parent: null } })
      await call('site.library.move', {}, { body: { ...uuids, parent: id } })
      const { data: copies } = await call('site.library.copy', {}, { body: { ...uuids, parent: null } })
      const copied = { file: copies[0].file.uuid.slice('file://'.length) }
      await call('site.library.edit', copied, {
        body: { crop: { left: 0, top: 0, width: 20, height: 20 }, rotate: 90 },
      })
      await call('site.library.versions', copied)
      await call('site.library.delete', {}, { body: { files: [copies[0].file.uuid] } })
    }
    await call(`${group}.files.delete`, { ...params, filename: 'harbour.png' })
  }

  // ---- the trash
  const { data: entries } = await call('site.trash.list', {}, { query: 'limit=1&kind=file&select=id,kind,title' })
  const [entry] = entries as [{ id: string }]
  await call('site.trash.get', entry, { query: 'select=id,kind,title' })
  await call('site.trash.restore', entry)
  const { data: others } = await call('site.trash.list', {}, { query: 'limit=1' })
  await call('site.trash.delete', { id: others[0].id })
  await call('pages.delete', { id: 'calm' })
  await call('users.delete', user)
  await call('site.trash.empty')

  // ---- languages
  await call('languages.create', {}, { body: { code: 'en', name: 'English' } })
  await call('languages.create', {}, { body: { code: 'de', name: 'Deutsch' } })
  await call('languages.list', {}, { query: 'select=code,name,default' })
  await call('languages.get', { code: 'de' })
  await call('languages.update', { code: 'de' }, { body: { locale: 'de_AT' }, query: 'select=code,locale' })
  await call('languages.delete', { code: 'de' })

  // ---- the system
  const { data: hook } = await call(
    'system.webhooks.create',
    {},
    { body: { url: 'https://203.0.113.9/hook', events: ['page.*'] } },
  )
  await call('system.webhooks.list', {}, { query: 'select=id,url,events' })
  await call('system.webhooks.get', hook, { query: 'select=id,url,events' })
  await call('system.webhooks.update', hook, { body: { gather: 5 } })
  const { data: delivery } = await call('system.webhooks.test', hook)
  await call('system.webhooks.deliveries', hook, { query: 'select=id,state' })
  await call('system.webhooks.sendAgain', { id: hook.id, delivery: delivery.id })
  await call('system.webhooks.rotateSecret', hook)
  await call('system.webhooks.delete', hook)
  await call('system.extensions.list', {}, { query: 'select=name,waiting' })
  await call('system.extensions.run', { name: 'shop' }, { body: { job: 'nightly' } })
  await call('system.purge.all')
  await call('system.purge.get')

  // ---- releases
  const { data: storm } = await call('pages.get', { id }, { query: 'select=uuid' })
  const { data: release } = await call('site.releases.create', {}, { body: { name: 'Autumn' } })
  const ofRelease = { release: release.id as string }
  await call('site.releases.update', ofRelease, { body: { add: [{ uuid: storm.uuid, status: 'unlisted' }] } })
  await call('site.releases.list', {}, { query: 'limit=1' })
  await call('site.releases.get', ofRelease)
  await call('site.releases.preview', ofRelease)
  await call('site.releases.publish', ofRelease)
  await call('site.releases.delete', ofRelease)

  // ---- how an account signs in
  const own = { id: 'account' }
  await call('users.sessions.list', own)
  await call('users.settings.change', own, { body: { theme: 'dark' } })
  await call('users.settings.get', own)
  const { data: token } = await call('users.tokens.create', own, { body: { name: 'Build', scopes: ['pages.read'] } })
  await call('users.tokens.list', own)
  await call('users.tokens.revoke', { ...own, token: token.id })
  const { data: totpSetup } = await call('users.totp.begin', own)
  await call('users.totp.confirm', own, {
    body: { challenge: totpSetup.challenge, code: await totpCode(storage, totpSetup.secret) },
  })
  await call('users.recoveryCodes.renew', own)
  await call('users.recoveryCodes.count', own)
  const { data: ceremony } = await call('users.passkeys.begin', own)
  const credential = createAuthenticator().create(ceremony.publicKey)
  const { data: passkey } = await call('users.passkeys.create', own, {
    body: { challenge: ceremony.challenge, credential, name: 'Laptop' },
  })
  await call('users.passkeys.list', own)
  const named = { ...own, passkey: passkey.id }
  await call('users.passkeys.changeName', named, { body: { name: 'Old laptop' } })
  await call('users.passkeys.remove', named)
  await call('users.totp.remove', own)
  await call('users.changePassword', own, {
    body: { currentPassword: password, password: 'nine loud geese under stars' },
    query: 'select=email',
  })
  await call('users.changeEmail', own, { body: { email: 'ada.l@example.org' } })
  const { token: proof } = await lastMail(site, 'ada.l@example.org', 'emailConfirm')
  const first = browser
  browser = site.browser({ ip: '127.0.0.1' })
  const again = await call('auth.login', {}, { body: { ...account, password: 'nine loud geese under stars' } })
  const { data: sessions } = await call('users.sessions.list', own)
  const other = (sessions as { id: string }[]).find(one => one.id !== again.session.id)!
  await call('users.sessions.end', { ...own, session: other.id })
  await call('users.sessions.endAll', own)
  await call('users.confirmEmail', own, { body: { token: proof }, query: 'select=email' })
  expect(first).not.toBe(browser)
  return recorded
}

test('every operation has a recorded request and answer', async () => {
  const recorded = await callAll()
  const names = [...listEndpoints(api)].map(([name]) => name)
  expect(
    names.filter(name => !(name in recorded)),
    'without an example',
  ).toEqual([])
  const text = `${JSON.stringify(maskAll(names.map(name => [name, recorded[name]!])), undefined, 1)}\n`
  if (process.env['QUOIN_RECORD'] === 'true') writeFileSync(file, text)
  expect(text, 'run `npm run record` if an answer has changed on purpose').toBe(readFileSync(file, 'utf8'))
})
