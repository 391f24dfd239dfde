import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { describeRole } from '../../../test/signed-in-user.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'

const storage = await createTestStorage()
const both = 'options: { changeTemplate: [note, event, gone, closed] }'
writeBlueprints(storage.data, {
  'pages/note.yml': `${both}\nfields: { text: { type: text }, when: { type: text }, only: { type: text } }`,
  'pages/event.yml': `${both}\nnum: zero\nfields: { text: { type: textarea }, when: { type: date, default: '2020-01-02' }, price: { type: number, default: 7 } }`,
  'pages/closed.yml': 'title: Closed',
  'pages/other.yml': 'title: Other',
  'pages/open.yml': 'options: { changeTemplate: [hidden, closed] }',
  'pages/hidden.yml': 'title: Hidden\nstatus: { unlisted: true }',
})
describeRole(storage, 'reader', 'permissions: { pages: { changeTemplate: false } }')
const site = await createTestApp({ storage })
const admin = await createTokenClient(site)
const reader = await createTokenClient(site, { role: 'reader' })
const change = (id: string, template: unknown) => admin.call('PATCH', `pages/${id}/template`, { template })

test('changing the template back and forth loses nothing', async () => {
  await addPage(site, '', {
    slug: 'n',
    template: 'note',
    content: { title: 'N', text: 'kept', when: '2026-02-03', only: 'mine', free: 'as well' },
    status: 'listed',
  })
  await addPage(site, '', { slug: 'm', status: 'listed' })
  const { data, headers } = await change('n', 'EVENT')
  expect(data).toMatchObject({ template: 'event', num: 0, title: 'N' })
  expect(data.content).toMatchObject({
    text: 'kept',
    when: expect.stringContaining('2026-02-03'),
    price: 7,
    only: 'mine',
    free: 'as well',
  })
  expect(headers['etag']).toBe('"3"')
  expect((await admin.done('GET', 'pages/m')).data.num).toBe(1)
  const back = await change('n', 'note')
  expect(back.data).toMatchObject({ template: 'note', num: 2 })
  expect(back.data.content).toMatchObject({
    text: 'kept',
    when: '2026-02-03',
    only: 'mine',
    free: 'as well',
    price: '7',
  })
  expect((await change('n', 'note')).headers['etag']).toBe('"4"')
})

test('a value that the new field cannot read gets the default', async () => {
  await addPage(site, '', { slug: 'u', template: 'note', content: { when: 'some day' } })
  expect((await change('u', 'event')).data.content.when).toContain('2020-01-02')
})

test('only templates that the blueprint names are accepted', async () => {
  await addPage(site, '', { slug: 'o', template: 'note' })
  for (const template of ['other', 'gone', '../note', 'nothing', '__proto__'])
    expect(await change('o', template)).toMatchObject({ status: 400, key: 'error.page.changeTemplate.invalid' })
  for (const template of ['', 5, undefined])
    expect(await change('o', template)).toMatchObject({ status: 400, key: 'error.validation' })
  expect((await change('o', 'closed')).data.template).toBe('closed')
  expect(await change('o', 'note')).toMatchObject({ status: 403, key: 'error.page.changeTemplate.permission' })
})

test('the status of the page must be offered by the new blueprint', async () => {
  await addPage(site, '', { slug: 'p', template: 'open', status: 'listed' })
  expect(await change('p', 'hidden')).toMatchObject({ status: 400, key: 'error.page.changeTemplate.invalid' })
  const names = async () =>
    (await admin.done('GET', 'pages/p?select=blueprints')).data.blueprints.map(({ name }: { name: string }) => name)
  expect(await names()).toEqual(['open', 'closed'])
  await admin.done('PATCH', 'pages/p/status', { status: 'unlisted' })
  expect(await names()).toEqual(['open', 'hidden', 'closed'])
  expect((await change('p', 'hidden')).data).toMatchObject({ template: 'hidden', status: 'unlisted' })
})

test('changing the template requires a permission', async () => {
  await addPage(site, '', { slug: 'r', template: 'note' })
  expect(await reader.call('PATCH', 'pages/r/template', { template: 'event' })).toMatchObject({
    status: 403,
    key: 'error.page.changeTemplate.permission',
  })
})
