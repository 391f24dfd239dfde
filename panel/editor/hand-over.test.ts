import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { changesBar, expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'site.yml': 'sections: { pages: { type: pages } }',
  'pages/article.yml': `title: Article
fields:
  intro: { type: text, label: Introduction }
  note: { type: text, label: Note }
`,
})
const panel = await openPanel({ storage })
const { site } = panel
const ada = await addUser(site, { email: 'ada@example.org' })
const bea = await addUser(site, { email: 'bea@example.org' })
const apiClient = await createTokenClient(site)
const article = (slug: string) =>
  addPage(site, '', { slug, title: slug.toUpperCase(), template: 'article', content: { intro: 'First' } })
const readDraft = async (slug: string) => (await apiClient.done('GET', `pages/${slug}/changes`)).data.content
const field = (page: Page, name: string) => page.getByRole('textbox', { name })

/** 400 ms per request, and 500 kbit/s. */
async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const rate = 62_500
  const slow = { offline: false, latency: 400, downloadThroughput: rate, uploadThroughput: rate }
  await session.send('Network.emulateNetworkConditions', slow)
}

test.runIf(isSlow)('who is here is shown before a key is pressed', async () => {
  await article('here')
  const first = await panel.open({ as: ada, at: '/pages/here' })
  const second = await panel.open({ as: bea, at: '/account' })
  await slowDown(second)
  // It does not wait for the timer that starts to follow the events later.
  await second.addInitScript(`
    const run = window.setTimeout
    window.setTimeout = (act, ms, ...input) => (ms === 3000 ? 0 : run(act, ms, ...input))
  `)
  await second.goto(`${panel.url}/pages/here`)
  await field(second, 'Introduction').waitFor()
  await second.getByRole('img', { name: 'Also viewing: ada@example.org' }).waitFor()
  await first.getByRole('img', { name: 'Also viewing: bea@example.org' }).waitFor()
  await expectAccessible(second)
  await second.setViewportSize({ width: 390, height: 800 })
  await expectNoSidewaysScroll(second)
})

test.runIf(isSlow)('a sentence that is being typed is complete after another user takes over', async () => {
  await article('sentence')
  const [first, second] = [
    await panel.open({ as: ada, at: '/pages/sentence' }),
    await panel.open({ as: bea, at: '/pages/sentence' }),
  ]
  await slowDown(first)
  await field(first, 'Introduction').fill('')
  await first.keyboard.type('The sentence')
  await changesBar(first).getByText('Draft saved').waitFor()

  await second.reload()
  await second.getByRole('button', { name: 'Take over' }).click()
  await second.getByRole('alertdialog').getByRole('button', { name: 'Take over' }).click()
  await second.getByText('You have taken over').waitFor()
  await expect.poll(() => field(second, 'Introduction').inputValue()).toBe('The sentence')

  await first.keyboard.type(' that Ada')
  await first.getByText('bea@example.org has taken over').waitFor()
  await first.getByText('Finish your sentence').waitFor()
  expect(await field(first, 'Note').isDisabled()).toBe(true)
  await expectAccessible(first)
  await first.keyboard.type(' is typing is complete.')
  expect(await field(first, 'Introduction').inputValue()).toBe('The sentence that Ada is typing is complete.')
  await field(first, 'Introduction').blur()
  await first.getByText('What you typed last was added to the draft that bea@example.org is editing.').waitFor()
  await expect.poll(() => field(first, 'Introduction').isDisabled()).toBe(true)
  expect(await readDraft('sentence')).toMatchObject({ intro: 'The sentence that Ada is typing is complete.' })
  await expectAccessible(first)
  await expect
    .poll(() => field(second, 'Introduction').inputValue())
    .toBe('The sentence that Ada is typing is complete.')

  // Someone takes over from Bea, and changes the same field before she goes on.
  await field(second, 'Note').fill('By Bea')
  await changesBar(second).getByText('Draft saved').waitFor()
  await expect.poll(() => readDraft('sentence')).toMatchObject({ note: 'By Bea' })
  await apiClient.done('POST', 'pages/sentence/changes/unlock')
  await apiClient.done('POST', 'pages/sentence/changes/save', { note: 'By a third' })
  await second.keyboard.type(', and more')
  await second.getByText('Finish your sentence').waitFor()
  await field(second, 'Note').blur()
  await second.getByText('What you wrote is in the history.').waitFor()
  await second.getByRole('button', { name: 'Page actions' }).click()
  await second.getByRole('menuitem', { name: 'History' }).click()
  const taken = second
    .getByRole('dialog', { name: 'History' })
    .getByRole('listitem')
    .filter({ hasText: 'bea@example.org' })
  await taken.first().getByRole('button').first().click()
  await taken.first().locator('ins', { hasText: 'By Bea, and more' }).waitFor()
  expect(await readDraft('sentence')).toMatchObject({ note: 'By a third' })
})
