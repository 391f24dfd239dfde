import { beforeEach, describe, expect, test } from 'vitest'
import { multipartBody, multipartContentType, createImage } from '../../../../test/files.ts'
import { createRuleExtension } from '../../../../test/gate.ts'
import { createTestApp, createTestStorage, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, createTokenClient, type TokenClient } from '../../../../test/pages.ts'
import { describeRole } from '../../../../test/signed-in-user.ts'
import { addToken } from '../../../../test/tokens.ts'
import { startSchedule } from '../../pages/schedule/due.ts'
import { dueReleases } from './due.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/default.yml': 'fields: { text: { type: text } }',
  'pages/strict.yml': 'fields: { text: { type: text, required: true } }',
  'pages/secret.yml': 'options: { access: { author: false, writer: false } }\nfields: { text: { type: text } }',
  'pages/listing.yml': 'sections: { notes: { type: pages, status: listed, min: 1 } }',
  'files/default.yml': 'fields: { alt: { type: text } }',
  'files/hidden.yml': 'options: { access: { writer: false } }\nfields: { alt: { type: text } }',
  'site.yml': 'fields: { text: { type: text, maxlength: 10 } }',
})
describeRole(storage, 'author', 'permissions: { pages: { publish: false } }')
describeRole(storage, 'writer', 'title: Writer')
describeRole(storage, 'reader', 'permissions: { pages: { update: false } }')
describeRole(storage, 'pager', 'permissions: { site: { update: false } }')
describeRole(storage, 'filer', 'permissions: { pages: { publish: false }, files: { update: false } }')
describeRole(storage, 'blind', 'permissions: { access: { site: false } }')
const gate = createRuleExtension()
const settings = { extensions: [gate.extension], api: { public: true }, auth: { throttle: false } }
const site = await createTestApp({ storage, settings })
const { app } = site
const admin = await createTokenClient(site)
const author = await createTokenClient(site, { role: 'author' })
const host = new URL(app.config.url).host

beforeEach(() => gate.reset())

const soon = 5 * 60_000
const later = (ms = soon) => new Date(storage.clock() + ms).toISOString()

let count = 0
interface Sample {
  uuid: string
  path: string
}
async function newPage(
  page: { template?: string; status?: 'listed' | 'unlisted'; parent?: string; content?: object } = {},
): Promise<Sample> {
  const { parent = '', ...rest } = page
  const slug = `page-${++count}`
  const uuid = await addPage(site, parent, { slug, title: slug, ...rest } as never)
  return { uuid: `page://${uuid}`, path: `@${uuid}` }
}

const edit = (page: Sample, text: string, by: TokenClient = admin, query = '') =>
  by.done('POST', `pages/${page.path}/changes/save${query}`, { text })

/** The uuid of a new file with a draft. */
async function newFile(parent: string, template: string | null = null): Promise<string> {
  const name = `file-${++count}.png`
  await upload(parent, name)
  await admin.done('POST', `${parent}/files/${name}/changes/save`, { alt: 'New' })
  const { data } = await admin.done('GET', `${parent}/files/${name}?select=uuid`)
  const file = { uuid: data.uuid.slice('file://'.length) }
  await app.store.write(tx => tx.updateTable('files').set({ template }).where('uuid', '=', file.uuid).execute())
  return data.uuid
}

async function upload(parent: string, filename: string): Promise<void> {
  const bytes = await createImage('png', { width: 2, height: 2 })
  const answer = await site.request({
    method: 'POST',
    url: `/api/${parent}/files`,
    headers: { host, 'content-type': multipartContentType, ...(await bearer()) },
    payload: multipartBody([{ filename, bytes }]),
  })
  expect(answer.statusCode).toBe(200)
}

async function newRelease(add: object[] = [], by: TokenClient = admin) {
  const { data } = await by.done('POST', 'site/releases', { name: `Release ${++count}`, add })
  return data as { id: string; revision: number; items: object[]; state: string }
}
const read = async (id: string, by: TokenClient = admin) => (await by.done('GET', `site/releases/${id}`)).data
const publish = (id: string, body?: object, by: TokenClient = admin) =>
  by.call('POST', `site/releases/${id}/publish`, body)

/** What a visitor sees of a page: its status or error, and its text. */
async function seen({ path }: Sample, language = ''): Promise<string> {
  const answer = await site.request({
    method: 'GET',
    url: `/api/pages/${path}?select=content${language}`,
    headers: { host },
  })
  const { data } = answer.json<{ data?: { content: { text?: string } } }>()
  return data ? (data.content.text ?? '') : String(answer.statusCode)
}

