import { expect, test } from 'vitest'
import { createTestApp, createTestStorage, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, createTokenClient, type TokenClient } from '../../../../test/pages.ts'
import { describeRole } from '../../../../test/signed-in-user.ts'
import { createMailServer } from '../../../../test/smtp.ts'
import { until } from '../../../../test/until.ts'
import { startSending } from '../../../platform/mail/outbox.ts'

const storage = await createTestStorage()
const mailbox = await createMailServer()
writeBlueprints(storage.data, {
  'pages/default.yml': 'fields: { text: { type: text } }',
  'pages/secret.yml': 'options: { access: { author: false } }\nfields: { text: { type: text } }',
  'users/hidden.yml': 'title: Hidden\noptions: { access: { author: false } }',
})
describeRole(storage, 'author', 'title: Author\npermissions: { pages: { publish: false } }')
describeRole(storage, 'guest', 'permissions: { pages: { update: false } }')
const site = await createTestApp({ storage, quiet: true, settings: { ...mailbox.settings, auth: { throttle: false } } })
const [ada, bob, guest, hidden] = [
  await createTokenClient(site),
  await createTokenClient(site, { role: 'author' }),
  await createTokenClient(site, { role: 'guest' }),
  await createTokenClient(site, { role: 'hidden' }),
]
await addPage(site, '', { slug: 'secret', title: 'Secret', template: 'secret' })

let count = 0
/** Adds a page, and returns the path of its comments. */
async function addPageForComments(): Promise<string> {
  const slug = `page-${++count}`
  await addPage(site, '', { slug, title: `Title ${count}`, template: 'default', status: 'listed' })
  return `pages/${slug}/comments`
}

interface ShownComment {
  id: string
  text: string
  thread: string
  mentions: { username: string }[]
}
const add = async (who: TokenClient, path: string, body: object) =>
  (await who.done('POST', path, body)).data as ShownComment
const list = async (who: TokenClient, path: string) => (await who.done('GET', path)).data as ShownComment[]
/** The mails that were sent since the last call: to whom, with which subject and with which link. */
async function takeMails(): Promise<{ summary: string; link: string | undefined }[]> {
  const stop = startSending(site.app)
  await until(async () => {
    const { length } = await site.app.store.db.selectFrom('jobs').select('id').where('queue', '=', 'mail').execute()
    expect(length).toBe(0)
  })
  await stop()
  return mailbox.mails.splice(0).map(({ to, headers, text }) => ({
    summary: `${to[0]} ${headers['subject']}`,
    link: /https?:\S+/.exec(text)?.[0],
  }))
}

test('a comment belongs to the page, to its title or to a field that it has', async () => {
  const path = await addPageForComments()
  for (const field of ['', 'title', 'text', 'text/0/a']) await add(ada, path, { text: 'Hello', field })
  for (const field of ['__proto__', 'nothing', '/text'])
    expect(await ada.call('POST', path, { text: 'Hello', field })).toMatchObject({
      status: 404,
      key: 'error.field.notFound',
    })
})

test('threads on a page and on a field, in order; hostile text is not interpreted, only line ends and surrounding spaces are normalised', async () => {
  const path = await addPageForComments()
  const hostile = '<img src=x onerror=alert(1)>\r\n@[nobody] {title} '
  const first = await add(bob, path, { text: hostile, field: 'text' })
  expect(first).toMatchObject({
    text: '<img src=x onerror=alert(1)>\n@[nobody] {title}',
    thread: first.id,
    field: 'text',
    isOwn: true,
    mentions: [],
    resolved: null,
  })
  await storage.moveClock(10)
  const reply = await add(ada, path, { text: 'Yes', thread: first.id })
  await storage.moveClock(10)
  const other = await add(ada, path, { text: 'On the page' })
  expect(reply).toMatchObject({ thread: first.id, field: '' })
  expect((await list(bob, path)).map(({ id }) => id)).toEqual([first.id, reply.id, other.id])
  expect((await bob.done('GET', `${path}?limit=1&page=2`)).data).toMatchObject([{ id: reply.id, isOwn: false }])
  const [event] = (await ada.done('GET', 'site/events?event=page.comment&limit=1')).data as object[]
  expect(event).toMatchObject({ detail: { what: 'created' } })
  expect(JSON.stringify(event)).not.toContain('On the page')
})

