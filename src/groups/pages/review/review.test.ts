import { describe, expect, test } from 'vitest'
import { inEitherOrder } from '../../../../test/concurrently.ts'
import { createTestApp, createTestStorage, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, createTokenClient, type TokenClient } from '../../../../test/pages.ts'
import { describeRole } from '../../../../test/signed-in-user.ts'
import { rounds } from '../../../../test/slow.ts'
import { createMailServer } from '../../../../test/smtp.ts'
import { until } from '../../../../test/until.ts'
import { operatorContext } from '../../../cli/site.ts'
import { createLanguage } from '../../../content/languages/languages.ts'
import { mailQueue, startSending } from '../../../platform/mail/outbox.ts'

const storage = await createTestStorage()
const mailbox = await createMailServer()
writeBlueprints(storage.data, {
  'pages/default.yml': 'fields: { text: { type: text } }',
  'pages/secret.yml':
    'options: { access: { author: false }, list: { author: false } }\nfields: { text: { type: text } }',
})
describeRole(storage, 'author', 'title: Author\npermissions: { pages: { publish: false } }')
describeRole(storage, 'guest', 'permissions: { pages: { update: false } }')
const site = await createTestApp({
  storage,
  quiet: true,
  settings: { ...mailbox.settings, auth: { throttle: false } },
})
const [ada, bob, colleague, guest] = [
  await createTokenClient(site),
  await createTokenClient(site, { role: 'author' }),
  await createTokenClient(site, { role: 'author' }),
  await createTokenClient(site, { role: 'guest' }),
]

let count = 0
/** A listed page with an unpublished change of Bob. */
async function changedPage(template = 'default'): Promise<string> {
  const slug = `page-${++count}`
  await addPage(site, '', { slug, title: `Title ${count}`, template, status: 'listed' })
  await bob.done('POST', `pages/${slug}/changes/save`, { text: 'By Bob' })
  return slug
}
const review = (id: string) => `pages/${id}/review`
const idsIn = async (who: TokenClient, path: string) => {
  const { data } = (await who.done('GET', path)) as unknown as { data: { id: string }[] }
  return data.map(({ id }) => id)
}

/** Sends what waits, until there is a mail with this subject. */
async function mailWith(subject: string) {
  const found = () => mailbox.mails.filter(({ headers }) => headers['subject'] === subject)
  const stop = startSending(site.app)
  await until(() => expect(found()).toHaveLength(1))
  await stop()
  return found()[0]!
}

describe('an author', () => {
  test('requests a review, which is shown in the page, in the list and to publishers by mail', async () => {
    const id = await changedPage()
    await bob.done('POST', review(id), { note: '  Please look at it\r\ntoday ' })
    const mail = await mailWith(`Review: Title ${count}`)
    expect(mail.to).toEqual([`${ada.id}@example.org`])
    expect(mail.text).toContain('Please look at it today')
    expect(mail.text).toContain(`/panel/pages/${id}`)
    const shown = { state: 'waiting', note: 'Please look at it\ntoday', language: null, changed: false, answer: '' }
    expect(await ada.done('GET', review(id))).toMatchObject({ data: { ...shown, user: { id: bob.id }, isOwn: false } })
    expect(await bob.done('GET', `pages/${id}?select=state`)).toMatchObject({
      data: { state: { publish: false, review: { ...shown, isOwn: true } } },
    })
    expect(await idsIn(ada, 'site/reviews')).toEqual([id])
    expect(await idsIn(ada, 'site/reviews?user=account')).toEqual([])
    expect(await idsIn(bob, 'site/reviews?user=account')).toEqual([id])
    expect(await idsIn(guest, 'site/reviews')).toEqual([])
    const [event] = (await ada.done('GET', `site/events?page=${id}&event=page.review`)).data as object[]
    expect(event).toMatchObject({ event: 'page.review', detail: { what: 'requested' } })
    expect(JSON.stringify(event)).not.toContain('Please')
    await bob.done('DELETE', review(id))
    expect(await idsIn(ada, 'site/reviews')).toEqual([])
    expect(await bob.call('DELETE', review(id))).toMatchObject({ status: 404, key: 'error.page.review.notFound' })
  })

  test('keeps writing while it waits, and the review says that the draft has changed', async () => {
    const id = await changedPage()
    await bob.done('POST', review(id))
    await bob.done('POST', `pages/${id}/changes/save`, { text: 'By Bob, again' })
    expect(await ada.done('GET', review(id))).toMatchObject({ data: { changed: true } })
    await bob.done('POST', review(id), { note: 'Once more' })
    expect(await ada.done('GET', review(id))).toMatchObject({ data: { changed: false, note: 'Once more' } })
  })

  test('has nothing to review on a published page without changes; a draft page can always be reviewed', async () => {
    const id = await changedPage()
    await bob.done('POST', `pages/${id}/changes/discard`)
    expect(await bob.call('POST', review(id))).toMatchObject({ status: 400, key: 'error.page.review.nothing' })
    await addPage(site, '', { slug: 'fresh', title: 'Fresh', template: 'default' })
    await bob.done('POST', review('fresh'), { note: 'New' })
    await bob.done('PATCH', 'pages/fresh', { text: 'More' })
    expect(await idsIn(ada, 'site/reviews')).toContain('fresh')
    await ada.done('PATCH', 'pages/fresh/status', { status: 'listed', publishChanges: true })
    expect(await ada.call('GET', review('fresh'))).toMatchObject({ status: 404 })
  })

  test('cannot send back, nor withdraw what a colleague asked for, nor hand in their words', async () => {
    const id = await changedPage()
    expect(await colleague.call('POST', review(id))).toMatchObject({ status: 423 })
    await bob.done('POST', review(id))
    expect(await bob.call('POST', `${review(id)}/return`, { note: 'x' })).toMatchObject({
      status: 403,
      key: 'error.page.publish.permission',
    })
    expect(await colleague.call('DELETE', review(id))).toMatchObject({
      status: 403,
      key: 'error.page.review.permission',
    })
    expect(await bob.call('POST', `pages/${id}/changes/publish`)).toMatchObject({ status: 403 })
    expect(await guest.call('GET', review(id))).toMatchObject({ status: 403, key: 'error.page.update.permission' })
    await ada.done('DELETE', review(id))
  })

  test('sees no page of a hidden template in the list', async () => {
    await addPage(site, '', { slug: 'secret', title: 'Secret', template: 'secret' })
    await ada.done('POST', review('secret'))
    expect(await idsIn(bob, 'site/reviews')).not.toContain('secret')
    expect(await idsIn(ada, 'site/reviews')).toContain('secret')
    expect(await bob.call('GET', review('secret'))).toMatchObject({ status: 404, key: 'error.page.notFound' })
    await ada.done('DELETE', review('secret'))
  })
})

