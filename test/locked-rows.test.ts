/** Rights are checked on the locked row: it may have changed since the request has found it. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { withChangeBeforeWrites } from './before-write.ts'
import { dataOf, createImage, statusAndKeyOf, type Uploader, createUploader } from './files.ts'
import { createTestStorage, createTestApp, password, type TestApp, writeBlueprints } from './harness.ts'
import { addPage } from './pages.ts'
import { createSignedInUser, describeRole, type SignedInUser } from './signed-in-user.ts'

let site: TestApp
let writer: SignedInUser
let sender: Uploader
let admin: Uploader

beforeAll(async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'pages/hidden.yml': 'options: { access: { writer: false } }',
    'pages/related.yml': 'fields: { related: { type: pages } }',
    'pages/private.yml': 'options: { preview: { writer: false } }',
    'pages/fixed.yml': 'options: { create: { writer: false }, update: { writer: false }, delete: { writer: false } }',
    'files/fixed.yml': 'options: { replace: { writer: false } }',
    'pages/untitled.yml': 'options: { changeTitle: { writer: false } }',
    'users/brief.yml': 'fields: { motto: { type: text, maxlength: 3 } }',
    'users/fixed.yml': 'options: { changePassword: false, changeEmail: false }',
    'users/hidden.yml': 'options: { access: { writer: false } }',
  })
  describeRole(storage, 'writer', 'fields: { motto: { type: text } }')
  site = await createTestApp({ storage, settings: { site: { url: 'https://www.example.org' } } })
  writer = await createSignedInUser(site, { role: 'writer' })
  sender = await createUploader(writer)
  admin = await createUploader(await createSignedInUser(site))
})

let names = 0
const setTemplate = (uuid: string, template: string) =>
  site.app.store.db.updateTable('pages').set({ template }).where('uuid', '=', uuid).execute()
const setRole = (id: string, role: string) =>
  site.app.store.db.updateTable('users').set({ role }).where('id', '=', id).execute()
const accountOf = (id: string) =>
  site.app.store.db.selectFrom('users').select('email').where('id', '=', id).executeTakeFirstOrThrow()
const filesOf = async (parent: string) =>
  (await site.app.store.db.selectFrom('files').selectAll().where('parent', '=', parent).execute())
    .map(({ filename, sort, revision }) => `${filename} ${sort} ${revision}`)
    .toSorted()

type Attempt = (of: string) => ReturnType<Uploader['call']>

const attempts: [what: string, attempt: Attempt][] = [
  ['update', of => sender.call('PATCH', `${of}/files/one.png`, { sort: 3 })],
  ['rename', of => sender.call('PATCH', `${of}/files/one.png/name`, { name: 'two' })],
  ['change the template of', of => sender.call('PATCH', `${of}/files/one.png/template`, { template: 'image' })],
  ['sort', of => sender.call('PATCH', `${of}/files/sort`, { files: ['one.png'], index: 4 })],
  ['draft', of => sender.call('POST', `${of}/files/one.png/changes/save`, { alt: 'x' })],
  ['restore a version of', of => sender.call('POST', `${of}/files/one.png/history/1/restore`)],
  ['delete', of => sender.call('DELETE', `${of}/files/one.png`)],
  ['upload', async of => sender.send(`${of}/files`, [{ filename: 'new.png', bytes: await createImage() }])],
  [
    'replace',
    async of =>
      sender.send(`${of}/files/one.png`, [{ filename: 'x.png', bytes: await createImage('png', { width: 31 }) }]),
  ],
]

async function uriOfFile(of: string): Promise<string> {
  return dataOf<{ uuid: string }>(await admin.call('GET', `${of}/files/one.png?select=uuid`)).uuid
}

/** Deletes the file; returns the id of its entry in the trash. */
async function trashFile(of: string): Promise<string> {
  const uuid = await uriOfFile(of)
  expect((await admin.call('DELETE', `${of}/files/one.png`)).statusCode).toBe(200)
  const [entry] = dataOf<{ id: string }[]>(await admin.call('GET', `site/trash?uuid=${uuid}`))
  return entry!.id
}

