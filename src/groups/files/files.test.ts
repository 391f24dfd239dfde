import { beforeEach, expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { describeRole, createSignedInUser } from '../../../test/signed-in-user.ts'
import { svg, createImage, statusAndKeyOf, type Uploader, createUploader, dataOf } from '../../../test/files.ts'
import { statementsOf } from '../../../test/sign-in.ts'
import { sweepTrash } from '../../content/trash/trash.ts'

const storage = await createTestStorage()
describeRole(storage, 'author', 'permissions: { files: { delete: false, changeName: false } }')
describeRole(storage, 'without-files', 'permissions: { files: false }')
describeRole(storage, 'helper', 'permissions: { users: { update: false } }')
writeBlueprints(storage.data, {
  'files/photo.yml': `title: { en: Photo, de: Foto }
accept: { type: image }
options: { changeTemplate: [plate, text, gone], changeName: { author: true } }
fields:
  alt: { type: text, required: true, maxlength: 20 }
  credit: { type: text, translate: false }`,
  'files/plate.yml': 'title: Plate\nfields: { alt: { type: text }, frame: { type: text, default: oak } }',
  'files/text.yml': 'title: Text\naccept: { extension: md }',
  'files/secret.yml': 'options: { read: { admin: true, "*": false } }',
  'files/unlisted.yml': 'options: { list: false }',
  'files/fixed.yml': 'options: { sort: false }',
})
const site = await createTestApp({ storage })
const admin = await createUploader(await createSignedInUser(site))
const png = await createImage()

interface Shown {
  filename: string
  uuid: string
  url: string
  content: Record<string, unknown>
  options: Record<string, boolean>
  next: Shown | null
  prev: Shown | null
  [field: string]: unknown
}

/** Every test has an account of its own to put files into. */
let own: { id: string; at: string; sender: Uploader }
beforeEach(async () => {
  const who = await createSignedInUser(site)
  own = { id: who.id, at: `users/${who.id}/files`, sender: await createUploader(who) }
})

const add = async (filename: string, fields: Record<string, string> = {}, bytes: Buffer | string = png) =>
  dataOf<Shown>(await admin.send(own.at, [{ filename, bytes }], fields))
const get = async (name: string, query = '') => dataOf<Shown>(await admin.call('GET', `${own.at}/${name}${query}`))
const list = async (query = '', who: Uploader = admin) => dataOf<Shown[]>(await who.call('GET', `${own.at}${query}`))
const names = (files: { filename: string }[]) => files.map(({ filename }) => filename)

// ---- views

const views = {
  default: 'content dimensions exists extension filename id link mime modified name next niceSize options parent prev size template type url uuid',
  compact: 'filename id link type url uuid',
  panel: 'blueprint content dimensions extension filename id link mime modified name nextWithTemplate niceSize options panelImage parent parents prevWithTemplate template type url uuid',
  any: 'blueprint content dimensions dragText exists extension filename id link mime modified name next nextWithTemplate niceSize options panelImage panelUrl parent parents prev prevWithTemplate size template thumbs type url uuid',
} // prettier-ignore

test.each(Object.entries(views))('the view %s has its fields, sorted', async (view, fields) => {
  await add('one.png')
  expect(Object.keys(await get('one.png', `?view=${view}`)).join(' ')).toBe(fields)
})

test('the fields of an image have the documented values', async () => {
  const { uuid } = await add('Gears.png', { template: 'photo' }, await createImage('png', { width: 60, height: 40 }))
  const url = new RegExp(`^http://[^/]+/media/users/${own.id}/[0-9a-f]{10}-\\d+/gears`)
  const file = await get('gears.png', '?view=any')
  expect(file).toMatchObject({
    content: { alt: '', credit: '', template: 'photo', uuid: uuid.replace('file://', '') },
    blueprint: { name: 'files/photo', title: 'Photo' },
    dimensions: { width: 60, height: 40, ratio: 1.5, orientation: 'landscape' },
    dragText: '(image: gears.png)',
    link: `/users/${own.id}/files/gears.png`,
    panelImage: { color: 'orange-500', icon: 'image', url: expect.stringMatching(url) as string },
    parent: { id: own.id },
    parents: [],
    thumbs: { tiny: expect.stringMatching(/gears-128x\.png$/) as string },
    type: 'image',
    url: expect.stringMatching(url) as string,
  })
  expect(await get('gears.png', '?select=revision')).toEqual({ revision: 1 })
  expect(file['modified']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)
  expect(file['niceSize']).toMatch(/^[\d.]+\u00a0B$/)
  expect(dataOf(await own.sender.call('GET', 'account/files/gears.png?select=link'))).toEqual({
    link: '/account/files/gears.png',
  })
})

test('other files have no dimensions, and sizes are formatted in the language of the caller', async () => {
  await add('a.md', {}, 'x'.repeat(1434))
  await add('empty.md', {}, '')
  expect(await get('a.md', '?select=dimensions,niceSize,thumbs,dragText')).toEqual({
    dimensions: null,
    dragText: '(file: a.md)',
    niceSize: '1.4\u00a0KB',
    thumbs: null,
  })
  expect((await get('empty.md'))['niceSize']).toBe('0\u00a0KB')
  await own.sender.call('PATCH', 'users/account/language', { language: 'de' })
  expect(dataOf(await own.sender.call('GET', 'account/files/a.md?select=niceSize'))).toEqual({
    niceSize: '1,4\u00a0KB',
  })
})

test('names are found case-insensitively, and only in their parent', async () => {
  await add('coast.png')
  expect((await get('COAST.PNG')).filename).toBe('coast.png')
  expect((await get('c%6Fast.png')).filename).toBe('coast.png')
  for (const path of [
    `${own.at}/x.png`,
    'account/files/coast.png',
    `${own.at}/..%2F${own.id}%2Fcoast.png`,
    `${own.at}/coast.png%00`,
  ])
    expect(statusAndKeyOf(await admin.call('GET', path))).toMatch(/^40[04]/)
})

// ---- lists

test('files are listed by their sort number, unsorted ones first by name', async () => {
  for (const [name, sort] of [
    ['shot-10.png', ''],
    ['shot-9.png', ''],
    ['z.png', '1'],
    ['a.png', '2'],
    ['Shot-1.png', ''],
  ])
    // prettier-ignore
    await add(name!, { sort: sort! })
  expect(names(await list())).toEqual(['shot-1.png', 'shot-9.png', 'shot-10.png', 'z.png', 'a.png'])
  expect(names(await list('?limit=2&page=2'))).toEqual(['shot-10.png', 'z.png'])
  expect(Object.keys((await list('?select=filename,id'))[0]!)).toEqual(['filename', 'id'])
  const nine = await get('shot-9.png')
  expect([nine.prev?.filename, nine.next?.filename]).toEqual(['shot-1.png', 'shot-10.png'])
  expect((await get('a.png')).prev).toBeNull()
  expect((await get('z.png')).next).toBeNull()
  const last = await get('a.png', '?select=prevWithTemplate,nextWithTemplate')
  expect(last).toMatchObject({ prevWithTemplate: { filename: 'z.png' }, nextWithTemplate: null })
})

const statements = async () => (await statementsOf(site, () => list())).length

test('a long list takes as many statements as a short one', async () => {
  await add('a.png', { template: 'photo' })
  const one = await statements()
  for (let index = 0; index < 12; index++) await add(`b-${index}.png`, { template: 'photo' })
  expect(await statements()).toBe(one)
})

test('files are found by search, filters and sorting', async () => {
  await add('harbour.png', { template: 'plate' })
  await add('lamp.png')
  await admin.call('PATCH', `${own.at}/lamp.png`, { note: 'A lamp in the harbour' })
  const find = async (query: string) => names(dataOf<Shown[]>(await admin.call('GET', `${own.at}/search?q=${query}`)))
  expect(await find('harbour')).toEqual(['harbour.png', 'lamp.png'])
  expect(await find('LAMP')).toEqual(['lamp.png'])
  expect(await find('h')).toEqual([])
  const query = async (body: object) => names(dataOf<Shown[]>(await admin.call('POST', `${own.at}/search`, body)))
  expect(await query({ filterBy: [{ field: 'template', value: 'plate' }] })).toEqual(['harbour.png'])
  expect(await query({ sortBy: 'filename desc' })).toEqual(['lamp.png', 'harbour.png'])
  expect(await query({ filterBy: [{ field: 'filename', operator: '*=', value: 'lamp' }], paginate: 1 })).toEqual([
    'lamp.png',
  ])
  for (const field of ['hash', 'delete', '__proto__', 'constructor'])
    await expect(query({ filterBy: [{ field, operator: '!=', value: null }] })).rejects.toThrow('400')
})

// ---- order

test('files are sorted by names or ids, and returned in their new order', async () => {
  for (const name of ['a.png', 'b.png', 'c.png']) await add(name)
  const sort = async (body: object) => names(dataOf<Shown[]>(await admin.call('PATCH', `${own.at}/sort`, body)))
  expect(await sort({ files: ['c.png', `${own.id}/A.png`, 'unknown.png', 'b.png'] })).toEqual([
    'c.png',
    'a.png',
    'b.png',
  ])
  expect((await get('a.png')).content['sort']).toBe('2')
  expect(await sort({ files: ['b.png', 'c.png'], index: 10 })).toEqual(['a.png', 'b.png', 'c.png'])
  for (const body of [{}, { files: 'a.png' }, { files: ['a.png'], index: -1 }, { files: ['a.png'], index: 'x' }])
    expect(statusAndKeyOf(await admin.call('PATCH', `${own.at}/sort`, body))).toBe('400 error.validation')
})

test('sorting requires the permission for every sorted file', async () => {
  await add('a.png')
  await add('b.png', { template: 'fixed' })
  expect(statusAndKeyOf(await admin.call('PATCH', `${own.at}/sort`, { files: ['a.png', 'b.png'] }))).toBe(
    '403 error.permission',
  )
  expect((await get('a.png')).content['sort']).toBeUndefined()
})

// ---- content

test('content is validated, and other properties are changed by their own endpoints', async () => {
  const { uuid } = await add('a.png', { template: 'photo' })
  const at = `${own.at}/a.png`
  expect(statusAndKeyOf(await admin.call('PATCH', at, { alt: 'x'.repeat(21) }))).toBe('400 error.invalidArgument')
  const changed = dataOf<Shown>(await admin.call('PATCH', at, { alt: 'A wheel', note: 'kept' }))
  expect(changed.content).toEqual({ alt: 'A wheel', credit: '', note: 'kept', template: 'photo', uuid: uuid.slice(7) })
  expect(dataOf<Shown>(await admin.call('PATCH', at, changed.content)).content, 'all of it can be sent back').toEqual(
    changed.content,
  )
  for (const sent of [{ template: 'plate' }, { UUID: 'other' }])
    expect(statusAndKeyOf(await admin.call('PATCH', at, sent))).toBe('400 error.invalidArgument')
  expect(await get('a.png')).toMatchObject({ template: 'photo', content: changed.content })
})

test('the sort number of a file is part of its content, and changed there', async () => {
  await add('a.png')
  const at = `${own.at}/a.png`
  const sortOf = async (sort: unknown) => dataOf<Shown>(await admin.call('PATCH', at, { sort })).content['sort']
  expect([await sortOf(3), await sortOf('5'), await sortOf(null), await sortOf('')]).toEqual(['3', '5', '5', undefined])
  for (const sort of ['first', -1, [1]])
    expect(statusAndKeyOf(await admin.call('PATCH', at, { sort }))).toBe('400 error.validation')
})

test('a write with an outdated revision is refused', async () => {
  await add('a.png')
  const at = `${own.at}/a.png`
  const { etag } = (await admin.call('GET', at)).headers as { etag: string }
  const first = await admin.call('PATCH', at, { note: 'one' }, { 'if-match': etag })
  expect(first.headers['etag']).not.toBe(etag)
  const second = await admin.call('PATCH', at, { note: 'two' }, { 'if-match': etag })
  expect(statusAndKeyOf(second)).toBe('412 error.content.changed')
  expect(second.json()).toMatchObject({ details: { current: { content: { note: 'one' } } } })
  expect(statusAndKeyOf(await admin.call('DELETE', at, undefined, { 'if-match': etag }))).toBe(
    '412 error.content.changed',
  )
  expect(statusAndKeyOf(await admin.call('PATCH', `${at}/name`, { name: 'b' }, { 'if-match': etag }))).toBe(
    '412 error.content.changed',
  )
})

test('a file has drafts and a history', async () => {
  await add('a.png')
  await admin.call('PATCH', `${own.at}/a.png`, { note: 'one' })
  expect((await admin.call('POST', `${own.at}/a.png/changes/save`, { note: 'two' })).statusCode).toBe(200)
  expect((await get('a.png')).content['note']).toBe('one')
  expect((await admin.call('POST', `${own.at}/a.png/changes/publish`)).statusCode).toBe(200)
  expect((await get('a.png')).content['note']).toBe('two')
  expect(dataOf<unknown[]>(await admin.call('GET', `${own.at}/a.png/history`))).toHaveLength(3)
})

// ---- name, template, bytes

test('a file is renamed, keeps its extension, and is found only by its new name', async () => {
  const before = await add('a.png')
  await add('b.png')
  const rename = (name: unknown) => admin.call('PATCH', `${own.at}/a.png/name`, { name })
  expect(statusAndKeyOf(await rename('B'))).toBe('400 error.file.duplicate')
  expect(statusAndKeyOf(await rename(' ../ '))).toBe('400 error.file.changeName.empty')
  expect(statusAndKeyOf(await rename(7))).toBe('400 error.validation')
  expect(dataOf<Shown>(await rename('a')).filename).toBe('a.png')
  const after = dataOf<Shown>(await rename('New.exe'))
  expect(after).toMatchObject({ filename: 'new.exe.png', name: 'new.exe', extension: 'png', uuid: before.uuid })
  expect(statusAndKeyOf(await admin.call('GET', `${own.at}/a.png`))).toBe('404 error.file.notFound')
})

test('of ten concurrent renames to one name one wins', async () => {
  const files = Array.from({ length: 5 }, (_, index) => `file-${index}.png`)
  for (const name of files) await add(name)
  const answers = await Promise.all(files.map(name => admin.call('PATCH', `${own.at}/${name}/name`, { name: 'same' })))
  expect(answers.map(answer => answer.statusCode).toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400, 400])
})