describe('a publisher', () => {
  test('publishes at once, without waiting for the edit lock, and the author is told', async () => {
    const id = await changedPage()
    const { data } = await bob.done('GET', `pages/${id}/changes`)
    await bob.done('POST', `${review(id)}?draftRevision=${data.draftRevision}`)
    await ada.done('POST', `pages/${id}/changes/publish?draftRevision=${data.draftRevision}`)
    expect((await mailWith(`Accepted: Title ${count}`)).to).toEqual([`${bob.id}@example.org`])
    expect(await ada.done('GET', `pages/${id}?select=content`)).toMatchObject({ data: { content: { text: 'By Bob' } } })
    expect(await ada.call('GET', review(id))).toMatchObject({ status: 404 })
    expect(await idsIn(ada, 'site/reviews')).not.toContain(id)
  })

  test('does not publish a draft that has changed since it was read', async () => {
    const id = await changedPage()
    const { data } = await bob.done('GET', `pages/${id}/changes`)
    await bob.done('POST', review(id))
    await storage.moveClock(1)
    await bob.done('POST', `pages/${id}/changes/save`, { text: 'Later' })
    const publish = () => ada.call('POST', `pages/${id}/changes/publish?draftRevision=${data.draftRevision}`)
    expect(await publish()).toMatchObject({ status: 423 }) // Bob is writing again
    await storage.moveClock(11 * 60_000)
    expect(await publish()).toMatchObject({ status: 412 })
    expect(await bob.call('POST', `${review(id)}?draftRevision=${data.draftRevision}`)).toMatchObject({ status: 412 })
  })

  test('sends back with a note, which the author gets by mail; asking again makes it wait again', async () => {
    const id = await changedPage()
    await bob.done('POST', review(id))
    expect(await ada.call('POST', `${review(id)}/return`, { note: '  ' })).toMatchObject({ status: 400 })
    await ada.done('POST', `${review(id)}/return`, { note: 'Too long' })
    expect((await mailWith(`Sent back: Title ${count}`)).text).toContain('Too long')
    expect(await bob.done('GET', review(id))).toMatchObject({
      data: { state: 'returned', answer: 'Too long', answered: expect.any(String) as unknown },
    })
    expect(await idsIn(bob, 'site/reviews')).not.toContain(id)
    expect(await idsIn(bob, 'site/reviews?state=returned&user=account')).toContain(id)
    expect(await ada.call('POST', `${review(id)}/return`, { note: 'x' })).toMatchObject({ status: 404 })
    await bob.done('POST', review(id))
    expect(await bob.done('GET', review(id))).toMatchObject({
      data: { state: 'waiting', answer: '', answeredBy: null },
    })
  })

  test('schedules the draft, which ends the review; discarding it does, too', async () => {
    const id = await changedPage()
    await bob.done('POST', review(id))
    const at = new Date(storage.clock() + 3_600_000).toISOString()
    await ada.done('PATCH', `pages/${id}/schedule`, { status: 'listed', at, publishChanges: true })
    expect(await ada.call('GET', review(id))).toMatchObject({ status: 404 })
    await bob.done('POST', review(id))
    await ada.done('POST', `pages/${id}/changes/discard`)
    expect(await ada.call('GET', review(id))).toMatchObject({ status: 404 })
  })
})