describe('the page of a file', () => {
  let uuid: string
  let slug: string
  beforeEach(async () => {
    slug = `page-${names++}`
    uuid = await addPage(site, '', { slug })
    dataOf(await admin.send(`pages/${slug}/files`, [{ filename: 'one.png', bytes: await createImage() }]))
  })

  test.each(attempts)('must be visible to %s a file', async (_, attempt) => {
    const before = await filesOf(`page://${uuid}`)
    const answer = await withChangeBeforeWrites(
      site.app,
      () => setTemplate(uuid, 'hidden'),
      () => attempt(`pages/${slug}`),
    )
    expect(statusAndKeyOf(answer)).toBe('404 error.page.notFound')
    expect(await filesOf(`page://${uuid}`)).toEqual(before)
  })

  test('must be visible to copy a file from there', async () => {
    const file = await uriOfFile(`pages/${slug}`)
    const answer = await withChangeBeforeWrites(
      site.app,
      () => setTemplate(uuid, 'hidden'),
      () => sender.call('POST', 'site/library/copy', { files: [file], parent: null }),
    )
    expect(dataOf<object[]>(answer)).toMatchObject([{ file: null, error: { key: 'error.page.notFound' } }])
    expect(await filesOf('site://')).toEqual([])
  })

  test('must be visible to restore a file', async () => {
    const entry = await trashFile(`pages/${slug}`)
    const answer = await withChangeBeforeWrites(
      site.app,
      () => setTemplate(uuid, 'hidden'),
      () => sender.call('POST', `site/trash/${entry}/restore`, {}),
    )
    expect(statusAndKeyOf(answer)).toBe('409 error.trash.parent')
    expect(await filesOf(`page://${uuid}`)).toEqual([])
  })
})

describe('a file', () => {
  test('must be replaceable to make an edited copy of it', async () => {
    const uuid = await addPage(site, '', { slug: `page-${names++}` })
    const place = `pages/@${uuid}`
    dataOf(await admin.send(`${place}/files`, [{ filename: 'one.png', bytes: await createImage() }]))
    const file = (await uriOfFile(place)).slice('file://'.length)
    const edit = () => sender.call('POST', `site/library/${file}/versions`, { copy: true, flip: true })
    const answer = await withChangeBeforeWrites(
      site.app,
      () => site.app.store.db.updateTable('files').set({ template: 'fixed' }).where('uuid', '=', file).execute(),
      edit,
    )
    expect(statusAndKeyOf(answer)).toBe('403 error.permission')
    expect(await filesOf(`page://${uuid}`)).toHaveLength(1)
  })
})

describe('the account of a file', () => {
  let user: SignedInUser
  beforeEach(async () => {
    user = await createSignedInUser(site, { role: 'writer' })
    dataOf(await admin.send(`users/${user.id}/files`, [{ filename: 'one.png', bytes: await createImage() }]))
  })

  test.each(attempts)('must be changeable to %s a file', async (_, attempt) => {
    const before = await filesOf(`user://${user.id}`)
    const answer = await withChangeBeforeWrites(
      site.app,
      () => setRole(user.id, 'admin'),
      () => attempt(`users/${user.id}`),
    )
    expect(statusAndKeyOf(answer)).toMatch(/^403 error\.(user\.update\.)?permission$/)
    expect(await filesOf(`user://${user.id}`)).toEqual(before)
  })

  test('must be changeable to restore a file', async () => {
    const entry = await trashFile(`users/${user.id}`)
    const answer = await withChangeBeforeWrites(
      site.app,
      () => setRole(user.id, 'admin'),
      () => sender.call('POST', `site/trash/${entry}/restore`, {}),
    )
    expect(statusAndKeyOf(answer)).toBe('403 error.permission')
    expect(await filesOf(`user://${user.id}`)).toEqual([])
  })
})

