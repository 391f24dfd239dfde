import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectFocused, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { createSignedInUser, describeRole } from '../../test/signed-in-user.ts'
import { createUploader } from '../../test/files.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/default.yml': `title: Note
tabs:
  content: { label: Content, fields: { intro: { type: text, label: Introduction }, text: { type: blocks, label: Text } } }
  meta: { label: Meta, fields: { summary: { type: textarea, label: Summary } } }
`,
})
describeRole(storage, 'author', 'title: Author\npermissions: { pages: { publish: false } }')
describeRole(storage, 'guest', 'title: Guest\npermissions: { pages: { update: false } }')
const panel = await openPanel({ storage })
const { site } = panel
const ada = await addUser(site, { email: 'ada@example.org' })
const bob = await addUser(site, { email: 'bob@example.org', role: 'author' })
const apiClient = await createTokenClient(site)
for (const [{ id }, name] of [[ada, 'Ada'], [bob, 'Bob']] as const) await apiClient.done('PATCH', `users/${id}/name`, { name }) // prettier-ignore

const drawer = (page: Page) => page.getByRole('dialog', { name: 'Comments' })
const composer = (page: Page) => drawer(page).getByRole('textbox', { name: 'Comment', exact: true })
const comments = (page: Page) => page.getByRole('button', { name: /^Comments/ })
const field = (page: Page, name: string) => page.getByRole('textbox', { name })
const block = (id: string, text: string) => ({ id, type: 'text', isHidden: false, content: { text } })
async function send(page: Page, text: string) {
  await composer(page).fill(text)
  await drawer(page).getByRole('button', { name: 'Comment', exact: true }).click()
  await drawer(page).getByRole('article').getByText(text).first().waitFor()
}

test('two people discuss a field: a mention by keyboard, a reply in the other window, the way to the field, resolved', async () => {
  await addPage(site, '', { slug: 'tides', title: 'Tides', status: 'listed' })
  const one = await panel.open({ as: ada, at: '/pages/tides' })
  const other = await panel.open({ as: bob, at: '/pages/tides' })
  for (const page of [one, other]) page.setDefaultTimeout(25_000)
  await comments(one).click()
  await drawer(one).getByText('No comments yet.').waitFor()
  await expectFocused(composer(one))
  await expectAccessible(one)
  await composer(one).pressSequentially('Is this right, @bo')
  await drawer(one).getByRole('option', { name: 'Bob bob@example.org', selected: true }).waitFor()
  await expectAccessible(one)
  await composer(one).press('Enter')
  await composer(one).pressSequentially('?')
  expect(await composer(one).inputValue()).toBe('Is this right, @Bob ?')
  await drawer(one).getByRole('combobox', { name: 'About' }).click()
  await one.getByRole('option', { name: 'Summary' }).click()
  await drawer(one).getByRole('button', { name: 'Comment', exact: true }).click()
  await drawer(one).getByRole('article', { name: 'Comment by Ada' }).getByText('Is this right, @Bob ?').waitFor()
  await expectAccessible(one)
  const [stored] = (await apiClient.done('GET', 'pages/tides/comments')).data as { text: string; field: string }[]
  expect(stored).toMatchObject({ text: `Is this right, @[${bob.id}] ?`, field: 'summary' })

  // The form beside it stays usable, and the thread leads to its field in the other tab.
  await field(one, 'Introduction').fill('The sea rises.')
  await drawer(one).getByRole('button', { name: 'Summary' }).click()
  await expectFocused(field(one, 'Summary'))
  await drawer(one).waitFor()

  // The other window shows it at the field, without loading the page again.
  await other.getByRole('button', { name: 'Comments, 1 open thread' }).waitFor()
  await other.getByRole('tab', { name: 'Meta' }).click()
  await other.getByRole('button', { name: '1 comment on Summary' }).click()
  await drawer(other).getByRole('button', { name: 'Reply' }).click()
  await drawer(other).getByRole('textbox', { name: 'Reply to Ada' }).pressSequentially('<b>Yes</b>')
  await drawer(other).getByRole('textbox', { name: 'Reply to Ada' }).press('Control+Enter')
  await drawer(one).getByText('<b>Yes</b>').waitFor()
  await drawer(one).getByRole('button', { name: 'Resolve' }).click()
  await drawer(one).getByText('All threads are resolved.').waitFor()
  await other.getByRole('button', { name: /comments? on Summary/ }).waitFor({ state: 'detached' })
  await drawer(other).getByRole('checkbox', { name: 'Show resolved' }).click()
  await drawer(other).getByText('Resolved by Ada').waitFor()
  await drawer(other).getByRole('button', { name: 'Reopen' }).click()
  await drawer(other).getByRole('button', { name: 'Reply' }).waitFor()
})

