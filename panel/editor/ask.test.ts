import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { changesBar, expectAccessible, expectFocused, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'site.yml': 'sections: { pages: { type: pages } }',
  'pages/article.yml': 'title: Article\nfields: { intro: { type: text, label: Introduction } }',
})
const panel = await openPanel({ storage })
const { site } = panel
const ada = await addUser(site, { email: 'ada@example.org' })
const bea = await addUser(site, { email: 'bea@example.org' })
const apiClient = await createTokenClient(site)
await addPage(site, '', { slug: 'article', title: 'Article', template: 'article', content: { intro: 'First' } })
const intro = (page: Page) => page.getByRole('textbox', { name: 'Introduction' })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

test('a user who asks for the draft of another gets an answer, or the draft', async () => {
  const [first, second] = [
    await panel.open({ as: ada, at: '/pages/article' }),
    await panel.open({ as: bea, at: '/pages/article' }),
  ]
  await intro(first).fill('A sentence')
  await changesBar(first).getByText('Draft saved').waitFor()
  await second.reload()

  await button(second, 'Ask ada@example.org').click()
  await second.getByText('Waiting for the answer of ada@example.org').waitFor()
  await expectAccessible(second)
  await first.getByText('bea@example.org would like to continue here').waitFor()
  await expectFocused(intro(first))
  await expectAccessible(first)
  await first.setViewportSize({ width: 390, height: 800 })
  await expectNoSidewaysScroll(first)
  await button(first, 'Not now').press('Enter')
  await second.getByText('ada@example.org would like to finish first.').waitFor()
  await first.getByText('bea@example.org would like to continue here').waitFor({ state: 'detached' })
  expect(await intro(second).isDisabled()).toBe(true)

  await button(second, 'Ask ada@example.org').press('Enter')
  await button(first, 'Hand over').waitFor()
  await intro(first).fill('A sentence, now complete')
  // A slow network: the others learn by presence that the question is answered before the draft is taken over.
  await second.route(/changes.unlock/, route => setTimeout(() => void route.continue(), 3000))
  await button(first, 'Hand over').click()
  await second.getByText('You have taken over').waitFor()
  await expect.poll(() => intro(second).inputValue()).toBe('A sentence, now complete')
  await first
    .getByText('bea@example.org is editing this')
    .or(first.getByText('bea@example.org has taken over'))
    .waitFor()
  await intro(second).fill('Bea goes on')
  await expect
    .poll(async () => (await apiClient.done('GET', 'pages/article/changes')).data.content.intro)
    .toBe('Bea goes on')
})

test.runIf(isSlow)('lists show who has a page open', async () => {
  await panel.open({ as: ada, at: '/pages/article' })
  const list = await panel.open({ as: bea, at: '/site' })
  await list.getByRole('main').getByRole('img', { name: 'Opened by: ada@example.org' }).waitFor()
  await expectAccessible(list)
  await list.setViewportSize({ width: 390, height: 800 })
  await expectNoSidewaysScroll(list)
})
