/** Help for translators and writers: fallback texts, copying from a language, the number of words, the outline. */
import { expect, test } from 'vitest'
import { expectAccessible, expectFocused, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'
import { createLanguage } from '../../src/content/languages/languages.ts'
import { operatorContext } from '../../src/cli/site.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/article.yml': `title: Article
fields:
  intro: { type: text, label: Introduction }
  body: { type: writer, label: Body }
  price: { type: number, label: Price, translate: false }
`,
  'pages/long.yml': `title: Long
fields:
  blocks: { type: blocks, label: Blocks }
  grid: { type: layout, layouts: [['1/2', '1/2']], settings: { fields: { class: { type: text } } } }
`,
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)
for (const [code, name] of Object.entries({ en: 'English', de: 'Deutsch', fr: 'Français' }))
  await createLanguage(operatorContext(site.app), { code, name })
const read = async (slug: string, language: string) =>
  (await apiClient.done('GET', `pages/${slug}?select=content&language=${language}`)).data.content as Record<string, unknown> // prettier-ignore

test.runIf(isSlow)(
  'fallback texts look like it and are taken over with one click; texts are copied from a language',
  async () => {
    const content = { intro: 'Hot', body: '<p>Green</p>', price: 3 }
    await addPage(site, '', { slug: 'tea', title: 'Tea', template: 'article', content, status: 'listed' })
    const page = await panel.open({ as: admin, at: '/pages/tea?language=de' })
    const badges = page.getByText('From English', { exact: true })
    await expect.poll(() => badges.count()).toBe(2)
    const intro = page.getByRole('textbox', { name: 'Introduction' })
    const style = () => intro.evaluate(element => getComputedStyle(element).fontStyle)
    expect(await style()).toBe('italic')
    await expectAccessible(page)
    await intro.fill('Heiß')
    await expect.poll(() => badges.count()).toBe(1)
    expect(await style()).toBe('normal')
    await expect.poll(() => page.getByRole('button', { name: 'Publish as translation' }).count()).toBe(0)
    await intro.fill('Hot')
    await page.getByRole('button', { name: 'Publish as translation' }).click()
    await expect.poll(() => badges.count()).toBe(0)
    await apiClient.done('PATCH', 'pages/tea?language=en', { intro: 'Cold', body: '<p>Black</p>' })
    expect(await read('tea', 'de')).toMatchObject({ intro: 'Hot', body: '<p>Green</p>', price: 3 })
    expect(await read('tea', 'fr')).toMatchObject({ intro: 'Cold' })

    await page.getByRole('button', { name: /Translations: 2 of 3/ }).click()
    await page.getByRole('menuitem', { name: 'Copy from language' }).click()
    const dialog = page.getByRole('dialog', { name: 'Copy texts to Deutsch' })
    await dialog.getByRole('checkbox', { name: 'Body' }).click()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Copy', exact: true }).click()
    await expect.poll(() => intro.inputValue()).toBe('Cold')
    expect(await page.getByRole('textbox', { name: 'Body' }).textContent()).toBe('Green')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => intro.inputValue()).toBe('Hot')
  },
)

const block = (id: string, type: string, content: object) => ({ id, type, isHidden: false, content })
const part = (name: string, heading = name) => [
  block(`h-${name}`, 'heading', { level: 'h2', text: heading }),
  block(`t-${name}`, 'text', { text: `<p>One two, <b>three</b> ${name}</p>` }),
]

test.runIf(isSlow)('words are counted when typing pauses; the outline goes to a heading', async () => {
  const blocks = [...['North', 'East', 'South', 'West'].flatMap(name => part(name)), ...part('Zenith', 'R&amp;B')]
  const columns = ['a', 'b'].map(id => ({ id, width: '1/2', blocks: [] }))
  const grid = [{ id: 'r', attrs: { class: 'wide and dark' }, columns }]
  await addPage(site, '', { slug: 'long', title: 'Long', template: 'long', content: { blocks, grid }, draft: true })
  // Not 800 high: axe looks for what covers the screen at a tenth of its height, where the button of the menu would be.
  const page = await panel.open({ as: admin, at: '/pages/long', height: 1200 })
  await page.getByText('26 words · 1 minute to read').waitFor()
  await page.locator('[data-block=t-North] [role=textbox]').click()
  await page.keyboard.press('End')
  await page.keyboard.type(' and more')
  await page.getByText('28 words').waitFor()
  await page.getByRole('button', { name: 'Outline' }).click()
  expect(await page.getByRole('menuitem').allTextContents()).toEqual(['North', 'East', 'South', 'West', 'R&B'])
  await expectAccessible(page)
  await page.getByRole('menuitem', { name: 'West' }).click()
  await expectFocused(page.locator('[data-block=h-West] [role=textbox]'))
})

test.runIf(isSlow)('fallbacks and the outline on a phone, dark and in Arabic', async () => {
  const arabicUser = await addUser(site, { email: 'ida@example.org' })
  await apiClient.done('PATCH', `users/${arabicUser.id}/language`, { language: 'ar' })
  for (const slug of ['tea', 'long']) {
    const at = `/pages/${slug}?language=fr`
    const page = await panel.open({ as: arabicUser, at, theme: 'dark', width: 390, height: 844 })
    await page.locator('.fallback').first().waitFor()
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
  }
})