test('the template is changed to an offered and accepted one, and no content is lost', async () => {
  await add('a.png', { template: 'photo' })
  await admin.call('PATCH', `${own.at}/a.png`, { alt: 'Wheel', credit: 'Ada' })
  const change = (template: string) => admin.call('PATCH', `${own.at}/a.png/template`, { template })
  for (const template of ['text', 'gone', 'fixed', '../x'])
    expect(statusAndKeyOf(await change(template))).toBe('400 error.file.changeTemplate.invalid')
  expect((await get('a.png')).options['changeTemplate']).toBe(true)
  const changed = dataOf<Shown>(await change('plate'))
  expect(changed).toMatchObject({ template: 'plate', content: { alt: 'Wheel', credit: 'Ada', frame: 'oak' } })
  expect(changed.options['changeTemplate']).toBe(false)
})

test('a file is replaced by one of the same type: its URL changes, its name and content do not', async () => {
  const before = await add('a.png', { template: 'photo' })
  await admin.call('PATCH', `${own.at}/a.png`, { alt: 'Kept' })
  const replace = (filename: string, bytes: Buffer | string) => admin.send(`${own.at}/a.png`, [{ filename, bytes }])
  expect(statusAndKeyOf(await replace('a.png', await createImage('jpeg')))).toBe('400 error.file.mime.differs')
  expect(statusAndKeyOf(await replace('b.svg', svg()))).toBe('400 error.file.mime.differs')
  expect(statusAndKeyOf(await replace('a.png', '<?php'))).toMatch(/^400/)
  const otherImage = await createImage('png', { width: 8, height: 4 })
  const after = dataOf<Shown>(await replace('anything.jpg', otherImage))
  expect(after).toMatchObject({
    filename: 'a.png',
    size: otherImage.length,
    dimensions: { width: 8 },
    content: { alt: 'Kept' },
  })
  expect(after.uuid).toBe(before.uuid)
  expect(after.url).not.toBe(before.url)
  const two = [{ filename: 'a.png', bytes: otherImage }, { filename: 'b.png', bytes: otherImage }] // prettier-ignore
  expect(statusAndKeyOf(await admin.send(`${own.at}/a.png`, two))).toBe('400 error.upload.tooMany')
})