test('threads are resolved by everyone who may comment, texts are changed by their author only', async () => {
  const path = await addPageForComments()
  const { id } = await add(bob, path, { text: 'One' })
  const reply = await add(ada, path, { text: 'Two', thread: id })
  expect(await ada.done('PATCH', `${path}/${id}`, { resolved: true })).toMatchObject({
    data: { resolved: expect.any(String) as unknown, resolvedBy: { id: ada.id } },
  })
  expect(await bob.done('PATCH', `${path}/${id}`, { resolved: false })).toMatchObject({
    data: { resolved: null, resolvedBy: null },
  })
  expect(await bob.done('PATCH', `${path}/${id}`, { text: 'Uno' })).toMatchObject({
    data: { text: 'Uno', modified: expect.any(String) as unknown },
  })
  expect(await ada.call('PATCH', `${path}/${id}`, { text: 'x' })).toMatchObject({
    key: 'error.page.comment.permission',
  })
  expect(await ada.call('PATCH', `${path}/${reply.id}`, { resolved: true })).toMatchObject({ status: 404 })
  expect(await bob.call('DELETE', `${path}/${id}`)).toMatchObject({ status: 403 }) // it has a reply of another account
  await ada.done('DELETE', `${path}/${reply.id}`)
  await bob.done('DELETE', `${path}/${id}`)
  expect(await list(bob, path)).toEqual([])
  const { id: thread } = await add(bob, path, { text: 'One' })
  await add(bob, path, { text: 'Two', thread })
  await ada.done('DELETE', `${path}/${thread}`)
  expect(await list(bob, path)).toEqual([])
})

test('mentioned accounts get one mail, if the author may see them and they may see the page', async () => {
  const path = await addPageForComments()
  const text = `Look, @[${ada.id}] and @[${ada.id}], @[${hidden.id}], @[${bob.id}]`
  const { id, mentions } = await add(bob, path, { text })
  expect(mentions).toMatchObject([{ id: ada.id }, { id: bob.id }])
  expect(await takeMails()).toEqual([
    {
      summary: `${ada.id}@example.org Comment: Title ${count}`,
      link: expect.stringMatching(new RegExp(`/panel/pages/page-${count}\\?comment=${id}$`)) as string,
    },
  ])
  await bob.done('PATCH', `${path}/${id}`, { text: `${text}!` })
  expect(await takeMails()).toEqual([])
  await add(ada, 'pages/secret/comments', { text: `@[${bob.id}] @[${hidden.id}]` })
  expect(await takeMails()).toMatchObject([{ summary: `${hidden.id}@example.org Comment: Secret` }])
})

test('refusals: without permission, unknown threads and comments, texts that are empty or too long', async () => {
  const path = await addPageForComments()
  const elsewhere = await addPageForComments()
  const { id } = await add(bob, path, { text: 'One' })
  const reply = await add(bob, path, { text: 'Two', thread: id })
  for (const [method, url, body] of [
    ['GET', path],
    ['POST', path, { text: 'x' }],
    ['PATCH', `${path}/${id}`, { resolved: true }],
    ['DELETE', `${path}/${id}`],
  ] as const)
    expect(await guest.call(method, url, body)).toMatchObject({ status: 403, key: 'error.page.update.permission' })
  expect(await bob.call('GET', 'pages/secret/comments')).toMatchObject({ status: 404, key: 'error.page.notFound' })
  for (const thread of ['x', reply.id])
    expect(await bob.call('POST', path, { text: 'x', thread })).toMatchObject({ key: 'error.page.comment.notFound' })
  expect(await bob.call('POST', elsewhere, { text: 'x', thread: id })).toMatchObject({ status: 404 })
  expect(await bob.call('PATCH', `${elsewhere}/${id}`, { text: 'x' })).toMatchObject({ status: 404 })
  expect(await bob.call('DELETE', `${elsewhere}/${id}`)).toMatchObject({ status: 404 })
  for (const text of ['', ' \n ', 'x'.repeat(5001), 1, null])
    expect(await bob.call('POST', path, { text })).toMatchObject({ status: 400 })
  expect((await list(bob, path)).length).toBe(2)
})

test('comments go to the trash with their page and come back; a reply to a thread that is being deleted keeps the thread, or is refused', async () => {
  const path = await addPageForComments()
  const { id } = await add(bob, path, { text: 'Keep' })
  await ada.done('DELETE', path.replace('/comments', ''))
  const [entry] = (await ada.done('GET', 'site/trash')).data as { id: string }[]
  await ada.done('POST', `site/trash/${entry!.id}/restore`)
  expect(await list(bob, path)).toMatchObject([{ id, text: 'Keep' }])
  const [, answer] = await Promise.all([
    bob.done('DELETE', `${path}/${id}`).catch(() => undefined),
    ada.call('POST', path, { text: 'Late', thread: id }),
  ])
  const left = await list(bob, path)
  // Either the reply came first, and Bob may not delete it, or the thread was gone.
  expect(left.length).toBe(answer.status === 200 ? 2 : 0)
})
