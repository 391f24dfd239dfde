import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { carryOutDue } from '../../src/groups/pages/schedule/due.ts'
import { changesBar, expectAccessible, expectFocused, openPanel } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'site.yml': `title: Site
sections:
  pages: { type: pages, label: Pages, templates: [note, shelf] }
`,
  'pages/note.yml': `title: Note
status:
  draft: Sketch
  unlisted: Back room
  listed: Printed
fields:
  intro: { type: text, label: Introduction, required: true }
  body: { type: textarea, label: Body }
`,
  'pages/shelf.yml': 'title: Shelf\nsections: { pages: { type: pages, template: note } }',
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)

const sketch = (slug: string, title: string) => addPage(site, '', { slug, title, template: 'note' })
const printed = (slug: string, title: string) =>
  addPage(site, '', { slug, title, template: 'note', content: { intro: 'Words' }, status: 'listed' })
const read = async (id: string) =>
  (await apiClient.done('GET', `pages/${id}?select=content,id,num,schedule,status,statusLabel`)).data

const intro = (page: Page) => page.getByRole('textbox', { name: 'Introduction' })
const publish = (page: Page) => changesBar(page).getByRole('button', { name: 'Publish', exact: true })
const undo = (page: Page) => page.getByRole('button', { name: 'Undo' })
const message = (page: Page, text: string) =>
  page
    .getByRole('region', { name: /Notifications/ })
    .locator('> *')
    .filter({ hasText: text })
const act = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'Page actions' }).click()
  await page.getByRole('menuitem', { name }).click()
}

test('one press of Publish makes a draft public with what was typed last, and nothing if a field is missing', async () => {
  await sketch('ink', 'Ink')
  const page = await panel.open({ as: admin, at: '/pages/ink' })
  await changesBar(page).getByText('Not published yet').waitFor()
  await expectAccessible(page)
  await page.getByRole('textbox', { name: 'Body' }).fill('Blue.')
  await publish(page).click()
  await changesBar(page).getByText('1 error to fix before publishing').waitFor()
  await expectFocused(intro(page))
  expect(await read('ink')).toMatchObject({ status: 'draft', content: { body: '' } })

  // Ctrl S never publishes a draft by reflex.
  await page.keyboard.press('Control+s')
  await message(page, 'Draft saved').waitFor()
  expect(await read('ink')).toMatchObject({ status: 'draft', content: { body: 'Blue.' } })

  // The last words are not saved as a draft yet when the button is pressed.
  await intro(page).fill('About ink')
  await publish(page).click()
  await message(page, 'Published').getByText('Status: Printed').waitFor()
  await changesBar(page).waitFor({ state: 'detached' })
  expect(await read('ink')).toMatchObject({ status: 'listed', content: { intro: 'About ink', body: 'Blue.' } })
  await page.getByRole('button', { name: 'Status: Printed' }).waitFor()
  await expectAccessible(page)

  await intro(page).fill('All about ink')
  await page.keyboard.press('Control+s')
  await changesBar(page).waitFor({ state: 'detached' })
  await act(page, 'History')
  const entries = page.getByRole('dialog', { name: 'History' }).getByRole('listitem')
  await expect.poll(() => entries.count()).toBe(5)
  const words = [/Published · Introduction/, /Published: Sketch → Printed/, /Published · .*Introduction/, /Draft saved · Body/, /Created/] // prettier-ignore
  for (const [index, word] of words.entries()) expect(await entries.nth(index).textContent()).toMatch(word)
  await page.keyboard.press('Escape')

  // Lists and the tree use the names of the blueprint, too.
  await page.getByRole('button', { name: 'All pages' }).click()
  await page.getByRole('treeitem', { name: 'Ink' }).getByText('Printed').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Site' }).click()
  await page.getByRole('button', { name: 'Ink: Printed. Change' }).waitFor()
})

test('the open page says what its schedule has done when it is due', async () => {
  await printed('soon-hidden', 'Soon hidden')
  await printed('soon-new', 'Soon new')
  await apiClient.done('POST', 'pages/soon-new/changes/save', { intro: 'New words' })
  const at = '2035-05-01T12:00:00Z'
  const pages: Page[] = []
  for (const [slug, plan] of [
    ['soon-hidden', { status: 'unlisted' }],
    ['soon-new', { status: 'listed', publishChanges: true }],
  ] as const) {
    await apiClient.done('PATCH', `pages/${slug}/schedule`, { at, ...plan })
    const page = await panel.open({ as: admin, at: `/pages/${slug}` })
    // What happens before the page follows the events of the site is shown only when it is loaded again.
    const stream = page.waitForResponse(response => response.url().includes('/api/site/events?'))
    await page.reload()
    await stream
    await page.getByText('Scheduled for May 1, 2035').waitFor()
    pages.push(page)
  }
  await site.app.store.write(tx => tx.updateTable('schedules').set({ due_at: 0 }).execute())
  await carryOutDue(site.app)
  await message(pages[0]!, 'Status changed as scheduled: “Soon hidden”').getByText('Status: Back room').waitFor()
  await message(pages[1]!, 'Published as scheduled: “Soon new”').waitFor()
})

