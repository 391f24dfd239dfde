import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
const list = (layout: string) =>
  `title: ${layout}\nsections: { pages: { type: pages, label: Pages, layout: ${layout}, templates: [note, story] } }\n`
writeBlueprints(storage.data, {
  'pages/list.yml': list('list'),
  'pages/cards.yml': list('cards'),
  'pages/table.yml': list('table'),
  'pages/note.yml':
    'title: Note\noptions: { changeTemplate: [story] }\nfields: { intro: { type: text, label: Introduction, required: true } }',
  'pages/story.yml': 'title: Story\noptions: { changeTemplate: false }\nfields: { intro: { type: text } }',
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site)
const apiClient = await createTokenClient(site)

for (const layout of ['list', 'cards', 'table']) {
  const uuid = await addPage(site, '', { slug: layout, title: layout, template: layout, status: 'listed' })
  for (const [slug, title] of Object.entries({ a: 'Apple', b: 'Banana', c: 'Cherry', d: 'Damson', e: 'Elder' }))
    // prettier-ignore
    await addPage(site, uuid, { slug, title, template: 'note', content: slug === 'c' ? {} : { intro: 'Fruit' }, draft: true })
}

const statusesOf = async (parent: string) => {
  const { data } = await apiClient.done('GET', `pages/${parent}/children?status=all&select=slug,status`)
  return Object.fromEntries((data as { slug: string; status: string }[]).map(({ slug, status }) => [slug, status[0]]))
}
const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const says = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor()

test('five pages are published, one of them is refused with its reason, and all of it is undone', async () => {
  const page = await panel.open({ as: admin, at: '/pages/list' })
  await button(page, 'Select').click()
  await page.keyboard.press('Control+a')
  await says(page, '5 selected')
  await expectAccessible(page)
  await button(page, 'Status').click()
  await page.getByRole('radio', { name: 'Public' }).check()
  await expectAccessible(page)
  await button(page, 'Change').click()
  await says(page, '4 of 5 done')
  const cherry = page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'Cherry' })
  await cherry.getByText('Refused').waitFor()
  expect(await cherry.textContent()).toContain('Introduction')
  expect(await cherry.getByRole('link').getAttribute('href')).toMatch(/\/pages\/list\+c$/)
  await expectAccessible(page)
  expect(await statusesOf('list')).toEqual({ a: 'l', b: 'l', c: 'd', d: 'l', e: 'l' })

  await button(page, 'Undo').click()
  await says(page, '4 of 4 undone')
  expect(await statusesOf('list')).toEqual({ a: 'd', b: 'd', c: 'd', d: 'd', e: 'd' })
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await button(page, 'Select').waitFor()
})

test('a page whose answer is lost is not refused, and only a lost connection is called one', async () => {
  const page = await panel.open({ as: admin, at: '/pages/list' })
  panel.expectProblem(/Failed to load resource/)
  const publish = async (...names: string[]) => {
    for (const name of names) await box(page, name).check()
    await button(page, 'Status').click()
    await page.getByRole('radio', { name: 'Unlisted' }).check()
    await button(page, 'Change').click()
  }
  const line = (name: string) => page.getByRole('dialog').getByRole('listitem').filter({ hasText: name })
  const close = () => page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  const network = 'The server cannot be reached.'

  // The server changes the page, but its answer does not arrive.
  await page.route('**/api/pages/*/status*', async route => {
    await route.fetch()
    await route.abort()
  })
  await button(page, 'Select').click()
  await publish('Apple', 'Banana')
  await says(page, '0 of 2 done')
  await line('Apple').getByText('Unknown', { exact: true }).waitFor()
  await line('Apple').getByText('It is not known whether this page was changed.').waitFor()
  await line('Apple').getByText(network).waitFor()
  await line('Banana').getByText('Not done').waitFor()
  await expectAccessible(page)
  expect(await statusesOf('list')).toMatchObject({ a: 'u', b: 'd' })
  await close()
  await says(page, '2 selected')
  await page.unroute('**/api/pages/*/status*')

  // Nothing has been sent to change it.
  const reading = /\/api\/pages\/list(?:\+|%2B)[ab]\?.*isSortable/
  await page.route(reading, route => route.abort())
  await publish()
  await line('Apple').getByText(network).waitFor()
  await line('Apple').getByText('Not done').waitFor()
  await close()
  await page.unroute(reading)

  // An error of the panel.
  await page.route(reading, route => route.fulfill({ json: { status: 'ok', code: 200, type: 'model', data: null } }))
  await publish()
  await line('Apple').getByText('Something went wrong').waitFor()
  expect(await page.getByRole('dialog').getByText(network).count()).toBe(0)
})

test.runIf(isSlow).each(['list', 'cards', 'table'])(
  'pages are selected by mouse, with Shift and by keyboard as %s',
  async layout => {
    const page = await panel.open({ as: admin, at: `/pages/${layout}` })
    await button(page, 'Select').click()
    await page.getByRole('main').getByText('Banana').click()
    await says(page, '1 selected')
    await page
      .getByRole('main')
      .getByText('Damson')
      .click({ modifiers: ['Shift'] })
    await says(page, '3 selected')
    expect(await box(page, 'Cherry').isChecked()).toBe(true)
    await box(page, 'Cherry').press('Space')
    await says(page, '2 selected')
    await box(page, 'Elder').click({ modifiers: ['Shift'] })
    await says(page, '1 selected') // Cherry was deselected, and so are those up to Elder
    await expectAccessible(page)
    await page.setViewportSize({ width: 390, height: 800 })
    await expectNoSidewaysScroll(page)
    await page.keyboard.press('Escape')
    await button(page, 'Select').waitFor()
    expect(page.url()).toMatch(new RegExp(`/pages/${layout}$`))
  },
)