test.runIf(isSlow)('a publisher comments at a field of the difference; the author sees it at the field', async () => {
  await addPage(site, '', { slug: 'moon', title: 'Moon', content: { intro: 'It is round.' }, status: 'listed' })
  const author = await panel.open({ as: bob, at: '/pages/moon' })
  author.setDefaultTimeout(25_000)
  await field(author, 'Introduction').fill('It is mostly round.')
  await author.getByRole('button', { name: 'Request review' }).click()
  const ask = author.getByRole('dialog', { name: 'Request review' })
  await ask.getByRole('button', { name: 'Request review' }).click()
  const publisher = await panel.open({ as: ada, at: '/pages/moon' })
  publisher.setDefaultTimeout(25_000)
  await publisher.getByRole('button', { name: 'Review changes' }).click()
  const review = publisher.getByRole('dialog', { name: 'Review' })
  await review.locator('ins', { hasText: 'mostly' }).waitFor()
  await review.getByRole('button', { name: 'Comment on Introduction' }).click()
  const text = review.getByRole('textbox', { name: 'Comment on Introduction' })
  await expectFocused(text)
  await text.pressSequentially('Why mostly?')
  await review.getByRole('button', { name: 'Comment', exact: true }).first().click()
  await review.getByRole('list', { name: '1 comment on Introduction' }).getByText('Why mostly?').waitFor()
  await expectAccessible(publisher)
  await author.getByRole('button', { name: '1 comment on Introduction' }).click()
  await drawer(author).getByText('Why mostly?').waitFor()
  await drawer(author).getByRole('button', { name: 'Reply' }).click()
  await drawer(author).getByRole('textbox', { name: 'Reply to Ada' }).fill('It is flat at the poles.')
  await drawer(author).getByRole('button', { name: 'Reply' }).click()
  await review.getByText('It is flat at the poles.').waitFor()
})