describe('an account', () => {
  let user: SignedInUser
  let own: Uploader
  beforeEach(async () => {
    user = await createSignedInUser(site, { role: 'writer' })
    own = await createUploader(user)
  })

  test.each([
    ['POST', 'totp', {}],
    ['POST', 'passkeys', {}],
    ['PATCH', 'password', { currentPassword: password, password: 'a longer way through the harbour' }],
  ] as const)('gets no %s %s after its role has lost the permission', async (method, path, body) => {
    const answer = await withChangeBeforeWrites(
      site.app,
      () => setRole(user.id, 'fixed'),
      () => own.call(method as 'POST', `users/${user.id}/${path}`, body),
    )
    expect(statusAndKeyOf(answer)).toBe('403 error.user.changePassword.permission')
    const challenges = await site.app.store.db
      .selectFrom('challenges')
      .select('kind')
      .where('user_id', '=', user.id)
      .execute()
    expect(challenges).toEqual([])
  })

  test('keeps its address after its role has lost the permission', async () => {
    const before = await accountOf(user.id)
    for (const email of [before.email, 'other@example.org', (await accountOf(writer.id)).email]) {
      const answer = await withChangeBeforeWrites(
        site.app,
        () => setRole(user.id, 'fixed'),
        () => own.call('PATCH', `users/${user.id}/email`, { email }),
      )
      expect(statusAndKeyOf(answer)).toBe('403 error.user.changeEmail.permission')
      await setRole(user.id, 'writer')
    }
    expect((await accountOf(user.id)).email).toBe(before.email)
  })

  test('keeps its image after it has become stronger', async () => {
    dataOf(await admin.send(`users/${user.id}/avatar`, [{ filename: 'one.png', bytes: await createImage() }]))
    const answer = await withChangeBeforeWrites(
      site.app,
      () => setRole(user.id, 'admin'),
      () => sender.call('DELETE', `users/${user.id}/avatar`),
    )
    expect(statusAndKeyOf(answer)).toBe('403 error.permission')
  })

  test('is drafted with the form of its present role', async () => {
    const answer = await withChangeBeforeWrites(
      site.app,
      () => setRole(user.id, 'brief'),
      () => sender.call('POST', `users/${user.id}/changes/save`, { motto: 'too long' }),
    )
    expect(answer.json()).toMatchObject({ errors: { motto: { message: { maxlength: expect.any(String) } } } })
  })

  test('is saved with the form of its present role', async () => {
    const answer = await withChangeBeforeWrites(
      site.app,
      () => setRole(user.id, 'brief'),
      () => sender.call('PATCH', `users/${user.id}`, { motto: 'too long' }),
    )
    expect(statusAndKeyOf(answer)).toBe('400 error.invalidArgument')
  })

  test.each([
    ['PATCH', '', { motto: 'x' }],
    ['PATCH', '/name', { name: 'x' }],
    ['POST', '/changes/save', { motto: 'x' }],
  ] as const)('that has become invisible is missing for %s %s', async (method, path, body) => {
    const answer = await withChangeBeforeWrites(
      site.app,
      () => setRole(user.id, 'hidden'),
      () => sender.call(method, `users/${user.id}${path}`, body),
    )
    expect(statusAndKeyOf(answer)).toBe('404 error.user.notFound')
  })
})

test('references that the caller was not shown stay, even if the form has them only now', async () => {
  const hidden = await addPage(site, '', { slug: `hidden-${names++}`, template: 'hidden' })
  const slug = `related-${names++}`
  const content = { related: [`page://${hidden}`] }
  const uuid = await addPage(site, '', { slug, template: 'related', content })
  await setTemplate(uuid, 'default')
  const answer = await withChangeBeforeWrites(
    site.app,
    () => setTemplate(uuid, 'related'),
    () => sender.call('PATCH', `pages/${slug}`, { related: [] }),
  )
  expect(answer.statusCode).toBe(200)
  const { content: saved } = dataOf<{ content: { related: object[] } }>(
    await admin.call('GET', `pages/${slug}?select=content`),
  )
  expect(saved.related).toMatchObject([{ uuid: `page://${hidden}` }])
})

