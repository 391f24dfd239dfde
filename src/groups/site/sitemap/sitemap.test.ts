import { expect, test } from 'vitest'
import { createTestApp, createTestStorage, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../../test/pages.ts'
import { readsOf } from '../../../../test/sign-in.ts'
import { operatorContext } from '../../../cli/site.ts'
import { createLanguage } from '../../../content/languages/languages.ts'

test('the sitemap has the listed pages that visitors may see, in a fixed number of statements', async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'users/nobody.yml': 'title: Anonymous clients\n',
    'pages/hidden.yml': 'options: { list: { nobody: false } }\n',
  })
  const site = await createTestApp({ storage, settings: { site: { url: 'https://www.example.org' } }, quiet: true })
  const admin = await createTokenClient(site)
  await createLanguage(operatorContext(site.app), { code: 'en', url: '' })
  await createLanguage(operatorContext(site.app), { code: 'de' })
  await addPage(site, '', { slug: 'home', status: 'unlisted' })
  await addPage(site, '', { slug: 'error', draft: false })
  await addPage(site, '', { slug: 'imprint', status: 'unlisted' })
  await addPage(site, '', { slug: 'secret', template: 'hidden', status: 'listed' })
  const draft = await addPage(site, '', { slug: 'draft' })
  await addPage(site, draft, { slug: 'below', status: 'listed' })
  const notes = await addPage(site, '', { slug: 'notes', title: 'Notes', status: 'listed' })
  for (let number = 0; number < 8; number++) await addPage(site, notes, { slug: `n${number}`, status: 'listed' })
  await admin.done('PATCH', 'pages/notes/slug?language=de', { slug: 'notizen' })
  await admin.done('PATCH', 'pages/notes+n7/title?language=de', { title: 'Sieben' })

  async function ask(query = '', headers = {}) {
    const answer = await site.request({
      method: 'GET',
      url: `/api/site/sitemap${query}`,
      headers: { host: new URL(site.app.config.url).host, ...headers },
    })
    const json = answer.json<{
      key?: string
      data: { url: string; alternates: object[]; modified: string }[]
      pagination: { limit: number; next: string | null }
    }>()
    return { ...json, status: answer.statusCode, headers: answer.headers }
  }
  const all = await ask()
  expect(all.headers['cache-control']).toContain('public')
  expect(all.pagination).toEqual({ limit: 100, next: null })
  expect(all.data.map(({ url }) => url).toSorted()).toEqual(
    ['', '/notes', ...Array.from({ length: 8 }, (_, number) => `/notes/n${number}`)]
      .map(path => `https://www.example.org${path}`)
      .toSorted(),
  )
  expect(all.data.find(({ url }) => url.endsWith('/n7'))).toEqual({
    url: 'https://www.example.org/notes/n7',
    alternates: [
      { language: 'en', url: 'https://www.example.org/notes/n7' },
      { language: 'de', url: 'https://www.example.org/de/notizen/n7' },
    ],
    modified: expect.stringMatching(/^\d{4}-/) as string,
  })
  expect(all.data.find(({ url }) => url.endsWith('/n6'))!.alternates).toHaveLength(1)

  // In slices it is the same, and the number of statements does not depend on the number of pages.
  const inSlices: object[] = []
  for (let after: string | null = ''; after !== null;) {
    const { data, pagination } = await ask(`?limit=3&after=${encodeURIComponent(after)}`)
    inSlices.push(...data)
    after = pagination.next
  }
  expect(inSlices).toEqual(all.data)
  expect((await ask('?limit=1&after=draft')).pagination.next, 'of no page below a draft').toBe('home')
  const count = (query: string) => readsOf(site, () => ask(query))
  expect(await count('?limit=30')).toBeLessThanOrEqual(4)
  expect(await count('?limit=3')).toBe(await count('?limit=29'))
  for (const query of ['?limit=0', '?limit=1001', `?after=${'a'.repeat(2001)}`])
    expect(await ask(query)).toMatchObject({ status: 400, key: 'error.validation' })
})