test.runIf(isSlow)('own comments are edited and deleted; what was not sent stays; refusals are sentences', async () => {
  await addPage(site, '', { slug: 'wind', title: 'Wind', status: 'listed' })
  const page = await panel.open({ as: bob, at: '/pages/wind' })
  await comments(page).click()
  await send(page, 'One')
  await drawer(page).getByRole('button', { name: 'Actions for Bob’s comment' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const edited = drawer(page).getByRole('article').getByRole('textbox', { name: 'Comment' })
  expect(await edited.inputValue()).toBe('One')
  await edited.fill('Two')
  await drawer(page).getByRole('button', { name: 'Save' }).click()
  await drawer(page).getByText('edited').waitFor()
  await composer(page).fill('x'.repeat(5001))
  await drawer(page).getByRole('button', { name: 'Comment', exact: true }).click()
  await drawer(page)
    .getByText(/5,?000/)
    .waitFor()
  await composer(page).fill('Half a sen')
  await composer(page).press('Escape')
  await drawer(page).waitFor({ state: 'detached' })
  await comments(page).click()
  expect(await composer(page).inputValue()).toBe('Half a sen')
  // A reply of another account: only users who may publish can delete the thread.
  const [{ id }] = (await apiClient.done('GET', 'pages/wind/comments')).data as [{ id: string }]
  await apiClient.done('POST', 'pages/wind/comments', { text: 'Three', thread: id })
  await drawer(page).getByText('Three').waitFor()
  await drawer(page).getByRole('button', { name: 'Actions for Bob’s comment' }).click()
  expect(await page.getByRole('menuitem', { name: 'Delete thread' }).count()).toBe(0)
  await page.keyboard.press('Escape')
  const publisher = await panel.open({ as: ada, at: '/pages/wind' })
  await comments(publisher).click()
  await drawer(publisher).getByRole('button', { name: 'Actions for Bob’s comment' }).click()
  await publisher.getByRole('menuitem', { name: 'Delete thread' }).click()
  await drawer(publisher).getByText('No comments yet.').waitFor()
  await drawer(page).getByText('No comments yet.').waitFor()
})

test.runIf(isSlow)(
  'the link of a mail opens the thread, even a resolved one; without permission it says why',
  async () => {
    await addPage(site, '', { slug: 'rain', title: 'Rain', status: 'listed' })
    const add = async (text: string, more = {}) =>
      ((await apiClient.done('POST', 'pages/rain/comments', { text, ...more })).data as { id: string }).id
    const thread = await add('The first')
    const reply = await add('Its reply', { thread })
    await apiClient.done('PATCH', `pages/rain/comments/${thread}`, { resolved: true })
    for (let count = 0; count < 5; count++) await add(`Another ${count}`)
    const page = await panel.open({ as: ada, at: `/pages/rain?comment=${reply}` })
    await drawer(page).getByText('Its reply').waitFor()
    await expectFocused(drawer(page).getByRole('listitem').filter({ hasText: 'The first' }))
    await drawer(page).getByRole('button', { name: 'Close' }).click()
    await page.waitForURL('**/pages/rain')
    const guest = await panel.open({ as: { role: 'guest' }, at: `/pages/rain?comment=${reply}` })
    await drawer(guest).getByRole('alert').getByText('Only users who can edit this page').waitFor()
    await guest.goto(`${panel.url}/pages/rain`)
    await field(guest, 'Introduction').waitFor()
    expect(await comments(guest).count()).toBe(0)
  },
)

test.runIf(isSlow)('a block is commented on in its menu; a removed one is named', async () => {
  const text = [block('aaaa', '<p>The first words</p>'), block('bbbb', '<p>More words</p>')]
  await addPage(site, '', { slug: 'snow', title: 'Snow', content: { text }, status: 'listed' })
  await apiClient.done('POST', 'pages/snow/comments', { text: 'Where?', field: 'text/gone' })
  const page = await panel.open({ as: ada, at: '/pages/snow' })
  const last = page.locator('[data-block=bbbb]')
  await last.hover()
  await last.getByRole('button', { name: 'Options of Text' }).click()
  await page.getByRole('menuitem', { name: 'Comment on this block' }).click()
  await send(page, 'Fewer?')
  await drawer(page).getByRole('button', { name: 'Text › More words' }).waitFor()
  await last.getByRole('button', { name: '1 comment on Text' }).waitFor()
  await page.getByRole('button', { name: '2 comments on Text' }).waitFor()
  await drawer(page).getByRole('button', { name: 'All comments' }).click()
  await drawer(page).getByText('Text › removed block').waitFor()
  await drawer(page).getByRole('button', { name: 'Text › More words' }).click()
  await expectFocused(last.getByRole('textbox'))
  await expectAccessible(page)
})

test.runIf(isSlow)('200 comments, long texts, deleted accounts, a narrow window from right to left', async () => {
  await addPage(site, '', { slug: 'ice', title: 'Ice', status: 'listed' })
  const gone = await createTokenClient(site, { role: 'author' })
  const post = async (body: object, who = apiClient) =>
    ((await who.done('POST', 'pages/ice/comments', body)).data as { id: string }).id
  const thread = await post({ text: `Gone ${'word'.repeat(400)}` }, gone)
  for (let count = 1; count < 150; count++) await post({ text: `Reply ${count}`, thread })
  for (let count = 0; count < 50; count++) await post({ text: `Thread ${count}`, field: 'intro' })
  await (await createUploader(await createSignedInUser(site))).call('DELETE', `users/${gone.id}`)
  const reader = await addUser(site, { email: 'reader@example.org' })
  await apiClient.done('PATCH', `users/${reader.id}/language`, { language: 'ar' })
  const page = await panel.open({ as: reader, at: '/pages/ice', width: 390, height: 800, language: 'ar' })
  await page.getByRole('button', { name: /التعليقات/ }).click()
  const list = page.getByRole('dialog', { name: 'التعليقات' })
  await list.getByText('Reply 149').waitFor()
  expect(await list.getByText('Reply 3', { exact: true }).count()).toBe(0)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await list.getByRole('button', { name: 'Introduction' }).first().click()
  await list.waitFor({ state: 'detached' })
  await expectFocused(field(page, 'Introduction'))
})
