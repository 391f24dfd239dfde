import { expect, test } from 'vitest'
import { createTestApp, createTestStorage, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { statementsOf } from '../../../test/sign-in.ts'
import { describeRole } from '../../../test/signed-in-user.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/default.yml': 'fields: { intro: { type: text, required: true }, body: { type: textarea } }',
  'pages/hall.yml': 'sections: { rooms: { type: pages } }',
})
describeRole(storage, 'guest', 'permissions: { pages: { update: false } }')
const site = await createTestApp({ storage, quiet: true })
const [ada, ida, guest] = [
  await createTokenClient(site),
  await createTokenClient(site),
  await createTokenClient(site, { role: 'guest' }),
]
const hall = await addPage(site, '', { slug: 'hall', title: 'Hall', template: 'hall', status: 'listed' })
const room = (slug: string, body: object = {}) =>
  addPage(site, hall, { slug, title: slug, content: { intro: 'Words' }, status: 'listed', ...body })
for (const slug of ['plain', 'changed', 'empty', 'long']) await room(slug)
await room('begun', { content: {}, draft: true, status: undefined })
const lists = {
  section: 'pages/hall/sections/rooms?states=true',
  children: 'pages/hall/children?status=all&select=id,state',
  search: 'site/search?q=words&select=id,state',
}
// oxlint-disable-next-line typescript/no-explicit-any -- each test knows the shape
const statesIn = async (who: typeof ada, path: string): Promise<Record<string, any>> => {
  const { data } = (await who.done('GET', path)) as unknown as { data: { id: string; state: object }[] }
  return Object.fromEntries(data.map(({ id, state }) => [id.slice('hall/'.length), state]))
}
const nothing = { changes: null, incomplete: false, schedule: null }

test('lists show unpublished changes, who makes them, what is missing, and the schedule', async () => {
  await ida.done('POST', 'pages/hall+changed/changes/save', { title: 'Renamed', body: 'More' })
  await ada.done('POST', 'pages/hall+empty/changes/save', { intro: '' })
  const at = new Date(storage.clock() + 3_600_000).toISOString()
  await ada.done('PATCH', 'pages/hall+plain/schedule', { status: 'unlisted', at })
  for (const path of [lists.section, lists.children]) {
    const states = await statesIn(ada, path)
    expect(states['plain']).toMatchObject({ changes: null, incomplete: false, schedule: { status: 'unlisted', at } })
    expect(states['changed']).toEqual({
      publish: true,
      statusLabel: 'Public',
      changes: {
        user: expect.objectContaining({ id: ida.id }) as object,
        modified: expect.any(String) as string,
        isOwn: false,
        isLocked: true,
        title: 'Renamed',
      },
      incomplete: false,
      schedule: null,
    })
    expect(states['empty']).toMatchObject({ changes: { isOwn: true, isLocked: false, title: null }, incomplete: true })
    expect(states['begun']).toMatchObject({ changes: null, incomplete: true, statusLabel: 'Draft' })
  }
  expect(await statesIn(ida, lists.children)).toMatchObject({ changed: { changes: { isOwn: true, isLocked: false } } })
  expect(await statesIn(ada, lists.search)).toMatchObject({ changed: { changes: { title: 'Renamed' } } })
  await storage.moveClock(11 * 60_000)
  expect(await statesIn(ada, lists.children)).toMatchObject({ changed: { changes: { isLocked: false } } })
})

test('who may not update a page learns nothing about its changes', async () => {
  const states = await statesIn(guest, lists.children)
  for (const slug of ['changed', 'empty', 'begun']) expect(states[slug]).toMatchObject({ ...nothing, incomplete: null })
})

test('long drafts are not read for a list', async () => {
  await ada.done('POST', 'pages/hall+long/changes/save', { body: 'x'.repeat(100_000), title: 'Long' })
  expect(await statesIn(ada, lists.children)).toMatchObject({
    long: { changes: { isOwn: true, title: null }, incomplete: null },
  })
})

test('55 pages need a few statements more than 3, and one request checks 50', async () => {
  const count = async (path: string) => (await statementsOf(site, () => ada.done('GET', path))).length
  const annex = await addPage(site, '', { slug: 'annex', title: 'Annex', template: 'hall', status: 'listed' })
  const inAnnex = {
    section: lists.section.replace('hall', 'annex'),
    children: `pages/annex/children?status=all&select=id,state&limit=100`,
  }
  await ada.done('GET', lists.children)
  const few = [await count(`${lists.children}&limit=3`), await count(lists.section)]
  for (let index = 0; index < 55; index++)
    await addPage(site, annex, { slug: `more-${index}`, title: 'More', content: {}, draft: true })
  // Long lists are shown in a few batches of pages.
  expect(await count(inAnnex.children)).toBeLessThanOrEqual(few[0]! + 4)
  expect(await count(inAnnex.section)).toBeLessThanOrEqual(few[1]! + 4)
  const states = Object.values(await statesIn(ada, inAnnex.children)) as { incomplete: boolean | null }[]
  expect(states.filter(({ incomplete }) => incomplete === true)).toHaveLength(50)
  expect(states.filter(({ incomplete }) => incomplete === null)).toHaveLength(5)
})
