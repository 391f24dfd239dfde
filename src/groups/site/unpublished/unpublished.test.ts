import { expect, test } from 'vitest'
import { createTestApp, createTestStorage, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, createTokenClient, type TokenClient } from '../../../../test/pages.ts'
import { describeRole } from '../../../../test/signed-in-user.ts'
import { createLanguage } from '../../../content/languages/languages.ts'
import { operatorContext } from '../../../cli/site.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/default.yml': 'fields: { text: { type: text } }',
  'pages/secret.yml': 'options: { access: { clerk: false }, list: { clerk: false } }\nfields: { text: { type: text } }',
  'pages/fixed.yml': 'options: { update: { clerk: false } }\nfields: { text: { type: text } }',
})
describeRole(storage, 'clerk', '')
describeRole(storage, 'guest', 'permissions: { pages: { update: false } }')
const site = await createTestApp({ storage, quiet: true })
const [ada, clerk, guest] = [
  await createTokenClient(site),
  await createTokenClient(site, { role: 'clerk' }),
  await createTokenClient(site, { role: 'guest' }),
]
for (const [slug, template] of Object.entries({
  first: 'default',
  second: 'default',
  secret: 'secret',
  fixed: 'fixed',
}))
  await addPage(site, '', { slug, title: slug, template, status: 'listed' })

const inHours = (hours: number) => new Date(storage.clock() + hours * 3_600_000).toISOString()
const idsIn = async (who: TokenClient, path: string) => {
  const { data } = (await who.done('GET', path)) as unknown as { data: { id: string }[] }
  return data.map(({ id }) => id)
}

test('pages with unpublished changes are listed to accounts that may update them, the last changed first', async () => {
  expect(await idsIn(ada, 'site/drafts')).toEqual([])
  for (const id of ['secret', 'second', 'fixed', 'first']) {
    await ada.done('POST', `pages/${id}/changes/save`, { text: 'Draft' })
    await storage.moveClock(1000)
  }
  await clerk.done('POST', 'pages/second/changes/unlock')
  await clerk.done('POST', 'pages/second/changes/save', { text: 'Of the clerk' })
  await ada.done('POST', 'site/changes/save', { title: 'Not a page' })
  expect(await idsIn(ada, 'site/drafts')).toEqual(['second', 'first', 'fixed', 'secret'])
  expect(await idsIn(ada, 'site/drafts?user=account')).toEqual(['first', 'fixed', 'secret'])
  expect(await idsIn(ada, `site/drafts?user=${clerk.id}`)).toEqual(['second'])
  expect(await idsIn(ada, 'site/drafts?limit=2&page=2')).toEqual(['fixed', 'secret'])
  expect(await idsIn(clerk, 'site/drafts')).toEqual(['second', 'first'])
  expect(await idsIn(guest, 'site/drafts')).toEqual([])
  await ada.done('POST', 'pages/first/changes/publish')
  expect(await idsIn(ada, 'site/drafts')).toEqual(['second', 'fixed', 'secret'])
  expect(await ada.call('GET', 'site/drafts?user=')).toMatchObject({ status: 400 })
})

test('scheduled pages are listed to accounts that may list them, the next one first', async () => {
  for (const [id, hours] of Object.entries({ first: 3, secret: 1, second: 2 }))
    await ada.done('PATCH', `pages/${id}/schedule`, { status: 'unlisted', at: inHours(hours) })
  expect(await idsIn(ada, 'site/schedules')).toEqual(['secret', 'second', 'first'])
  expect(await idsIn(clerk, 'site/schedules')).toEqual(['second', 'first'])
  expect(await ada.done('GET', 'site/schedules?select=id,schedule&limit=1')).toMatchObject({
    data: [{ id: 'secret', schedule: { status: 'unlisted' } }],
    pagination: { total: 3 },
  })
})

test('drafts are those of the language of the request', async () => {
  await createLanguage(operatorContext(site.app), { code: 'en', name: 'English', default: true })
  await createLanguage(operatorContext(site.app), { code: 'de', name: 'Deutsch' })
  await ada.done('POST', 'pages/first/changes/save?language=de', { text: 'Entwurf' })
  expect(await idsIn(ada, 'site/drafts?language=de')).toEqual(['first'])
  expect(await idsIn(ada, 'site/drafts?language=en')).not.toContain('first')
})