test.runIf(isSlow)('another way to publish is offered beside the button', async () => {
  await sketch('paper', 'Paper')
  const page = await panel.open({ as: admin, at: '/pages/paper' })
  await intro(page).fill('White')
  await changesBar(page).getByRole('button', { name: 'More ways to publish' }).click()
  await page.getByRole('menuitem', { name: 'Publish as “Back room”' }).click()
  await page.getByRole('button', { name: 'Status: Back room' }).waitFor()
  expect(await read('paper')).toMatchObject({
    status: 'unlisted',
    statusLabel: 'Back room',
    content: { intro: 'White' },
  })
})

test.runIf(isSlow)('a publication, a change of status and a move are undone from their messages', async () => {
  for (const slug of ['first', 'second']) await printed(slug, slug)
  await addPage(site, '', { slug: 'third', title: 'third', template: 'shelf', status: 'listed' })
  await sketch('undone', 'Undone')
  const page = await panel.open({ as: admin, at: '/pages/undone' })
  await intro(page).fill('Words')
  await publish(page).click()
  await undo(page).click()
  await page.getByRole('button', { name: 'Status: Sketch' }).waitFor()
  expect(await read('undone')).toMatchObject({ status: 'draft', content: { intro: 'Words' } })

  await page.goto(`${panel.url}/pages/second`)
  const before = await read('second')
  const unpublish = async () => {
    await page.getByRole('button', { name: 'Status: Printed' }).click()
    await page.getByRole('radio', { name: /Sketch/ }).click()
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await message(page, 'Unpublished').first().waitFor()
  }
  await unpublish()
  await undo(page).click()
  await page.getByRole('button', { name: 'Status: Printed' }).waitFor()
  expect(await read('second')).toEqual(before)

  await unpublish()
  await apiClient.done('PATCH', 'pages/second', { body: 'Of another person' })
  await undo(page).first().click() // the newest
  await message(page, 'This can no longer be undone').getByText('It has been changed since then.').waitFor()
  await expectAccessible(page)
  expect(await read('second')).toMatchObject({ status: 'draft' })

  await page.goto(`${panel.url}/pages/first`)
  const { num } = await read('first')
  await act(page, 'Move to another page')
  await page.getByRole('dialog').getByRole('treeitem', { name: 'third' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Move here' }).click()
  await page.waitForURL('**/pages/third+first')
  await undo(page).click()
  await page.waitForURL('**/pages/first')
  expect(await read('first')).toMatchObject({ num })

  await page.getByRole('button', { name: 'All pages' }).click()
  const tree = page.getByRole('tree')
  await tree.getByRole('treeitem', { name: 'first' }).waitFor() // the tree may still show it inside of “third”
  await tree.getByRole('treeitem', { name: 'third' }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await message(page, 'third is now before first').waitFor()
  await expect.poll(async () => (await read('third')).num).toBe(num)
  await undo(page).click()
  await message(page, 'Move of “third” undone').waitFor()
  expect((await read('first')).num).toBe(num)
})

test.runIf(isSlow)(
  'a schedule is undone; a past time says why it cannot be chosen, and the time zone is named',
  async () => {
    await printed('soon', 'Soon')
    const page = await panel.open({ as: admin, at: '/pages/soon' })
    await intro(page).fill('Later')
    await changesBar(page).getByRole('button', { name: 'Schedule' }).click()
    const dialog = page.getByRole('dialog', { name: 'Schedule' })
    await dialog.getByText(/^Time zone: .*\(GMT/).waitFor()
    await dialog.getByLabel('Date').fill('2001-05-01')
    await dialog.getByText('This time is in the past. Choose a later one.').waitFor()
    await expect.poll(() => dialog.getByRole('button', { name: 'Schedule', exact: true }).isDisabled()).toBe(true)
    await dialog.getByRole('button', { name: 'Choose from the calendar' }).click()
    await page.getByText('Choose today or a later day.').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await dialog.getByLabel('Date').fill('2035-05-01')
    await dialog.getByRole('button', { name: 'Schedule', exact: true }).click()
    await message(page, 'Scheduled for May 1, 2035').getByText('The changes will be published.').waitFor()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect((await read('soon')).schedule).toMatchObject({ status: 'listed', publishChanges: true })
    await undo(page).click()
    await message(page, 'Schedule removed').waitFor()
    expect((await read('soon')).schedule).toBeNull()
  },
)
