import { expect, test } from 'vitest'
import { expectAccessible, openPanel, publishChanges } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { createLanguage } from '../../src/content/languages/languages.ts'
import { operatorContext } from '../../src/cli/site.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/article.yml': `title: Article
fields:
  intro: { type: text, label: Introduction }
  body: { type: textarea, label: Body }
  price: { type: number, label: Price, translate: false }
`,
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)
await createLanguage(operatorContext(site.app), { code: 'en', name: 'English', default: true })
await createLanguage(operatorContext(site.app), {
  code: 'ar',
  name: 'العربية',
  direction: 'rtl',
  slugs: { '&': 'and' },
})
await addPage(site, '', {
  slug: 'tea',
  title: 'Tea',
  template: 'article',
  content: { intro: 'Hot', body: 'Green', price: 3 },
  status: 'listed',
})

const read = async (language: string) =>
  (await apiClient.done('GET', `pages/tea?select=content&language=${language}`)).data.content as Record<string, unknown>

test('another language shows which fields are untranslated, and is edited separately', async () => {
  const page = await panel.open({ as: admin, at: '/pages/tea' })
  const intro = page.getByRole('textbox', { name: 'Introduction' })
  await intro.waitFor()
  await page.getByRole('button', { name: /Content language/ }).click()
  await page.getByRole('menuitemradio', { name: 'العربية' }).click()
  await page.getByRole('button', { name: 'Translations: 1 of 2' }).waitFor()
  await page.getByText('2 fields are not translated into العربية yet').waitFor()
  await page.getByText('As in English: Introduction, Body').waitFor()
  await expect.poll(() => intro.inputValue()).toBe('Hot')
  await expect.poll(() => page.getByRole('spinbutton', { name: 'Price' }).isDisabled()).toBe(true)
  await intro.fill('ساخن')
  await page.getByText('1 field is not translated into العربية yet').waitFor()
  await expectAccessible(page)
  await publishChanges(page)
  await page.getByRole('button', { name: 'Translations: 2 of 2' }).waitFor()
  expect(await read('ar')).toMatchObject({ intro: 'ساخن', body: 'Green' })
  expect(await read('en')).toMatchObject({ intro: 'Hot' })
  await page.getByRole('button', { name: /Content language/ }).click()
  await page.getByRole('menuitemradio', { name: 'English' }).click()
  await expect.poll(() => intro.inputValue()).toBe('Hot')

  // The path of a translation is shown with its slugs, by its rules.
  await apiClient.done('PATCH', 'pages/tea/slug?language=ar', { slug: 'shai' })
  await apiClient.done('POST', 'pages/tea/children', { slug: 'green', title: 'Green', template: 'article' })
  await page.goto(`${panel.url}/pages/tea+green?language=ar`)
  await page.getByRole('button', { name: 'Page actions' }).click()
  await page.getByRole('menuitem', { name: 'Change slug' }).click()
  await page.getByRole('textbox', { name: 'Slug' }).fill('Tea & milk')
  // Below the slug, and among the new addresses.
  await expect.poll(() => page.getByText('/ar/shai/tea-and-milk', { exact: true }).count()).toBe(2)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Slug changed').waitFor()
  const { slug } = (await apiClient.done('GET', 'pages/tea+green?select=slug&language=ar')).data
  expect(slug).toBe('tea-and-milk')
})