/** What the store knows of the bytes that these files have. */
const blobs = () => site.app.store.db.selectFrom('blobs').selectAll().execute()

test('a deleted file leaves its blob, which is swept after the permanent deletion', async () => {
  const bytes = await createImage('png', { color: '#abc' })
  const { uuid } = await add('a.png', {}, bytes)
  await add('copy.png', {}, bytes)
  await admin.call('PATCH', `${own.at}/a.png`, { note: 'x' })
  const { db } = site.app.store
  const { hash } = await db
    .selectFrom('files')
    .select('hash')
    .where('uuid', '=', uuid.slice(7))
    .executeTakeFirstOrThrow()
  const unused = async () => (await blobs()).find(blob => blob.hash === hash)!.unused_since !== null
  expect((await admin.call('DELETE', `${own.at}/a.png`)).json()).toEqual({ status: 'ok', message: 'ok', code: 200 })
  expect(statusAndKeyOf(await admin.call('DELETE', `${own.at}/a.png`))).toBe('404 error.file.notFound')
  for (const table of ['contents', 'history', 'changes'] as const)
    expect(await db.selectFrom(table).select('owner').where('owner', '=', uuid).execute()).toEqual([])
  expect(await unused(), 'another file has the same bytes').toBe(false)
  await admin.call('DELETE', `${own.at}/copy.png`)
  expect(await unused(), 'it can be restored').toBe(false)
  expect((await admin.call('DELETE', 'site/trash')).statusCode).toBe(200)
  await sweepTrash(site.app)
  expect(await unused()).toBe(true)
})