describe('a release', () => {
  test('publishes drafts, statuses and deletions in one transaction', async () => {
    const [changed, fresh, gone] = [
      await newPage({ status: 'listed' }),
      await newPage(),
      await newPage({ status: 'listed' }),
    ]
    await edit(changed, 'New')
    await edit(fresh, 'Fresh')
    const { id } = await newRelease([
      { uuid: changed.uuid },
      { uuid: fresh.uuid, status: 'listed' },
      { uuid: gone.uuid, action: 'delete' },
    ])
    expect(await read(id)).toMatchObject({
      state: 'open',
      items: [
        { uuid: changed.uuid, action: 'publish', status: null, drafts: 1, currentStatus: 'listed', problem: null },
        { uuid: fresh.uuid, status: 'listed', drafts: 1, currentStatus: 'draft' },
        { uuid: gone.uuid, action: 'delete', drafts: 0 },
      ],
    })
    const all = () => Promise.all([changed, fresh, gone].map(page => seen(page)))
    expect(await all()).toEqual(['', '404', ''])
    const { status, data } = await publish(id)
    expect([status, data.state, data.user.id]).toEqual([200, 'published', admin.id])
    expect(await all()).toEqual(['New', 'Fresh', '404'])
    expect((await admin.done('GET', `pages/${changed.path}/changes`)).data.content).toMatchObject({ text: 'New' })
    expect(await read(id)).toMatchObject({
      items: [{ drafts: 0 }, {}, { title: expect.stringMatching(/^page-/), link: null }],
    })
    const { data: events } = await admin.done('GET', `site/events?event=release.*&limit=2`)
    expect(events).toMatchObject([{ event: 'release.published' }, { event: 'release.created' }])
  })

  test('publishes drafts of a page in every language and of its files', async () => {
    const page = await newPage({ status: 'listed' })
    await upload(`pages/${page.path}`, 'a.png')
    await admin.done('POST', `pages/${page.path}/files/a.png/changes/save`, { alt: 'A square' })
    for (const code of ['en', 'de']) await admin.call('POST', 'languages', { code, name: code })
    await edit(page, 'Hello', admin, '?language=en')
    await edit(page, 'Hallo', admin, '?language=de')
    const { id } = await newRelease([{ uuid: page.uuid }])
    expect(await read(id)).toMatchObject({ items: [{ drafts: 3 }] })
    expect((await publish(id)).status).toBe(200)
    expect([await seen(page, '&language=en'), await seen(page, '&language=de')]).toEqual(['Hello', 'Hallo'])
    const { data } = await admin.done('GET', `pages/${page.path}/files/a.png?select=content,uuid`)
    expect(data.content.alt).toBe('A square')
    // A file of its own: its draft, and its deletion.
    await admin.done('POST', `pages/${page.path}/files/a.png/changes/save`, { alt: 'Red' })
    const ofFile = await newRelease([{ uuid: data.uuid }])
    expect((await publish(ofFile.id)).status).toBe(200)
    expect((await admin.done('GET', `pages/${page.path}/files/a.png?select=content`)).data.content.alt).toBe('Red')
    const deletion = await newRelease([{ uuid: data.uuid, action: 'delete' }])
    await admin.done('PATCH', `pages/${page.path}/files/a.png/name`, { name: 'b' })
    expect(await read(deletion.id)).toMatchObject({
      items: [{ title: 'b.png', link: expect.stringMatching(/b\.png$/) }],
    })
    expect((await publish(deletion.id)).status).toBe(200)
    expect((await admin.call('GET', `pages/${page.path}/files/b.png`)).status).toBe(404)
    for (const code of ['de', 'en']) await admin.call('DELETE', `languages/${code}`)
  })

  test('publishes the content of the site, if the account may update it', async () => {
    const page = await newPage({ status: 'listed' })
    await edit(page, 'New')
    await admin.done('POST', 'site/changes/save', { text: 'Far too long' })
    const ofSite = { uuid: 'site://' }
    const { id } = await newRelease([ofSite, { uuid: page.uuid }])
    const text = async () => (await admin.done('GET', 'site?select=content')).data.content.text
    const pager = await createTokenClient(site, { role: 'pager' })
    expect((await pager.call('POST', 'site/releases', { name: 'Mine', add: [ofSite] })).key).toBe(
      'error.site.update.permission',
    )
    expect((await publish(id, undefined, pager)).key).toBe('error.release.held')
    // The site breaks a rule of its blueprint.
    const held = await publish(id)
    expect([held.key, Object.keys(held.details)]).toEqual(['error.release.held', ['site://']])
    expect([await seen(page), (await read(id)).items[0].problem.key]).toEqual(['', 'error.invalidArgument'])
    await admin.done('POST', 'site/changes/save', { text: 'Welcome' })
    expect((await publish(id)).status).toBe(200)
    expect([await seen(page), await text()]).toEqual(['New', 'Welcome'])
    const deletion = { name: 'No site', add: [{ ...ofSite, action: 'delete' }] }
    expect((await admin.call('POST', 'site/releases', deletion)).key).toBe('error.validation')
  })

  test('is named in lists and at its pages, for accounts that may update them', async () => {
    const parent = await newPage({ status: 'listed' })
    const child = await newPage({ parent: parent.uuid.slice('page://'.length), status: 'listed' })
    const { id } = await newRelease([{ uuid: child.uuid, action: 'delete' }])
    const release = { id, name: expect.any(String) as string, at: null, action: 'delete' }
    const shown = async (by: TokenClient) => {
      const list = await by.done('GET', `pages/${parent.path}/children?select=state`)
      const one = await by.done('GET', `pages/${child.path}?select=release`)
      return [(list.data as unknown as { state: object }[])[0]!.state, one.data.release] as const
    }
    expect(await shown(author)).toMatchObject([{ release }, release])
    const reader = await createTokenClient(site, { role: 'reader' })
    expect(await shown(reader)).toEqual([expect.not.objectContaining({ release }), null])
    await admin.done('PATCH', `site/releases/${id}`, { remove: [child.uuid] })
    expect(await shown(author)).toEqual([expect.not.objectContaining({ release }), null])
  })

  test('is held by one page that breaks a rule, and names all of them', async () => {
    const [good, empty, other] = [
      await newPage({ status: 'listed' }),
      await newPage({ template: 'strict' }),
      await newPage({ template: 'strict' }),
    ]
    await edit(good, 'Good')
    const { id } = await newRelease([
      { uuid: good.uuid },
      { uuid: empty.uuid, status: 'listed' },
      { uuid: other.uuid, status: 'listed' },
    ])
    const checked = await publish(id, { check: true })
    expect(checked).toMatchObject({ status: 200, data: { state: 'held' } })
    const answer = await publish(id)
    expect([answer.status, answer.key]).toEqual([409, 'error.release.held'])
    expect(Object.keys(answer.details)).toEqual([empty.uuid, other.uuid])
    expect(await seen(good)).toBe('')
    const key = 'error.page.changeStatus.incomplete'
    expect(await read(id)).toMatchObject({
      state: 'held',
      items: [{ problem: null }, { problem: { key } }, { problem: { key } }],
    })
    await edit(empty, 'Filled')
    await admin.done('PATCH', `site/releases/${id}`, { remove: [other.uuid] })
    expect((await read(id)).state).toBe('open')
    expect((await publish(id, { check: true })).data.state).toBe('open')
    expect(await seen(good)).toBe('')
    expect((await publish(id)).status).toBe(200)
    expect([await seen(good), await seen(empty)]).toEqual(['Good', 'Filled'])
    expect((await publish(id)).key).toBe('error.release.published')
  })

  test('publishes children before a parent whose section needs them', async () => {
    const parent = await newPage({ template: 'listing' })
    const child = await newPage({ parent: parent.uuid.slice(7) })
    const { id } = await newRelease([
      { uuid: parent.uuid, status: 'listed' },
      { uuid: child.uuid, status: 'listed' },
    ])
    expect((await publish(id)).status).toBe(200)
    const { data } = await admin.done('GET', `pages/${parent.path}?select=status`)
    expect(data.status).toBe('listed')
  })

  test('is held by rules of extensions, which are asked again if a page was changed', async () => {
    const [one, two] = [await newPage({ status: 'listed' }), await newPage({ status: 'listed' })]
    await edit(one, 'One')
    await edit(two, 'Two')
    const { id } = await newRelease([{ uuid: one.uuid }, { uuid: two.uuid }])
    gate.refuse('pages.publish')
    const answer = await publish(id)
    expect([answer.key, Object.keys(answer.details).length]).toEqual(['error.release.held', 2])
    expect(await read(id)).toMatchObject({
      items: [{ problem: { key: 'error.gate.closed', message: 'The gate is closed.' } }, {}],
    })
    gate.reset()
    expect((await publish(id)).status).toBe(200)
    expect([await seen(one), await seen(two)]).toEqual(['One', 'Two'])
  })

  test('is held by an edit lock, a conflict and a page that is gone', async () => {
    const [edited, changed, gone] = [
      await newPage({ status: 'listed' }),
      await newPage({ status: 'listed' }),
      await newPage({ status: 'listed' }),
    ]
    await edit(edited, 'Being written', author)
    await edit(changed, 'Mine')
    await admin.done('PATCH', `pages/${changed.path}`, { text: 'Published meanwhile' }, {})
    await edit(changed, 'Mine again')
    await edit(gone, 'x')
    const { id } = await newRelease([{ uuid: edited.uuid }, { uuid: changed.uuid }, { uuid: gone.uuid }])
    await admin.done('DELETE', `pages/${gone.path}`)
    expect(await read(id)).toMatchObject({ items: [{}, {}, { uuid: gone.uuid, link: null }] })
    expect((await publish(id)).details).toMatchObject({
      [edited.uuid]: { message: { 'content.lock': expect.any(String) } },
      [gone.uuid]: { message: { 'page.notFound': expect.any(String) } },
    })
    // A restored page is in the release again.
    const [entry] = (await admin.done('GET', `site/trash?owner=${encodeURIComponent(gone.uuid)}`)).data
    await admin.done('POST', `site/trash/${entry.id}/restore`)
    await admin.done('POST', `pages/${edited.path}/changes/unlock`)
    await admin.call('POST', `site/releases/${id}/publish`, { check: true })
    expect((await publish(id)).status).toBe(200)
    expect(await seen(gone)).toBe('x')
  })

  test('a page that is gone already needs no deletion', async () => {
    const gone = await newPage()
    const { id } = await newRelease([{ uuid: gone.uuid, action: 'delete' }])
    await admin.done('DELETE', `pages/${gone.path}`)
    expect((await publish(id)).status).toBe(200)
  })

  test('a page is in one plan only', async () => {
    const [page, planned] = [await newPage({ status: 'listed' }), await newPage()]
    const { id } = await newRelease([{ uuid: page.uuid }])
    const other = await newRelease()
    const add = (uuid: string) => admin.call('PATCH', `site/releases/${other.id}`, { add: [{ uuid }] })
    expect((await add(page.uuid)).key).toBe('error.release.taken')
    const plan = { status: 'unlisted', at: later() }
    expect((await admin.call('PATCH', `pages/${page.path}/schedule`, plan)).key).toBe('error.page.schedule.release')
    await admin.done('PATCH', `pages/${planned.path}/schedule`, plan)
    expect((await add(planned.uuid)).key).toBe('error.release.scheduled')
    await admin.done('DELETE', `site/releases/${id}`)
    expect((await add(page.uuid)).status).toBe(200)
    // The same page again replaces its item.
    await admin.done('PATCH', `site/releases/${other.id}`, { add: [{ uuid: page.uuid, status: 'unlisted' }] })
    expect((await read(other.id)).items).toMatchObject([{ uuid: page.uuid, status: 'unlisted' }])
  })

  test('refuses what is unknown, mistyped, outdated or empty', async () => {
    const { id, revision } = await newRelease()
    const key = async (body: object) => (await admin.call('PATCH', `site/releases/${id}`, body)).key
    expect(await key({ add: [{ uuid: 'page://nowhere' }] })).toBe('error.page.notFound')
    expect(await key({ add: [{ uuid: 'file://nowhere' }] })).toBe('error.file.notFound')
    expect(await key({ add: [{ uuid: 'user://x' }] })).toBe('error.file.notFound')
    expect(await key({ name: ' \n' })).toBe('error.release.name')
    expect(await key({ at: later(-soon) })).toBe('error.page.schedule.past')
    expect(await key({ at: later() })).toBe('error.release.empty')
    expect(await key({ name: 'x', revision: revision + 1 })).toBe('error.content.changed')
    expect((await publish(id)).key).toBe('error.release.empty')
    expect((await publish('nowhere')).key).toBe('error.release.notFound')
    expect((await admin.call('DELETE', 'site/releases/nowhere')).key).toBe('error.release.notFound')
    const home = (await admin.call('PATCH', `site/releases/${id}`, { add: [{ uuid: 'page://x', status: 'x' }] })).status
    expect(home).toBe(400)
  })
})