describe('a version of a page', () => {
  let uuid: string
  let slug: string
  let version: string
  beforeEach(async () => {
    slug = `version-${names++}`
    uuid = await addPage(site, '', { slug, content: { title: 'Before' } })
    const [first] = dataOf<{ id: string }[]>(await admin.call('GET', `pages/${slug}/history`))
    version = first!.id
    dataOf(await admin.call('PATCH', `pages/${slug}/title`, { title: 'After' }))
  })
  const restore = (template: string, id: string) =>
    withChangeBeforeWrites(
      site.app,
      () => setTemplate(uuid, template),
      () => sender.call('POST', `pages/${slug}/history/${id}/restore`),
    )
  const drafted = async () => dataOf<{ fields: string[] }>(await admin.call('GET', `pages/${slug}/changes`)).fields

  test.each([
    ['hidden', '404 error.page.notFound'],
    ['fixed', '403 error.page.update.permission'],
  ])('is not restored if the page has become %s, whether it exists or not', async (template, refusal) => {
    for (const id of [version, '999999999']) {
      expect(statusAndKeyOf(await restore(template, id))).toBe(refusal)
      await setTemplate(uuid, 'default')
    }
    expect(await drafted()).toEqual([])
  })

  test('is restored without the title if the page has become untitled', async () => {
    expect((await restore('untitled', version)).statusCode).toBe(200)
    expect(await drafted()).toEqual([])
    expect((await restore('default', version)).statusCode).toBe(200)
    expect(await drafted()).toEqual(['title'])
  })
})

test('an entry of the trash is restored and purged only with the permissions for what is in it', async () => {
  const slug = `trashed-${names++}`
  const uuid = await addPage(site, '', { slug, template: 'default' })
  expect((await admin.call('DELETE', `pages/${slug}`)).statusCode).toBe(200)
  const [entry] = dataOf<{ id: string }[]>(await admin.call('GET', `site/trash?uuid=page://${uuid}`))
  const path = `site/trash/${entry!.id}`
  const setTrashedTemplate = (template: string) =>
    site.app.store.db.updateTable('trash_templates').set({ template }).where('entry', '=', entry!.id).execute()
  for (const [method, of, refusal] of [
    ['POST', `${path}/restore`, '403 error.page.create.permission'],
    ['DELETE', path, '403 error.trash.delete.permission'],
  ] as const) {
    const answer = await withChangeBeforeWrites(
      site.app,
      () => setTrashedTemplate('fixed'),
      () => sender.call(method, of, method === 'POST' ? {} : undefined),
    )
    expect(statusAndKeyOf(answer)).toBe(refusal)
    await setTrashedTemplate('default')
  }
  expect((await sender.call('POST', `${path}/restore`, {})).statusCode).toBe(200)
})

describe('the preview of a page', () => {
  test.each([
    ['POST', 'hidden', '404 error.page.notFound'],
    ['DELETE', 'hidden', '404 error.page.notFound'],
    ['POST', 'private', '403 error.permission'],
    ['DELETE', 'private', '403 error.permission'],
  ] as const)('is refused for %s after the template has become %s', async (method, template, refusal) => {
    const slug = `preview-${names++}`
    const uuid = await addPage(site, '', { slug })
    const answer = await withChangeBeforeWrites(
      site.app,
      () => setTemplate(uuid, template),
      () => sender.call(method, `pages/${slug}/preview`, method === 'POST' ? {} : undefined),
    )
    expect(statusAndKeyOf(answer)).toBe(refusal)
  })
})
