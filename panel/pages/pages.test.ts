import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectFocused, openPanel, publishChanges } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'site.yml': `title: Site
sections:
  pages: { type: pages, label: Pages, limit: 5 }
`,
  'pages/article.yml': `title: Article
options: { changeTemplate: [album] }
sections:
  below: { type: pages, label: Below, search: true, template: article }
`,
  'pages/album.yml': `title: Album
fields:
  intro: { type: text }
`,
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)

const add = (slug: string, title: string, parent = '') =>
  addPage(site, parent, { slug, title, template: 'article', status: 'listed' })

await add('one', 'One')
const two = await add('two', 'Two')
await add('three', 'Three')
for (const [slug, title] of [
  ['a', 'Apple'],
  ['b', 'Banana'],
  ['c', 'Cherry'],
  ['d', 'Damson'],
] as const)
  await add(slug, title, two)

const order = async (path: string) =>
  ((await apiClient.done('GET', `${path}/children?select=id&status=listed`)).data as { id: string }[])
    .map(({ id }) => id.split('/').at(-1))
    .join(' ')

const act = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'Page actions' }).click()
  await page.getByRole('menuitem', { name }).click()
}

test.runIf(isSlow)('pages are sorted by keyboard, and each move is announced', async () => {
  const page = await panel.open({ as: admin, at: '/pages/two' })
  await page.getByRole('button', { name: 'Move Apple' }).focus()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('status').filter({ hasText: 'Apple is now at position 2 of 4' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => order('pages/two')).toBe('b c a d')
  await expectFocused(page.getByRole('button', { name: 'Move Apple' }))
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => order('pages/two')).toBe('b a c d')
  await expectAccessible(page)
})

test.runIf(isSlow)('pages are sorted by mouse', async () => {
  const page = await panel.open({ as: admin, at: '/pages/two' })
  await expect.poll(() => order('pages/two')).toBe('b a c d')
  const target = page.getByRole('listitem').filter({ hasText: 'Banana' })
  await target.hover() // when it no longer moves
  const box = (await target.boundingBox())!
  const grip = page.getByRole('button', { name: 'Move Damson' })
  await grip.hover()
  await page.mouse.down()
  await page.mouse.move(box.x + 60, box.y + 30, { steps: 4 })
  await page.mouse.move(box.x + 60, box.y + 4, { steps: 4 })
  await page.mouse.up()
  await expect.poll(() => order('pages/two')).toBe('d b a c')
  await page.getByRole('main').getByRole('listitem').first().getByText('Damson').waitFor()
})

test.runIf(isSlow)('a position can be typed, also in a paginated list', async () => {
  for (const number of [4, 5, 6, 7]) await add(`more-${number}`, `More ${number}`)
  const page = await panel.open({ as: admin, at: '/site' })
  await page.getByText('1–5 of 7').waitFor()
  await page.getByRole('button', { name: 'Actions for One' }).click()
  await page.getByRole('menuitem', { name: 'Change position' }).click()
  await page.getByRole('spinbutton', { name: 'Position' }).fill('7')
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await page.getByRole('listitem').last().getByText('One').waitFor()
  expect(await order('site')).toBe('two three more-4 more-5 more-6 more-7 one')
})