describe('permissions', () => {
  test('an author gathers, but neither publishes nor schedules nor changes what is scheduled', async () => {
    const [page, other] = [await newPage({ status: 'listed' }), await newPage({ status: 'listed' })]
    await edit(page, 'By an author', author)
    const { id } = await newRelease([{ uuid: page.uuid }], author)
    const answer = await publish(id, undefined, author)
    expect(answer.details).toMatchObject({
      [page.uuid]: { message: { 'page.publish.permission': expect.any(String) } },
    })
    expect(await seen(page)).toBe('')
    const change = async (body: object, by = author) =>
      (await by.call('PATCH', `site/releases/${id}`, body)).key ?? 'done'
    const denied = 'error.page.publish.permission'
    expect(await change({ at: later() })).toBe(denied)
    expect(await change({ at: later() }, admin)).toBe('done')
    expect([await change({ add: [{ uuid: other.uuid }] }), await change({ at: null })]).toEqual([denied, denied])
    expect(await change({ remove: [page.uuid] })).toBe(denied)
    expect((await read(id)).items).toHaveLength(1)
    expect((await author.call('DELETE', `site/releases/${id}`)).key).toBe(denied)
    expect(await change({ at: null }, admin)).toBe('done')
    expect(await change({ add: [{ uuid: other.uuid }] })).toBe('done')
    expect((await author.call('DELETE', `site/releases/${id}`)).status).toBe(200)
  })

  test('a scheduled release with a file needs the permissions on it and its page', async () => {
    const page = await newPage({ status: 'listed' })
    const [ofPage, ofSite] = [await newFile(`pages/${page.path}`), await newFile('site')]
    const filer = await createTokenClient(site, { role: 'filer' })
    for (const [file, key] of [
      [ofPage, 'error.page.publish.permission'],
      [ofSite, 'error.permission'],
    ] as const) {
      const { id } = await newRelease([{ uuid: file }])
      const change = async (body: object) => (await filer.call('PATCH', `site/releases/${id}`, body)).key ?? 'done'
      expect(await change({ at: later() })).toBe(key)
      await admin.done('PATCH', `site/releases/${id}`, { at: later() })
      expect([await change({ remove: [file] }), await change({ name: 'Mine' })]).toEqual([key, key])
      expect((await filer.call('DELETE', `site/releases/${id}`)).key).toBe(key)
      expect((await read(id)).items).toHaveLength(1)
    }
  })

  test('the content of the site is gathered and published only by accounts that see it', async () => {
    const blind = await createTokenClient(site, { role: 'blind' })
    await admin.done('POST', 'site/changes/save', { text: 'By admin' })
    const { id } = await newRelease()
    const add = { add: [{ uuid: 'site://' }] }
    expect((await blind.call('PATCH', `site/releases/${id}`, add)).key).toBe('error.site.access.permission')
    await admin.done('PATCH', `site/releases/${id}`, add)
    expect((await blind.call('PATCH', `site/releases/${id}`, { at: later() })).key).toBe('error.site.access.permission')
    const refused = await publish(id, undefined, blind)
    expect([refused.key, refused.details, (await read(id, blind)).items]).toEqual(['error.release.held', {}, []])
    await admin.done('DELETE', `site/releases/${id}`)
    await admin.done('POST', 'site/changes/discard')
  })

  test('what holds a release names no file that the caller may not see', async () => {
    const page = await newPage({ status: 'listed' })
    const file = await newFile(`pages/${page.path}`, 'hidden')
    const writer = await createTokenClient(site, { role: 'writer' })
    const { id } = await newRelease([{ uuid: file }])
    const refused = await publish(id, undefined, writer)
    expect([refused.key, refused.details, (await read(id, writer)).items]).toEqual(['error.release.held', {}, []])
  })

  test('items need the permission of their change, and are hidden with their page', async () => {
    const reader = await createTokenClient(site, { role: 'reader' })
    const writer = await createTokenClient(site, { role: 'writer' })
    const secret = await newPage({ template: 'secret', status: 'listed' })
    expect((await reader.call('POST', 'site/releases', { name: 'x' })).status).toBe(403)
    const { id } = await newRelease()
    expect((await writer.call('PATCH', `site/releases/${id}`, { add: [{ uuid: secret.uuid }] })).key).toBe(
      'error.page.notFound',
    )
    await admin.done('PATCH', `site/releases/${id}`, { add: [{ uuid: secret.uuid }] })
    expect((await read(id, writer)).items).toEqual([])
    const refused = await publish(id, undefined, writer)
    expect([refused.key, refused.details]).toEqual(['error.release.held', {}])
    expect((await writer.call('PATCH', `site/releases/${id}`, { at: later() })).status).toBe(403)
  })
})