test('a review goes to the trash with its page and comes back', async () => {
  const id = await changedPage()
  await bob.done('POST', review(id), { note: 'Keep' })
  await ada.done('DELETE', `pages/${id}`)
  expect(await idsIn(ada, 'site/reviews')).not.toContain(id)
  const [entry] = (await ada.done('GET', 'site/trash')).data as { id: string }[]
  await ada.done('POST', `site/trash/${entry!.id}/restore`)
  expect(await ada.done('GET', review(id))).toMatchObject({ data: { note: 'Keep', state: 'waiting' } })
})

test('a review survives its author', async () => {
  const id = await changedPage()
  const author = await createTokenClient(site, { role: 'author' })
  await storage.moveClock(11 * 60_000)
  await author.done('POST', `pages/${id}/changes/save`, { text: 'Mine' })
  await author.done('POST', review(id))
  await site.app.store.write(tx => tx.deleteFrom('users').where('id', '=', author.id).execute())
  expect(await ada.done('GET', review(id))).toMatchObject({ data: { user: null, isOwn: false } })
  await ada.done('POST', `${review(id)}/return`, { note: 'Nobody reads it' })
})

test('asking, sending back and publishing at once leave nothing half done', async () => {
  for (let round = 0; round < rounds(5, 40); round++) {
    const id = await changedPage()
    await bob.done('POST', review(id))
    const [published, returned] = await inEitherOrder(
      round,
      () => ada.call('POST', `pages/${id}/changes/publish`),
      () => ada.call('POST', `${review(id)}/return`, { note: 'No' }),
    )
    expect([published.status, [200, 404].includes(returned.status)]).toEqual([200, true])
    expect((await ada.call('GET', review(id))).status).toBe(404)
    await bob.done('POST', `pages/${id}/changes/save`, { text: 'Again' })
    const [asked, saved] = await inEitherOrder(
      round,
      () => bob.call('POST', review(id)),
      () => bob.call('POST', `pages/${id}/changes/discard`),
    )
    const left = await ada.call('GET', review(id))
    expect([saved.status, [200, 400, 404].includes(asked.status), left.status]).toEqual([200, true, 404])
  }
})

// It adds languages to the site, which the tests above do not have.
test('each language has its own review; lists show those of all languages', async () => {
  const id = await changedPage()
  await createLanguage(operatorContext(site.app), { code: 'en', name: 'English', default: true })
  await createLanguage(operatorContext(site.app), { code: 'de', name: 'Deutsch' })
  await bob.done('POST', `pages/${id}/changes/save?language=de`, { text: 'Von Bob' })
  await bob.done('POST', `${review(id)}?language=de`, { note: 'Deutsch' })
  expect(await ada.call('GET', `${review(id)}?language=en`)).toMatchObject({ status: 404 })
  expect(await idsIn(ada, 'site/reviews?language=en')).toContain(id)
  expect(await ada.done('GET', `pages/${id}?select=state&language=en`)).toMatchObject({
    data: { state: { review: { language: 'de', note: 'Deutsch' } } },
  })
  await bob.done('POST', `${review(id)}?language=en`)
  await ada.done('POST', `pages/${id}/changes/publish?language=en`)
  expect(await ada.done('GET', `${review(id)}?language=de`)).toMatchObject({ data: { state: 'waiting' } })
})

test('publishers get one mail per page and language in ten minutes, if the account is within its limit', async () => {
  const limited = await createTestApp({ quiet: true, settings: mailbox.settings })
  const [asking, other] = [await createTokenClient(limited), await createTokenClient(limited)]
  await addPage(limited, '', { slug: 'limited', title: 'Limited' })
  await addPage(limited, '', { slug: 'next', title: 'Next' })
  await createLanguage(operatorContext(limited.app), { code: 'en', name: 'English', default: true })
  await createLanguage(operatorContext(limited.app), { code: 'de', name: 'Deutsch' })
  const queued = async () =>
    (await limited.app.store.db.selectFrom('jobs').select('id').where('queue', '=', mailQueue).execute()).length
  await asking.done('POST', `${review('limited')}?language=en`)
  await asking.done('POST', `${review('limited')}?language=en`)
  expect(await queued()).toBe(1)
  await asking.done('POST', `${review('limited')}?language=de`)
  expect(await queued()).toBe(2)

  // The 30 requests of one account in an hour; the ones beyond them charge nothing to the page.
  for (let sent = 3; sent < 29; sent++) await asking.done('POST', `${review('limited')}?language=en`)
  await asking.done('POST', `${review('next')}?language=en`)
  await asking.done('POST', `${review('next')}?language=de`)
  expect(await queued()).toBe(3)
  await other.done('POST', `${review('next')}?language=de`)
  expect(await queued()).toBe(4)
})
