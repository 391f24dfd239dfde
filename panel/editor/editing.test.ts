import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  changesBar,
  expectAccessible,
  expectFocused,
  expectNoSidewaysScroll,
  openPanel,
  publishChanges,
} from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'site.yml': `title: Site
tabs:
  pages:
    sections:
      pages: { type: pages, label: Pages, templates: [article, album] }
      numbers: { type: stats, label: Numbers, reports: [{ label: Visits, value: '12' }] }
  about:
    label: About
    fields:
      tagline: { type: text, label: Tagline }
`,
  'pages/article.yml': `title: Article
columns:
  main:
    width: 2/3
    sections:
      words:
        type: fields
        fields:
          intro: { type: text, label: Introduction, required: true }
          body: { type: textarea, label: Body }
          note: { type: text, label: Note }
  side:
    width: 1/3
    sections:
      hint: { type: info, label: Hint, text: Be **brief**. }
      below: { type: pages, label: Below, template: article, info: '{{ page.intro }}' }
      files: { type: files, label: Files }
`,
  'pages/album.yml': `title: Album
fields:
  intro: { type: text, label: Introduction }
`,
  'pages/tabbed.yml': `title: Tabbed
tabs:
  first: { fields: { name: { type: text, required: true } } }
  second: { fields: { other: { type: text } } }
`,
  'users/writer.yml': `title: Writer
permissions:
  '*': false
  access: { panel: true, site: true }
  pages: { access: true, list: true, read: true, update: true }
`,
  'users/author.yml': `title: Author
permissions: { pages: { publish: false } }
`,
  'users/reader.yml': `title: Reader
permissions:
  '*': false
  access: { panel: true, site: true }
  pages: { access: true, list: true, read: true }
`,
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)

const article = (slug: string, content: object = { intro: 'First' }) =>
  addPage(site, '', {
    slug,
    title: slug.toUpperCase(),
    template: 'article',
    content: content as Record<string, unknown>,
    status: 'listed',
  })

const contentOf = async (id: string) =>
  (await apiClient.done('GET', `pages/${id}?select=content`)).data.content as Record<string, unknown>
const readDraft = async (id: string) =>
  (await apiClient.done('GET', `pages/${id}/changes`)).data.content as Record<string, unknown>

const intro = (page: Page) => page.getByRole('textbox', { name: 'Introduction' })

test('a page is created, edited, published and restored', async () => {
  const page = await panel.open({ as: admin, at: '/site' })
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Title' }).fill('Über die Käserei')
  await expect.poll(() => page.getByRole('textbox', { name: 'Slug' }).inputValue()).toBe('uber-die-kaserei')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create draft' }).click()
  await page.waitForURL('**/pages/uber-die-kaserei')

  await page.getByRole('textbox', { name: 'Body' }).fill('Something about cheese.')
  await changesBar(page).getByText('Draft saved').waitFor()
  expect(await readDraft('uber-die-kaserei')).toMatchObject({ body: 'Something about cheese.' })
  expect(await contentOf('uber-die-kaserei')).toMatchObject({ body: '' })

  await Promise.all([publishChanges(page), page.getByRole('dialog').filter({ hasText: 'Draft saved' }).waitFor()])
  expect(await contentOf('uber-die-kaserei')).toMatchObject({ body: 'Something about cheese.' })

  // A draft may be incomplete; published content may not.
  await page.getByRole('button', { name: 'Status: Draft' }).click()
  await page.getByRole('radio', { name: /Public/ }).click()
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page
    .getByRole('alert')
    .getByText(/^Introduction: /)
    .waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await intro(page).fill('About cheese')
  await changesBar(page).getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByRole('button', { name: 'Status: Public' }).waitFor()

  await intro(page).fill('')
  await page.keyboard.press('Control+s')
  await changesBar(page).getByRole('button', { name: '1 error to fix before publishing' }).waitFor()
  await expect.poll(() => intro(page).getAttribute('aria-invalid')).toBe('true')
  await expectAccessible(page)

  await intro(page).fill('About milk')
  await changesBar(page).getByRole('button', { name: 'Publish', exact: true }).click()
  await changesBar(page).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Page actions' }).click()
  await page.getByRole('menuitem', { name: 'History' }).click()
  const history = page.getByRole('dialog', { name: 'History' })
  await history.getByText('Published: Draft → Public').waitFor()
  const versions = history.getByRole('listitem').filter({ has: page.getByRole('button') })
  await versions.nth(0).getByRole('button').first().click()
  await versions.nth(0).locator('del', { hasText: 'cheese' }).waitFor()
  await versions.nth(0).locator('ins', { hasText: 'milk' }).waitFor()
  await versions.nth(1).getByRole('button').first().click()
  await versions.nth(1).locator('ins').first().waitFor()
  await expectAccessible(page)
  await versions.nth(1).getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click()
  await page.getByText(/restored as draft$/).waitFor()
  await expect.poll(() => intro(page).inputValue()).toBe('About cheese')
  expect(await contentOf('uber-die-kaserei')).toMatchObject({ intro: 'About milk' })
  await changesBar(page).getByRole('button', { name: 'Publish', exact: true }).click()
  await changesBar(page).waitFor({ state: 'detached' })
  expect(await contentOf('uber-die-kaserei')).toMatchObject({ intro: 'About cheese' })
})