const run = () => dueReleases.carryOut(app)

async function scheduled(page: Sample, text: string, by = admin) {
  await edit(page, text, by)
  const { id } = await newRelease([{ uuid: page.uuid }])
  const { data } = await admin.done('PATCH', `site/releases/${id}`, { at: later() })
  expect(data.state).toBe('scheduled')
  return id
}

describe('at a time', () => {
  test('a release is published once, and not before', async () => {
    const page = await newPage({ status: 'listed' })
    const id = await scheduled(page, 'At noon')
    await run()
    expect(await seen(page)).toBe('')
    await storage.moveClock(soon)
    await Promise.all([run(), run()])
    expect(await seen(page)).toBe('At noon')
    expect(await read(id)).toMatchObject({ state: 'published', user: { id: admin.id } })
    const { rows } = { rows: (await admin.done('GET', 'site/events?event=release.published')).data }
    expect(rows.filter((event: { uuid: string }) => event.uuid === `release://${id}`)).toHaveLength(1)
  })

  test('a release that cannot be published is held until it is scheduled again', async () => {
    const [page, strict] = [await newPage({ status: 'listed' }), await newPage({ template: 'strict' })]
    const id = await scheduled(page, 'Later')
    await admin.done('PATCH', `site/releases/${id}`, { add: [{ uuid: strict.uuid, status: 'listed' }] })
    await storage.moveClock(soon)
    await run()
    expect([await seen(page), (await read(id)).state]).toEqual(['', 'held'])
    await edit(strict, 'Filled')
    await run()
    expect(await seen(page)).toBe('')
    await admin.done('PATCH', `site/releases/${id}`, { at: later() })
    await storage.moveClock(soon)
    await run()
    expect([await seen(page), await seen(strict)]).toEqual(['Later', 'Filled'])
  })

  test('a draft that an author changes afterwards holds it; one of a publisher does not', async () => {
    const [page, own] = [await newPage({ status: 'listed' }), await newPage({ status: 'listed' })]
    const id = await scheduled(page, 'Approved', author)
    const other = await scheduled(own, 'Approved')
    await storage.moveClock(1000)
    await edit(page, 'Slipped in', author)
    await edit(own, 'Corrected')
    await storage.moveClock(soon)
    await run()
    expect([await seen(page), await seen(own)]).toEqual(['', 'Corrected'])
    expect(await read(id)).toMatchObject({ state: 'held', items: [{ problem: { key: 'error.release.changed' } }] })
    expect((await read(other)).state).toBe('published')
  })

  test('it is not published if its account may no longer publish', async () => {
    const page = await newPage({ status: 'listed' })
    const writer = await createTokenClient(site, { role: 'writer' })
    await edit(page, 'Never')
    const { id } = await newRelease([{ uuid: page.uuid }])
    await writer.done('PATCH', `site/releases/${id}`, { at: later() })
    const setUser = (change: object) =>
      app.store.write(tx => tx.updateTable('users').set(change).where('id', '=', writer.id).execute())
    await setUser({ role: 'author' })
    await storage.moveClock(soon)
    await run()
    expect([await seen(page), (await read(id)).items[0].problem.key]).toEqual(['', 'error.page.publish.permission'])
    await setUser({ role: 'writer' })
    await writer.done('PATCH', `site/releases/${id}`, { at: later() })
    await setUser({ status: 'disabled' })
    await storage.moveClock(soon)
    await run()
    expect([await seen(page), (await read(id)).state]).toEqual(['', 'held'])
  })

  test('the rounds of the schedule publish it', async () => {
    const page = await newPage({ status: 'listed' })
    await scheduled(page, 'In a round')
    await storage.moveClock(soon)
    const end = startSchedule(app, { also: [dueReleases] })
    await expect.poll(() => seen(page), { timeout: 30_000 }).toBe('In a round')
    await end()
  })
})

/** For requests that send no JSON. */
async function bearer(): Promise<Record<string, string>> {
  const { token } = await addToken(app, { userId: admin.id, name: 'upload', scopes: ['*'] })
  return { authorization: `Bearer ${token}` }
}