test('a refused slug can be corrected after the title was changed', async () => {
  const shelf = await add('shelf', 'Shelf')
  await add('written', 'Written', shelf)
  await add('taken', 'Taken', shelf)
  const page = await panel.open({ as: admin, at: '/pages/shelf' })
  const requests: string[] = []
  page.on('response', response => {
    const change = /\/api\/pages\/shelf(?:\+|%2B)written\/(title|slug)/.exec(response.url())
    if (change && response.request().method() === 'PATCH') requests.push(`${change[1]} ${response.status()}`)
  })
  await page.getByRole('button', { name: 'Actions for Written' }).click()
  await page.getByRole('menuitem', { name: 'Change title' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Title' }).fill('Rewritten')
  await dialog.getByRole('textbox', { name: 'Slug' }).fill('taken')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByRole('textbox', { name: 'Slug' }).fill('rewritten')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Rewritten' }).waitFor()
  expect(requests).toEqual(['title 200', 'slug 400', 'slug 200'])

  // A title that someone else changes while the dialog is open is not overwritten with the one that it shows.
  await page.getByRole('button', { name: 'Actions for Rewritten' }).click()
  await page.getByRole('menuitem', { name: 'Change title' }).click()
  await dialog.getByRole('textbox', { name: 'Slug' }).fill('again')
  await apiClient.done('PATCH', 'pages/shelf+rewritten/title', { title: 'Theirs' })
  await page.getByRole('link', { name: 'Theirs', includeHidden: true }).waitFor({ state: 'attached' })
  await page.waitForLoadState('networkidle')
  const answer = page.waitForResponse(response => response.request().method() === 'PATCH')
  await dialog.getByRole('button', { name: 'Save' }).click()
  expect(new URL((await answer).url()).pathname).toMatch(/slug$/)
  await dialog.getByRole('alert').getByText('Someone has changed this since you opened it.').waitFor()
  const { data } = await apiClient.done('GET', 'pages/shelf+rewritten?select=title,slug')
  expect(data).toEqual({ title: 'Theirs', slug: 'rewritten' })
})

test('title, slug, template and status of a page can be changed', async () => {
  await add('old', 'Old')
  const page = await panel.open({ as: admin, at: '/pages/old' })
  await page.getByRole('textbox', { name: 'Title' }).fill('New')
  await publishChanges(page)
  await act(page, 'Change slug')
  // Someone else changes the title, which this dialog does not show: it stays, and the slug is created from it.
  await apiClient.done('PATCH', 'pages/old/title', { title: 'Brand new' })
  await page.locator('h1', { hasText: 'Brand new' }).waitFor()
  await page.getByRole('button', { name: 'Create from title' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL('**/pages/brand-new')
  await page.getByRole('heading', { level: 1, name: 'Brand new' }).waitFor()

  await act(page, 'Change template')
  await page.getByRole('radio', { name: 'Album' }).click()
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await expect
    .poll(async () => (await apiClient.done('GET', 'pages/brand-new?select=template')).data.template)
    .toBe('album')
  // The form of the other template replaces the screen, with its menu.
  await page.getByRole('textbox', { name: 'Intro' }).waitFor()

  await act(page, 'Duplicate')
  await page.getByRole('button', { name: 'Duplicate' }).click()
  await page.waitForURL('**/pages/brand-new-copy')
  await page.getByRole('heading', { level: 1, name: 'Brand new (copy)' }).waitFor()

  // Deleting a page with children requires typing its name.
  await page.goto(`${panel.url}/pages/two`)
  await act(page, 'Delete')
  await page.getByText('4 subpages').waitFor()
  await expectAccessible(page)
  const dialog = page.getByRole('alertdialog')
  await expect.poll(() => dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  // The dialog also warns that links to the page will be broken.
  const { uuid } = (await apiClient.done('GET', 'pages/brand-new-copy?select=uuid')).data as { uuid: string }
  await addPage(site, '', { slug: 'linking', title: 'Linking', template: 'album', content: { intro: uuid } })
  await page.goto(`${panel.url}/pages/brand-new-copy`)
  await act(page, 'Delete')
  await page.getByText('1 place still links here:').waitFor()
  await page.getByRole('alertdialog').getByText('Linking').waitFor()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL('**/site')
  await expect.poll(async () => (await apiClient.call('GET', 'pages/brand-new-copy')).status).toBe(404)
})

test.runIf(isSlow)('a page is moved by the dialog and by the keys of the tree', async () => {
  await add('wanderer', 'Wanderer')
  const page = await panel.open({ as: admin, at: '/pages/wanderer' })
  await act(page, 'Move to another page')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('treeitem', { name: 'Three' }).click()
  await dialog.getByText('/three/wanderer').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Move here' }).click()
  await page.waitForURL('**/pages/three+wanderer')

  await page.getByRole('button', { name: 'All pages' }).click()
  const tree = page.getByRole('tree')
  await tree.getByRole('treeitem', { name: 'Wanderer' }).focus()
  await expectAccessible(page)
  await page.keyboard.press('Alt+ArrowLeft')
  await page.getByRole('status').filter({ hasText: 'Wanderer is now after Three' }).waitFor()
  await page.waitForURL('**/pages/wanderer')
  await expect.poll(() => order('site')).toContain('three wanderer')
  await tree.getByRole('treeitem', { name: 'Wanderer', level: 1 }).focus() // when it is drawn there
  await page.keyboard.press('Alt+ArrowUp')
  await expect.poll(() => order('site')).toContain('wanderer three')
})

const late = async (route: Route) => {
  await new Promise(passed => setTimeout(passed, 150))
  await route.continue()
}

test.runIf(isSlow)('keys pressed while a page of the tree is still moving are not lost', async () => {
  const parent = await add('row', 'Row')
  for (const slug of ['first', 'second', 'third', 'fourth']) await add(slug, slug, parent)
  const page = await panel.open({ as: admin, at: '/pages/row' })
  await page.getByRole('button', { name: 'All pages' }).click()
  const tree = page.getByRole('tree')
  await tree.getByRole('treeitem', { name: 'Row' }).focus()
  await page.route(/\/api\/pages\/row(\+first\/status|\/children)/, late)
  await page.keyboard.press('ArrowRight') // children are loading
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('first')
  for (let times = 0; times < 3; times++) await page.keyboard.press('Alt+ArrowDown')
  await expect.poll(() => order('pages/row')).toBe('second third fourth first')
  // Moves it out of its parent and back, before that page; the focus follows.
  for (const key of ['Alt+ArrowLeft', 'Alt+ArrowUp', 'ArrowDown']) await page.keyboard.press(key)
  await expect.poll(() => order('site')).toContain('first row')
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('Row')
})

test('the palette finds pages and runs actions', async () => {
  const page = await panel.open({ as: admin, at: '/pages/three' })
  await page.getByRole('heading', { level: 1, name: 'Three' }).waitFor()
  await page.keyboard.press('Control+k')
  const words = page.getByRole('combobox', { name: /Search/ })
  await page.getByRole('option', { name: /Three/ }).first().waitFor()
  await words.fill('banana')
  await page.getByRole('option', { name: /Banana/ }).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/pages/two+b')
  await page.getByRole('heading', { level: 1, name: 'Banana' }).waitFor()
  await page.keyboard.press('Control+k')
  await words.fill('change slug')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Change slug' }).waitFor()
})

test.runIf(isSlow)('a long list can be searched', async () => {
  const page = await panel.open({ as: admin, at: '/pages/two' })
  await page.getByRole('searchbox', { name: 'Search in Below' }).fill('cher')
  await expect.poll(() => page.getByRole('main').getByRole('listitem').count()).toBe(1)
  await page.getByRole('searchbox').fill('nothing at all')
  await page.getByText('Nothing found for “nothing at all”.').waitFor()
})

test.runIf(isSlow)('ten thousand children can be paged, sorted and browsed in the tree', async () => {
  const parent = await add('lots', 'Lots')
  const rows = Array.from({ length: 10_000 }, (_, index) => ({
    uuid: `lot${index}`,
    parent,
    path: `lots/p${index + 1}`,
    slug: `p${index + 1}`,
    status: 'listed' as const,
    num: index + 1,
    template: 'article',
    revision: 1,
    created_at: 0,
    modified_at: 0,
  }))
  await site.app.store.write(async tx => {
    for (let start = 0; start < rows.length; start += 500)
      await tx
        .insertInto('pages')
        .values(rows.slice(start, start + 500))
        .execute()
  })
  const page = await panel.open({ as: admin, at: '/pages/lots' })
  const list = page.getByRole('main')
  await list.getByText('1–20 of 10,000').waitFor()
  await expect.poll(() => list.getByRole('listitem').count()).toBe(20)
  await page.getByRole('textbox', { name: 'Page of 500' }).fill('500')
  await page.keyboard.press('Enter')
  await list.getByText('9,981–10,000 of 10,000').waitFor()
  await page.getByRole('button', { name: 'Move p10000' }).focus()
  await page.keyboard.press('ArrowUp')
  await expect.poll(async () => (await apiClient.done('GET', 'pages/lots+p10000?select=num')).data.num).toBe(9999)

  await page.getByRole('button', { name: 'All pages' }).click()
  const tree = page.getByRole('tree')
  await tree.getByRole('treeitem', { name: 'Lots' }).focus()
  await page.keyboard.press('ArrowRight')
  await tree.getByRole('treeitem', { name: /^p1 / }).waitFor()
  expect(await tree.getByRole('treeitem').count()).toBeLessThan(60)
  await page.keyboard.press('End')
  await page.keyboard.press('Escape')

  // Previous and next page, from any position.
  await page.goto(`${panel.url}/pages/lots+p5000`)
  await page.getByRole('link', { name: 'Next: p5001' }).click()
  await page.getByRole('link', { name: 'Previous: p5000' }).waitFor()
})

test('a publication can be scheduled and cancelled', async () => {
  await addPage(site, '', { slug: 'soon', title: 'Soon', template: 'article' })
  const page = await panel.open({ as: admin, at: '/pages/soon' })
  const change = page.getByRole('button', { name: 'Status: Draft' })
  await change.click()
  await page.getByRole('radio', { name: /Public/ }).click()
  await page.getByRole('checkbox', { name: 'Schedule' }).click()
  await page.getByLabel('Date').fill('2035-05-01')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Schedule', exact: true }).click()
  await page
    .getByRole('main')
    .getByText(/^Scheduled for May 1, 2035/)
    .waitFor()
  expect((await apiClient.done('GET', 'pages/soon/schedule')).data).toMatchObject({ status: 'listed' })
  await change.click()
  await page.getByRole('button', { name: 'Remove schedule' }).click()
  await expect.poll(async () => (await apiClient.call('GET', 'pages/soon/schedule')).status).toBe(404)
})