test('changes survive navigation and a reload, and can be discarded', async () => {
  await article('kept-page')
  const page = await panel.open({ as: admin, at: '/pages/kept-page' })
  // The save is still running when the editor returns.
  const navigatedBack = Promise.withResolvers<void>()
  await page.route('**/changes/save*', async route => {
    await navigatedBack.promise
    await route.continue()
  })
  await intro(page).fill('Second')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Site' }).click()
  await page.waitForURL('**/site')
  await page.goBack()
  await expect.poll(() => intro(page).inputValue()).toBe('Second')
  navigatedBack.resolve()
  await changesBar(page).getByText('Draft saved').waitFor()
  await page.reload()
  await expect.poll(() => intro(page).inputValue()).toBe('Second')
  await changesBar(page).getByRole('button', { name: 'Discard changes' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard changes' }).click()
  await changesBar(page).waitFor({ state: 'detached' })
  await expect.poll(() => intro(page).inputValue()).toBe('First')
  expect(await readDraft('kept-page')).toMatchObject({ intro: 'First' })
})

test('changes that cannot be sent stay on the screen and are sent again', async () => {
  await article('offline-page')
  const page = await panel.open({ as: admin, at: '/pages/offline-page' })
  await intro(page).waitFor()
  await page.route('**/changes/save*', route => route.abort())
  await intro(page).fill('Second')
  await changesBar(page)
    .getByText(/could not be saved/)
    .waitFor()
  await page.unroute('**/changes/save*')
  await changesBar(page).getByText('Draft saved').waitFor()
  expect(await readDraft('offline-page')).toMatchObject({ intro: 'Second' })
})

test.runIf(isSlow)('a second editor sees who holds the lock and can take over', async () => {
  await article('locked-page')
  const [ada, bea] = [
    await panel.open({ as: admin, at: '/pages/locked-page' }),
    await panel.open({ as: { email: 'bea@example.org' }, at: '/pages/locked-page' }),
  ]
  await intro(bea).waitFor()
  await intro(ada).fill('Of Ada')
  await changesBar(ada).getByText('Draft saved').waitFor()
  // The second editor has the page open already, and types.
  await intro(bea).fill('Of Bea')
  await bea.getByText('ada@example.org is editing this').waitFor()
  await bea.reload()
  await bea.getByText('ada@example.org is editing this').waitFor()
  await expect.poll(() => intro(bea).isDisabled()).toBe(true)
  await expect.poll(() => intro(bea).inputValue()).toBe('First')
  await bea.getByRole('button', { name: 'Take over' }).click()
  await bea.getByRole('alertdialog').getByRole('button', { name: 'Take over' }).click()
  await expect.poll(() => intro(bea).inputValue()).toBe('Of Ada')
  await intro(bea).fill('Of both')
  await publishChanges(bea)
  expect(await contentOf('locked-page')).toMatchObject({ intro: 'Of both' })
})

test('a conflict of two editors is resolved field by field', async () => {
  await article('contested', { intro: 'First', body: 'One', note: 'Here' })
  const page = await panel.open({ as: admin, at: '/pages/contested' })
  await intro(page).waitFor()
  // Another account saves first, the same fields and another one.
  await apiClient.done('PATCH', 'pages/contested', { intro: 'Theirs', body: 'Two', note: 'There' })
  const typed = Promise.withResolvers<void>()
  await page.route('**/changes/save*', async route => {
    await typed.promise
    await route.continue()
  })
  await intro(page).fill('Mine')
  await page.getByRole('textbox', { name: 'Body' }).fill('Three')
  typed.resolve()
  const dialog = page.getByRole('dialog', { name: 'Resolve conflict' })
  await dialog.waitFor()
  await expectAccessible(page)
  await expect.poll(() => dialog.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true)
  await dialog.getByRole('group', { name: 'Introduction' }).getByRole('radio', { name: 'Keep mine' }).click()
  await dialog.getByRole('group', { name: 'Body' }).getByRole('radio', { name: 'Use theirs' }).click()
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await expect.poll(() => intro(page).inputValue()).toBe('Mine')
  await expect.poll(() => page.getByRole('textbox', { name: 'Body' }).inputValue()).toBe('Two')
  await expect.poll(() => page.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('There')
  await changesBar(page).getByRole('button', { name: 'Publish' }).click()
  await changesBar(page).waitFor({ state: 'detached' })
  expect(await contentOf('contested')).toMatchObject({ intro: 'Mine', body: 'Two', note: 'There' })
})

test.runIf(isSlow)('changes to different fields are no conflict', async () => {
  await article('peaceful', { intro: 'First', body: 'One' })
  const page = await panel.open({ as: admin, at: '/pages/peaceful' })
  await intro(page).waitFor()
  await apiClient.done('PATCH', 'pages/peaceful', { body: 'Two' })
  await intro(page).fill('Mine')
  await changesBar(page).getByText('Draft saved').waitFor()
  await expect.poll(() => page.getByRole('textbox', { name: 'Body' }).inputValue()).toBe('Two')
  await publishChanges(page)
  expect(await contentOf('peaceful')).toMatchObject({ intro: 'Mine', body: 'Two' })
})

test.runIf(isSlow)('a role with few permissions sees only the actions that it may use', async () => {
  await article('guarded')
  const writer = await panel.open({ as: { role: 'writer', email: 'wim@example.org' }, at: '/pages/guarded' })
  await intro(writer).fill('By a writer')
  await changesBar(writer).getByRole('button', { name: 'Publish' }).click()
  await changesBar(writer).waitFor({ state: 'detached' })
  expect(await contentOf('guarded')).toMatchObject({ intro: 'By a writer' })
  expect(await writer.getByRole('button', { name: /^Status/ }).count()).toBe(0)
  await writer.getByRole('button', { name: 'Page actions' }).click()
  const actions = ['Add to release', 'History', 'Activity']
  await expect.poll(() => writer.getByRole('menuitem').allTextContents()).toEqual(actions)

  const reader = await panel.open({ as: { role: 'reader', email: 'rob@example.org' }, at: '/pages/guarded' })
  await reader.getByText('You can view this, but not edit it.').waitFor()
  await expect.poll(() => intro(reader).isDisabled()).toBe(true)
  await reader.getByRole('button', { name: 'Page actions' }).click()
  await expect.poll(() => reader.getByRole('menuitem').allTextContents()).toEqual(['Activity'])
  await reader.keyboard.press('Escape')
  await expectAccessible(reader)
  await reader.goto(`${panel.url}/site`)
  await reader.getByRole('link', { name: 'GUARDED' }).waitFor()
  expect(await reader.getByRole('button', { name: 'Add' }).count()).toBe(0)
})

test('an author saves drafts of a published page, and is offered nothing that publishes', async () => {
  await article('reviewed', { intro: 'Published' })
  const author = await panel.open({ as: { role: 'author', email: 'ann@example.org' }, at: '/pages/reviewed' })
  await intro(author).fill('By an author')
  await changesBar(author).getByText('Draft saved').waitFor()
  const buttons = changesBar(author).getByRole('button')
  await expect.poll(() => buttons.allTextContents()).toEqual(['Discard changes', 'Request review'])
  await author.keyboard.press('Control+s')
  await author
    .getByRole('region', { name: /Notifications/ })
    .getByText('Draft saved')
    .waitFor()
  expect(await author.getByRole('button', { name: /^Status/ }).count()).toBe(0)
  await expectAccessible(author)
  expect(await contentOf('reviewed')).toMatchObject({ intro: 'Published' })
})

test.runIf(isSlow)(
  'the site has a form, too; it and the form of a page fit on a phone and are accessible in dark',
  async () => {
    const page = await panel.open({ as: admin, at: '/site', width: 360, theme: 'dark' })
    await page.getByRole('tab', { name: 'About' }).click()
    await page.getByRole('textbox', { name: 'Tagline' }).fill('Small')
    await page.getByRole('tab', { name: /About.*1 change/ }).waitFor()
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await publishChanges(page)
    await article('narrow')
    await page.goto(`${panel.url}/pages/narrow`)
    await intro(page).waitFor()
    await page.getByText('No files yet.').waitFor()
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
  },
)

test.runIf(isSlow)('errors in another tab are shown there', async () => {
  const tabbed = { slug: 'tabbed', title: 'Tabbed', template: 'tabbed', content: { name: 'Here' } }
  await addPage(site, '', { ...tabbed, status: 'listed' })
  const page = await panel.open({ as: admin, at: '/pages/tabbed' })
  await page.getByRole('textbox', { name: 'Name' }).fill('')
  await page.getByRole('tab', { name: 'Second' }).click()
  await page.getByRole('textbox', { name: 'Other' }).fill('Words')
  await changesBar(page).getByText('2 changes').waitFor()
  await page.keyboard.press('Control+s')
  const name = page.getByRole('textbox', { name: 'Name' })
  await expectFocused(name)
  await page.getByRole('tab', { name: /First.*1 error/ }).waitFor()
})