test.runIf(isSlow)('pages are moved, get another template, and are deleted and restored', async () => {
  const page = await panel.open({ as: admin, at: '/pages/cards' })
  const choose = async (...names: string[]) => {
    await button(page, 'Select').click()
    for (const name of names) await box(page, name).check()
  }
  const finish = () => page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()

  await choose('Apple', 'Banana')
  await button(page, 'Template').click()
  await page.getByRole('radio', { name: 'Story' }).check()
  await button(page, 'Change').click()
  await says(page, '2 of 2 done')
  expect((await apiClient.done('GET', 'pages/cards+a?select=template')).data.template).toBe('story')
  await finish()

  // The table has a page with the same slug.
  await apiClient.done('PATCH', 'pages/cards+a/slug', { slug: 'apple' })
  await page.reload()
  await choose('Apple', 'Banana')
  await button(page, 'Move').click()
  await page.getByRole('treeitem', { name: /table/ }).click()
  await button(page, 'Move here').click()
  await says(page, '1 of 2 done')
  expect(await statusesOf('table')).toHaveProperty('apple')
  await button(page, 'Undo').click()
  await says(page, '1 of 1 undone')
  expect(await statusesOf('cards')).toHaveProperty('apple')
  await finish()

  await choose('Apple', 'Elder')
  await button(page, 'Delete').click()
  await expectAccessible(page)
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await says(page, '2 of 2 done')
  expect(Object.keys(await statusesOf('cards'))).toEqual(['b', 'c', 'd'])
  await button(page, 'Undo').click()
  await says(page, '2 of 2 undone')
  expect(Object.keys(await statusesOf('cards')).toSorted()).toEqual(['apple', 'b', 'c', 'd', 'e'])
})

test.runIf(isSlow)('the rest is left alone after Stop', async () => {
  const page = await panel.open({ as: admin, at: '/pages/table' })
  const held: Route[] = []
  await page.route('**/api/pages/*/status*', route => void held.push(route))
  await button(page, 'Select').click()
  await box(page, 'Apple').check()
  await box(page, 'Banana').check()
  await button(page, 'Status').click()
  await page.getByRole('radio', { name: 'Unlisted' }).check()
  await button(page, 'Change').click()
  await says(page, '0 of 2')
  await expect.poll(() => held.length).toBe(1)
  await button(page, 'Stop').click()
  await held[0]!.continue()
  await says(page, '1 of 2 done')
  expect(await statusesOf('table')).toMatchObject({ a: 'u', b: 'd' })
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await says(page, '1 selected')

  // What visitors get if both are drafts, or are elsewhere.
  await box(page, 'Apple').check()
  await button(page, 'Status').click()
  await page.getByRole('radio', { name: 'Draft' }).check()
  await page.getByText('Visitors then get “Not found” at:').waitFor()
  expect(await page.getByRole('dialog').getByRole('listitem').allTextContents()).toEqual(['Apple'])
  await expectAccessible(page)
  await button(page, 'Cancel').click()
  await button(page, 'Move').click()
  await page.getByRole('treeitem', { name: /list/ }).click()
  await page.getByText('The old URLs redirect to the new ones.').waitFor()
})

const refuse = (route: Route) => route.fulfill({ status: 400, json: { status: 'error', message: 'Not today.' } })

test('the dialog for templates shows that it loads, an error, and that no other template is possible', async () => {
  const uuid = await addPage(site, '', { slug: 'stories', title: 'Stories', template: 'list', status: 'listed' })
  await addPage(site, uuid, { slug: 'x', title: 'Xenia', template: 'story', draft: true })
  const page = await panel.open({ as: admin, at: '/pages/stories' })
  const dialog = page.getByRole('dialog')
  const open = async () => {
    await button(page, 'Template').click()
    await dialog.waitFor()
  }
  await button(page, 'Select').click()
  await box(page, 'Xenia').check()

  const ofStory = /\/api\/pages\/stories(?:\+|%2B)x\?/
  const routes: Route[] = []
  let isRefused = false
  await page.route(ofStory, route => {
    routes.push(route)
    return isRefused ? refuse(route) : undefined
  })
  await open()
  await dialog.getByRole('status').getByText('Loading').waitFor({ state: 'attached' })
  await expect.poll(() => routes.length).toBe(1)
  isRefused = true
  await refuse(routes[0]!)
  await dialog.getByRole('alert').waitFor()
  await button(page, 'Cancel').click()
  await dialog.waitFor({ state: 'detached' })

  await page.unroute(ofStory)
  await open()
  await dialog.getByText('No other template is possible for these pages.').waitFor()
  expect(await dialog.getByRole('radio').count()).toBe(0)
  await expectAccessible(page)
})
