import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { changesBar, expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { describeRole } from '../../test/signed-in-user.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'site.yml': 'title: Site\nsections: { pages: { type: pages, label: Pages } }',
  'pages/default.yml': 'title: Note\nfields: { intro: { type: text, label: Introduction } }',
})
describeRole(storage, 'author', 'title: Author\npermissions: { pages: { publish: false } }')
const panel = await openPanel({ storage })
const { site } = panel
const ada = await addUser(site, { email: 'ada@example.org' })
const bob = await addUser(site, { email: 'bob@example.org', role: 'author' })
const apiClient = await createTokenClient(site)

const intro = (page: Page) => page.getByRole('textbox', { name: 'Introduction' })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
const message = (page: Page, text: string) =>
  page
    .getByRole('region', { name: /Notifications/ })
    .getByText(text)
    .first()
const listOnToday = (page: Page, list: string) => page.getByRole('list', { name: list })
const textOf = async (id: string) =>
  (await apiClient.done('GET', `pages/${id}?select=content`)).data.content.intro as string

async function ask(page: Page, note: string) {
  await changesBar(page)
    .getByRole('button', { name: /^Request/ })
    .click()
  await dialog(page, 'Request review').getByRole('textbox', { name: 'Note' }).fill(note)
  await dialog(page, 'Request review').getByRole('button', { name: 'Request review' }).click()
  await message(page, 'Review requested').waitFor()
}

test('an author requests a review, a publisher sends it back and publishes what comes next', async () => {
  await addPage(site, '', { slug: 'tides', title: 'Tides', content: { intro: 'The sea rises.' }, status: 'listed' })
  const author = await panel.open({ as: bob, at: '/pages/tides' })
  author.setDefaultTimeout(25_000)
  await intro(author).fill('The sea rises twice a day.')
  await changesBar(author).getByRole('button', { name: 'Request review' }).waitFor()
  expect(await changesBar(author).getByRole('button', { name: 'Publish' }).count()).toBe(0)
  await changesBar(author).getByRole('button', { name: 'Request review' }).click()
  await expectAccessible(author)
  await dialog(author, 'Request review').getByRole('button', { name: 'Cancel' }).click()
  await ask(author, 'Please check the number.')
  await author.getByText('In review', { exact: true }).waitFor()
  await author.getByText('Please check the number.').waitFor()
  await expectAccessible(author)

  const publisher = await panel.open({ as: ada, at: '/today' })
  publisher.setDefaultTimeout(25_000)
  await listOnToday(publisher, 'Waiting for review').getByRole('link', { name: 'Tides' }).waitFor()
  await expectAccessible(publisher)
  await listOnToday(publisher, 'Waiting for review').getByRole('link', { name: 'Tides' }).click()
  await publisher.getByText('bob@example.org requests a review').waitFor()
  await publisher.getByRole('button', { name: 'Review changes' }).click()
  const review = dialog(publisher, 'Review')
  await review.locator('ins', { hasText: 'twice a day' }).waitFor()
  await expectAccessible(publisher)
  await review.getByRole('button', { name: 'Send back' }).click()
  const sendBack = dialog(publisher, 'Send back')
  expect(await sendBack.getByRole('button', { name: 'Send back' }).isDisabled()).toBe(true)
  await sendBack.getByRole('textbox', { name: 'What should be changed?' }).fill('Say at what time.')
  await sendBack.getByRole('button', { name: 'Send back' }).click()
  await message(publisher, 'Sent back').waitFor()
  await publisher.getByText('ada@example.org sent this page back').waitFor()

  // The author sees it at once, without loading the page again.
  await author.getByText('Say at what time.').waitFor()
  await author.getByRole('link', { name: 'Today' }).click()
  await listOnToday(author, 'Needs attention').getByRole('link', { name: /Tides/ }).click()
  await intro(author).fill('The sea rises twice a day, at six.')
  await ask(author, 'At six.')

  await publisher.getByText('At six.').waitFor()
  await publisher.getByRole('button', { name: 'Review changes' }).click()
  await review.locator('ins', { hasText: 'at six' }).waitFor()
  await review.getByRole('button', { name: 'Publish' }).click()
  await message(publisher, 'Published').waitFor()
  await publisher.getByText('requests a review').waitFor({ state: 'detached' })
  expect(await textOf('tides')).toBe('The sea rises twice a day, at six.')
  await author.getByText('In review', { exact: true }).waitFor({ state: 'detached' })
})

test.runIf(isSlow)(
  'a new page is reviewed as a whole; the author can withdraw; lists say that it is in review',
  async () => {
    await addPage(site, '', { slug: 'moon', title: 'Moon' })
    const author = await panel.open({ as: bob, at: '/pages/moon' })
    await ask(author, 'A new one.')
    await changesBar(author).waitFor({ state: 'detached' })
    await author.getByRole('button', { name: 'Withdraw' }).click()
    await message(author, 'Request withdrawn').waitFor()
    await ask(author, 'Once more.')
    const publisher = await panel.open({ as: ada, at: '/site', width: 390, height: 800 })
    await publisher.getByRole('link', { name: 'Moon' }).first().waitFor()
    await publisher.getByText('bob@example.org requests a review.').first().waitFor({ state: 'attached' })
    await publisher.goto(`${panel.url}/pages/moon`)
    await publisher.getByRole('button', { name: 'Review changes' }).click()
    const review = dialog(publisher, 'Review')
    await review.getByText('This page has never been published: all of it is new.').waitFor()
    await expectNoSidewaysScroll(publisher)
    await review.getByRole('button', { name: 'Publish' }).click()
    await message(publisher, 'Published').waitFor()
    expect((await apiClient.done('GET', 'pages/moon?select=status')).data.status).toBe('listed')
  },
)