test('deleting an account deletes its files', async () => {
  const { uuid } = await add('a.png')
  expect((await admin.call('DELETE', `users/${own.id}`)).statusCode).toBe(200)
  const rows = await site.app.store.db.selectFrom('files').select('uuid').where('uuid', '=', uuid.slice(7)).execute()
  expect(rows).toEqual([])
})

test('no files can be added to an account that is being deleted', async () => {
  const answers = await Promise.all([
    ...Array.from({ length: 4 }, (_, index) => admin.send(own.at, [{ filename: `a${index}.png`, bytes: png }])),
    admin.call('DELETE', `users/${own.id}`),
  ])
  for (const answer of answers) expect(answer.statusCode).toBeLessThan(500)
  const rows = await site.app.store.db
    .selectFrom('files')
    .select('uuid')
    .where('parent', '=', `user://${own.id}`)
    .execute()
  expect(rows).toEqual([])
})

// ---- who may

test('actions that a role or blueprint denies are refused, and unreadable files are not found', async () => {
  // An author can change files of another author, but not those of an administrator.
  const colleague = await createSignedInUser(site, { role: 'author' })
  own = { id: colleague.id, at: `users/${colleague.id}/files`, sender: await createUploader(colleague) }
  await add('open.png')
  await add('photo.png', { template: 'photo' })
  await add('secret.png', { template: 'secret' })
  await add('unlisted.png', { template: 'unlisted' })
  const author = await createUploader(await createSignedInUser(site, { role: 'author' }))
  expect(names(await list('', author))).toEqual(['open.png', 'photo.png', 'unlisted.png'])
  expect(names(await list('/search?q=png', author))).toEqual(['open.png', 'photo.png'])
  const open = dataOf<Shown>(await author.call('GET', `${own.at}/open.png`))
  expect(open.options).toMatchObject({ delete: false, changeName: false, update: true, read: true })
  expect(open.next?.filename, 'neighbours are those of the list').toBe('photo.png')
  expect((await author.call('GET', `${own.at}/unlisted.png`)).statusCode).toBe(200)
  const at = (name: string) => `${own.at}/${name}`
  for (const method of ['GET', 'PATCH', 'DELETE'] as const)
    expect(statusAndKeyOf(await author.call(method, at('secret.png'), method === 'PATCH' ? {} : undefined))).toBe(
      '404 error.file.notFound',
    )
  expect(statusAndKeyOf(await author.call('DELETE', at('open.png')))).toBe('403 error.permission')
  expect(statusAndKeyOf(await author.call('PATCH', `${at('open.png')}/name`, { name: 'x' }))).toBe(
    '403 error.file.changeName.permission',
  )
  expect((await author.call('PATCH', `${at('photo.png')}/name`, { name: 'renamed' })).statusCode).toBe(200)
  expect(
    statusAndKeyOf(await author.send(own.at, [{ filename: 'secret.png', bytes: png }], { template: 'secret' })),
  ).toBe('400 error.file.duplicate')
})

