import { expect, test } from 'vitest'
import { expectAccessible, openPanel } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'site.yml': `title: Site
sections:
  rows: { type: pages, label: Rows, templates: [note] }
  cards: { type: pages, label: Cards, templates: [note], layout: cards }
`,
  'pages/note.yml': 'title: Note\nfields: { intro: { type: text, label: Introduction, required: true } }',
})
const panel = await openPanel({ storage })
const { site } = panel
const ada = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)
const note = (slug: string, body: object = {}) =>
  addPage(site, '', { slug, title: slug, template: 'note', content: { intro: 'Words' }, status: 'listed', ...body })

test('rows, cards, tree and search show what is changed, scheduled, incomplete and being edited', async () => {
  await note('stone')
  await note('water', { content: {}, draft: true, status: undefined })
  await note('wind')
  const at = new Date(Date.now() + 86_400_000).toISOString()
  await apiClient.done('PATCH', 'pages/wind/schedule', { status: 'unlisted', at })
  await apiClient.done('POST', 'pages/wind/changes/save', { intro: 'Breeze' })

  const page = await panel.open({ as: ada, at: '/pages/stone' })
  await page.getByRole('textbox', { name: 'Introduction' }).fill('Granite')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Site' }).click()
  for (const section of ['Rows', 'Cards']) {
    const list = page.getByRole('list', { name: section })
    const item = (title: string) => list.getByRole('listitem').filter({ hasText: title })
    await item('stone').getByText('Your changes are not published.').waitFor()
    await item('water').getByText('Some fields are empty or not valid.').waitFor()
    await item('wind')
      .getByText(/is editing this/)
      .waitFor()
    await item('wind')
      .getByText(/^Scheduled for /)
      .waitFor()
    expect(await item('stone').getByText('Draft saved', { exact: true }).isVisible()).toBe(section === 'Rows')
  }
  await expectAccessible(page)

  await page.keyboard.press('Control+k')
  // A recent page, before anything is searched.
  await page.getByRole('option', { name: /stone/ }).getByText('Your changes are not published.').waitFor()
  await page.getByRole('combobox').fill('stone')
  await page.getByRole('option', { name: /stone/ }).getByText('Your changes are not published.').waitFor()
  await expectAccessible(page)
  await page.getByRole('option', { name: /stone/ }).click()
  await page.getByRole('button', { name: 'All pages' }).click()
  const leaf = (name: string) => page.getByRole('treeitem', { name: new RegExp(name) })
  await leaf('wind')
    .getByText(/is editing this/)
    .waitFor()
  await expectAccessible(page)
})
