import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, type TokenClient, createTokenClient } from '../../../../test/pages.ts'
import { describeRole } from '../../../../test/signed-in-user.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, { 'pages/secret.yml': 'options: { list: { reader: false } }\n' })
describeRole(storage, 'reader', 'title: Reader\n')
const site = await createTestApp({ storage })
const [admin, reader] = [await createTokenClient(site), await createTokenClient(site, { role: 'reader' })]
const top = await addPage(site, '', { slug: 'top', title: 'Top' })
for (const [slug, template] of [['m'], ['c', 'secret'], ['x'], ['a']] as const)
  await addPage(site, top, { slug, title: slug.toUpperCase(), template: template ?? 'default', status: 'listed' })
for (const slug of ['u2', 'u1']) await addPage(site, top, { slug, status: 'unlisted' })
await addPage(site, top, { slug: 'draft' })

/** The ids of the previous and the next page; `-` for none. */
const neighboursOf = async (slug: string, who: TokenClient = admin) => {
  const { data } = await who.done('GET', `pages/top+${slug}?select=prev,next`)
  const { prev, next } = data as Record<'prev' | 'next', { id: string } | null>
  return `${prev?.id ?? '-'} ${next?.id ?? '-'}`
}

test('a page has previous and next siblings of its status, in order', async () => {
  expect(await neighboursOf('m')).toBe('- top/c')
  expect(await neighboursOf('c')).toBe('top/m top/x')
  expect(await neighboursOf('a')).toBe('top/x -')
  expect(await neighboursOf('u1')).toBe('- top/u2')
  expect(await neighboursOf('u2')).toBe('top/u1 -')
  expect(await neighboursOf('draft')).toBe('- -')
  const { data } = await admin.done('GET', 'pages/top+c?select=next')
  expect(data).toEqual({ next: { id: 'top/x', title: 'X' } })
})

test('unlistable siblings are skipped, also in lists', async () => {
  expect(await neighboursOf('m', reader)).toBe('- top/x')
  const { data } = await admin.done('GET', 'pages/top/children?select=id,next')
  expect((data as { next: { id: string } | null }[]).map(({ next }) => next?.id)).toEqual([
    'top/c', 'top/x', 'top/a', undefined, 'top/u2', undefined,
  ]) // prettier-ignore
  expect((await admin.done('GET', 'pages/top+c?view=any')).data).not.toHaveProperty('next')
})
