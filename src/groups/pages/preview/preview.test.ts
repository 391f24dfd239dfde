import { expect, test } from 'vitest'
import { createTestApp } from '../../../../test/harness.ts'
import { addPage, visitor } from '../../../../test/pages.ts'

const site = await createTestApp({ settings: { site: { url: 'https://www.example.org/' } } })
const admin = await createTokenClient(site)
await addPage(site, '', { slug: 'home', draft: false })
await addPage(site, '', { slug: 'notes', draft: false })

test('addresses of the site and its pages begin with `site.url`', async () => {
  const get = async (path: string) => (await admin.done('GET', path)).data
  expect(await get('pages/notes?select=url,previewUrl')).toEqual({
    url: 'https://www.example.org/notes',
    previewUrl: 'https://www.example.org/notes',
  })
  expect(await get('pages/home?select=url')).toEqual({ url: 'https://www.example.org' })
  expect(await get('site?select=url,previewUrl')).toEqual({
    url: 'https://www.example.org',
    previewUrl: 'https://www.example.org',
  })
  expect(await get('system?select=siteUrl')).toEqual({ siteUrl: 'https://www.example.org' })
})

test('a language with an address of its own uses that', async () => {
  await admin.done('POST', 'languages', { code: 'en', name: 'English', default: true })
  await admin.done('POST', 'languages', { code: 'de', name: 'Deutsch', url: 'https://www.example.de' })
  const urlIn = async (code: string) => (await admin.done('GET', `pages/notes?select=url&language=${code}`)).data.url
  expect(await urlIn('en')).toBe('https://www.example.org/en/notes')
  expect(await urlIn('de')).toBe('https://www.example.de/notes')
})