test('a role without permissions for files sees and changes none', async () => {
  await add('a.png')
  const withoutFiles = await createUploader(await createSignedInUser(site, { role: 'without-files' }))
  expect(await list('', withoutFiles)).toEqual([])
  expect(statusAndKeyOf(await withoutFiles.call('GET', `${own.at}/a.png`))).toBe('404 error.file.notFound')
  expect(statusAndKeyOf(await withoutFiles.send(own.at, [{ filename: 'b.png', bytes: png }]))).toBe(
    '403 error.permission',
  )
})

test('files of an account require the permission to change the account', async () => {
  await add('a.png')
  const helper = await createUploader(await createSignedInUser(site, { role: 'helper' }))
  const at = `${own.at}/a.png`
  const read = dataOf<Shown>(await helper.call('GET', at))
  expect(read.options).toMatchObject({ read: true, update: false, delete: false, replace: false, create: false })
  expect(statusAndKeyOf(await helper.send(own.at, [{ filename: 'b.png', bytes: png }]))).toBe('403 error.permission')
  expect(statusAndKeyOf(await helper.call('PATCH', at, { note: 'x' }))).toBe('403 error.permission')
  expect(statusAndKeyOf(await helper.call('DELETE', at))).toBe('403 error.permission')
  expect(statusAndKeyOf(await helper.call('PATCH', `${own.at}/sort`, { files: ['a.png'] }))).toBe(
    '403 error.permission',
  )
  expect((await helper.send('account/files', [{ filename: 'b.png', bytes: png }])).statusCode).toBe(200)
})

test('every change is recorded as an event', async () => {
  const { uuid } = await add('a.png')
  await admin.call('PATCH', `${own.at}/a.png`, { note: 'x' })
  await admin.call('DELETE', `${own.at}/a.png`)
  const events = await site.app.store.db
    .selectFrom('audit_events')
    .select('event')
    .where('subject_id', '=', uuid)
    .orderBy('id')
    .execute()
  expect(events.map(({ event }) => event)).toEqual(['file.created', 'file.changed', 'file.deleted'])
})
