import { expect, test } from 'vitest'
import { changesBar, expectAccessible, expectFocused, openPanel, publishChanges } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'site.yml': `title: Site
sections:
  pages: { type: pages, label: Pages, templates: [article, story] }
`,
  'pages/article.yml': 'title: Article\nfields: { intro: { type: text, label: Introduction }, body: { type: blocks } }',
  'pages/story.yml': 'title: Story\nfields: { body: { type: blocks, label: Body } }',
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)
const titleOf = async (path: string) => (await apiClient.done('GET', `${path}?select=title`)).data.title as string

test.runIf(isSlow)('what is typed before the draft is loaded stays', async () => {
  await addPage(site, '', { slug: 'early', title: 'Early', template: 'article', status: 'listed' })
  const page = await panel.open({ as: admin, at: '/site' })
  const typed = Promise.withResolvers<void>()
  await page.route(/pages\/early\/changes/, async route => {
    if (route.request().method() === 'GET') await typed.promise
    await route.continue()
  })
  await page.goto(`${panel.url}/pages/early`)
  const title = page.getByRole('textbox', { name: 'Title' })
  await title.fill('Earlier')
  typed.resolve()
  await changesBar(page).getByText('Draft saved').waitFor()
  expect(await title.textContent()).toBe('Earlier')
})

test('the title is edited where it stands, saved as a draft and published with it', async () => {
  await addPage(site, '', { slug: 'ink', title: 'Ink', template: 'article', status: 'listed' })
  const page = await panel.open({ as: admin, at: '/pages/ink' })
  const title = page.getByRole('heading', { level: 1 }).getByRole('textbox', { name: 'Title' })
  await title.click()
  await page.keyboard.press('End')
  await page.keyboard.type(' and paper')
  await page.getByRole('heading', { level: 1, name: 'Ink and paper' }).waitFor()
  await changesBar(page).getByText('1 change').waitFor()
  await changesBar(page).getByText('Draft saved').waitFor()
  expect(await titleOf('pages/ink')).toBe('Ink')
  await expectAccessible(page)
  await page.reload()
  await expect.poll(() => title.textContent()).toBe('Ink and paper')

  // Enter goes on to the first field.
  await title.press('Enter')
  await expectFocused(page.getByRole('textbox', { name: 'Introduction' }))
  await publishChanges(page)
  expect(await titleOf('pages/ink')).toBe('Ink and paper')

  // Without a title nothing is published.
  await title.fill('')
  await changesBar(page).getByText('1 error to fix before publishing').waitFor()
  await page.keyboard.press('Control+s')
  await expectFocused(title)
  await page.getByRole('heading', { level: 1 }).getByText('Please fill this in.').waitFor()
  await expectAccessible(page)
  await changesBar(page).getByRole('button', { name: 'Discard changes' }).click()
  await page.getByRole('alertdialog').getByRole('listitem').filter({ hasText: 'Title' }).waitFor()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard changes' }).click()
  await expect.poll(() => title.textContent()).toBe('Ink and paper')
})

test.runIf(isSlow)(
  'a new page has the focus in its first field; a click into an empty body begins to write',
  async () => {
    const page = await panel.open({ as: admin, at: '/site' })
    const create = async (title: string, template: string) => {
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByRole('dialog').getByRole('textbox', { name: 'Title' }).fill(title)
      await page.getByRole('radio', { name: template }).click()
      await page.getByRole('button', { name: 'Create draft' }).click()
      await page.waitForURL(`**/pages/${title.toLowerCase()}`)
    }
    await create('Boats', 'Article')
    await expectFocused(page.getByRole('textbox', { name: 'Introduction' }))
    await page.keyboard.type('At once')
    await page.getByText('No blocks yet').click()
    await page.keyboard.type('Written into the body')
    await changesBar(page).getByText('2 changes').waitFor()
    await changesBar(page).getByText('Draft saved').waitFor()
    const { content } = (await apiClient.done('GET', 'pages/boats/changes')).data
    expect(content).toMatchObject({
      intro: 'At once',
      body: [{ type: 'text', content: { text: '<p>Written into the body</p>' } }],
    })
    await expectAccessible(page)

    await page.goto(`${panel.url}/site`)
    await create('Tides', 'Story')
    await expectFocused(page.getByRole('button', { name: 'No blocks yet' }))
    await page.keyboard.type('By keyboard, at once')
    await changesBar(page).getByText('Draft saved').waitFor()
    expect((await apiClient.done('GET', 'pages/tides/changes')).data.content).toMatchObject({
      body: [{ content: { text: '<p>By keyboard, at once</p>' } }],
    })
  },
)
