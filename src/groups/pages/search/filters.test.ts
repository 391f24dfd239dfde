import { beforeAll, expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, type TokenClient, createTokenClient } from '../../../../test/pages.ts'

let admin: TokenClient
beforeAll(async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'pages/cake.yml': 'fields: { tags: { type: tags }, vegan: { type: toggle }, price: { type: number } }',
    'users/cook.yml': 'fields: { night: { type: toggle } }',
  })
  const site = await createTestApp({ storage })
  admin = await createTokenClient(site)
  const cakes = [
    { slug: 'a', content: { tags: ['sweet', 'warm'], vegan: true, price: 3 } },
    { slug: 'b', content: { tags: ['sour'], price: 10 } },
    { slug: 'c', content: { tags: ['sweet'], vegan: false, price: 7 } },
  ]
  for (const { slug, content } of cakes)
    await addPage(site, '', { slug, title: `Cake ${slug}`, template: 'cake', content, status: 'listed' })
})

const search = async (body: object) => {
  const { data } = await admin.done('POST', 'site/children/search?select=slug', body)
  return (data as { slug: string }[]).map(({ slug }) => slug).join('')
}
const by = (field: string, operator: string, value: unknown) => search({ filterBy: [{ field, operator, value }] })

test('filters compare values as the API shows them', async () => {
  expect(await by('tags', '==', 'sweet')).toBe('ac')
  expect(await by('tags', '!=', 'sweet')).toBe('b')
  expect(await by('tags', 'in', ['warm', 'sour'])).toBe('ab')
  expect(await by('tags', 'not in', ['warm', 'sour'])).toBe('c')
  expect(await by('vegan', '==', false)).toBe('bc')
  expect(await by('vegan', '==', 'true')).toBe('a')
  expect(await by('price', '==', 7)).toBe('c')
  expect(await by('price', '==', '7')).toBe('c')
  expect(await by('price', '>', 5)).toBe('bc')
})

test('limit and offset are applied after sorting and searching', async () => {
  expect(await search({ sortBy: 'price desc', limit: 1 })).toBe('b')
  expect(await search({ sortBy: 'price desc', offset: 1, limit: 1 })).toBe('c')
  expect(await search({ search: 'Cake', filterBy: [{ field: 'vegan', value: false }], limit: 1 })).toBe('b')
})

test('unknown names are refused', async () => {
  for (const body of [{ filterBy: [{ field: 'pirce', value: 1 }] }, { sortBy: 'pirce desc' }]) {
    const answer = await admin.call('POST', 'site/children/search', body)
    expect([answer.status, answer.key, Object.keys(answer.details)]).toEqual([
      400,
      'error.validation',
      Object.keys(body),
    ])
  }
  expect((await admin.call('POST', 'users/search', { filterBy: [{ field: 'password', value: '' }] })).status).toBe(400)
  expect((await admin.call('POST', 'users/search', { filterBy: [{ field: 'night', value: true }] })).status).toBe(200)
  expect((await admin.call('POST', 'site/files/search', { sortBy: 'nothing' })).status).toBe(400)
  for (const path of ['pages/a?select=titel', 'site/children?select[]=title&select[]=titel', 'users?select=titel'])
    expect([path, (await admin.call('GET', path)).status]).toEqual([path, 400])
})
