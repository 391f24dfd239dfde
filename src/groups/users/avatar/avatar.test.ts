import { expect, test } from 'vitest'
import { svg, createImage, statusAndKeyOf, createUploader, dataOf } from '../../../../test/files.ts'
import { createTestStorage, createTestApp } from '../../../../test/harness.ts'
import { describeRole, createSignedInUser } from '../../../../test/signed-in-user.ts'
import { statementsOf } from '../../../../test/sign-in.ts'

const storage = await createTestStorage()
describeRole(storage, 'member', 'permissions: { users: { update: false }, files: { delete: false } }')
describeRole(storage, 'plain', 'permissions: { files: { create: false } }')
const site = await createTestApp({ storage })
const admin = await createSignedInUser(site)
const sender = await createUploader(admin)
const png = await createImage('png', { width: 600, height: 800 })
const face = (bytes: Buffer | string = png, filename = 'me.png') => [{ filename, bytes }]

interface File {
  uuid: string
  filename: string
  [field: string]: unknown
}

const avatarOf = async (id: string, query = '') => sender.call('GET', `users/${id}/avatar${query}`)
const rowsOf = (id: string) =>
  site.app.store.db
    .selectFrom('files')
    .select(['uuid', 'filename', 'template'])
    .where('parent', '=', `user://${id}`)
    .execute()

test('an image is added, replaced and removed', async () => {
  const { id } = await createSignedInUser(site, { role: 'member' })
  expect(statusAndKeyOf(await avatarOf(id))).toBe('404 error.file.avatar.notFound')
  expect(dataOf(await sender.call('GET', `users/${id}`))).toMatchObject({ avatar: null })
  const file = dataOf<File>(await sender.send(`users/${id}/avatar`, face()))
  expect(file).toMatchObject({
    filename: 'profile.png',
    template: 'avatar',
    mime: 'image/png',
    dimensions: { width: 600 },
  })
  const again = dataOf<File>(await sender.send(`users/${id}/avatar`, face()))
  expect(again.uuid, 'the same image is the same file').toBe(file.uuid)
  const other = dataOf<File>(await sender.send(`users/${id}/avatar`, face(await createImage('jpeg'), 'NEW.JPG')))
  expect(other.filename).toBe('profile.jpg')
  expect(await rowsOf(id)).toEqual([{ uuid: other.uuid.slice(7), filename: 'profile.jpg', template: 'avatar' }])
  expect((await sender.call('DELETE', `users/${id}/avatar`)).statusCode).toBe(200)
  expect(await rowsOf(id)).toEqual([])
  expect(statusAndKeyOf(await sender.call('DELETE', `users/${id}/avatar`))).toBe('404 error.file.avatar.notFound')
})

test('the image is shown square and scaled down', async () => {
  const { id } = await createSignedInUser(site, { role: 'member' })
  await sender.send(`users/${id}/avatar`, face())
  const { avatar: shownAvatar } = dataOf<{ avatar: object }>(await sender.call('GET', `users/${id}?select=avatar`))
  expect(Object.keys(shownAvatar).join(' ')).toBe(
    'dimensions exists extension filename id mime modified name niceSize size type url',
  )
  expect(dataOf(await avatarOf(id)), 'the endpoint of the avatar answers the file').toMatchObject({
    filename: 'profile.png',
    dimensions: { width: 600, height: 800 },
    template: 'avatar',
    link: `/users/${id}/files/profile.png`,
  })
  expect(shownAvatar).toMatchObject({
    dimensions: { width: 512, height: 512, ratio: 1, orientation: 'square' },
    filename: 'profile-512x-crop.png',
    name: 'profile-512x-crop',
    id: `${id}/profile-512x-crop.png`,
    url: expect.stringMatching(/\/profile-512x-crop\.png$/) as string,
  })
  expect(Object.keys(dataOf(await avatarOf(id, '?view=compact'))).join(' ')).toBe('filename id link type url uuid')
  const user = dataOf<{ avatar: object }>(await sender.call('GET', `users/${id}?view=compact`))
  expect(Object.keys(user.avatar).join(' ')).toBe('filename id type url')
  expect(dataOf(await sender.call('GET', `users/${id}?select=files`))).toMatchObject({
    files: [{ filename: 'profile.png' }],
  })
})

test('an SVG is shown unchanged', async () => {
  const { id } = await createSignedInUser(site, { role: 'member' })
  await sender.send(`users/${id}/avatar`, face(svg(), 'me.svg'))
  expect(dataOf(await avatarOf(id))).toMatchObject({ filename: 'profile.svg', dimensions: { width: 40, height: 20 } })
})

test.each([
  ['me.pdf', '%PDF-1.7', '400 error.file.type.forbidden'],
  ['me.png', 'no image', '400 error.file.content.mismatch'],
  ['me.svg', svg('<script/>'), '400 error.file.content.unsafe'],
  ['me.html', '<p>', '400 error.file.type.forbidden'],
])('%s is not accepted as an image', async (filename, bytes, refusal) => {
  const before = await rowsOf(admin.id)
  expect(statusAndKeyOf(await sender.send('account/avatar', face(bytes, filename)))).toBe(refusal)
  expect(await rowsOf(admin.id)).toEqual(before)
})

test('the own image requires the permission on the own account, others that on accounts', async () => {
  const member = await createUploader(await createSignedInUser(site, { role: 'member' }))
  expect((await member.send('account/avatar', face())).statusCode).toBe(200)
  expect(statusAndKeyOf(await member.call('DELETE', 'account/avatar'))).toBe('403 error.permission')
  expect(statusAndKeyOf(await member.send(`users/${admin.id}/avatar`, face()))).toBe('403 error.permission')
  const plain = await createUploader(await createSignedInUser(site, { role: 'plain' }))
  expect(statusAndKeyOf(await plain.send('account/avatar', face()))).toBe('403 error.permission')
  expect(statusAndKeyOf(await sender.send('users/nobody/avatar', face()))).toBe('404 error.user.notFound')
})

test('two concurrent uploads leave one image', async () => {
  const { id } = await createSignedInUser(site, { role: 'member' })
  const images = await Promise.all(['#100', '#200', '#300', '#400'].map(color => createImage('png', { color })))
  const answers = await Promise.all(images.map(bytes => sender.send(`users/${id}/avatar`, face(bytes))))
  for (const answer of answers) expect([200, 404]).toContain(answer.statusCode)
  expect(await rowsOf(id)).toHaveLength(1)
})

const list = () => sender.call('GET', 'users')

test('a list of accounts takes the same number of statements with and without images', async () => {
  const before = (await statementsOf(site, list)).length
  for (let index = 0; index < 3; index++) {
    const { id } = await createSignedInUser(site, { role: 'member' })
    await sender.send(`users/${id}/avatar`, face())
  }
  expect((await statementsOf(site, list)).length).toBe(before)
})
