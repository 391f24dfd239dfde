import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { changesBar, expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { createImage } from '../../test/files.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addFile } from '../../test/media.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'site.yml': 'title: Site\nsections: { pages: { type: pages } }',
  'pages/article.yml': `title: Article
fields:
  intro: { type: text, label: Introduction, required: true }
  note: { type: text, label: Note }
  body: { type: blocks, label: Body, fieldsets: [heading, text, image] }
`,
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)

const heading = (level = 'h2', text = 'Boats') => ({
  id: 'h',
  type: 'heading',
  isHidden: false,
  content: { level, text },
})
const text = (words: string, id = 't') => ({ id, type: 'text', isHidden: false, content: { text: `<p>${words}</p>` } })

const article = (
  slug: string,
  content: Record<string, unknown> = { intro: 'First' },
  status: 'listed' | null = 'listed',
) => addPage(site, '', { slug, title: slug.toUpperCase(), template: 'article', content, ...(status && { status }) })
const read = async (slug: string) => (await apiClient.done('GET', `pages/${slug}?select=content,status,schedule`)).data
const readDraft = async (slug: string) => (await apiClient.done('GET', `pages/${slug}/changes`)).data.content

const field = (page: Page, name: string) => page.getByRole('textbox', { name })
const saved = (page: Page) => changesBar(page).getByText('Draft saved').waitFor()
const publish = async (page: Page) => {
  await changesBar(page).getByRole('button', { name: 'Publish', exact: true }).click()
  await changesBar(page).waitFor({ state: 'detached' })
}
const openHistory = async (page: Page) => {
  await page.getByRole('button', { name: 'Page actions' }).click()
  await page.getByRole('menuitem', { name: 'History' }).click()
  return page.getByRole('dialog', { name: 'History' })
}

test.runIf(isSlow)(
  'a stale window of the same account overwrites nothing and is updated; overwritten drafts can be restored',
  async () => {
    await article('windows')
    const old = await panel.open({ as: admin, at: '/pages/windows' })
    const other = await panel.open({ as: admin, at: '/pages/windows' })
    await field(other, 'Introduction').fill('From the other window')
    await saved(other)

    // Typing in the outdated window does not overwrite changes that it has not loaded.
    await field(old, 'Note').fill('N')
    await expect.poll(() => field(old, 'Introduction').inputValue()).toBe('From the other window')
    await saved(old)
    await expect.poll(() => readDraft('windows')).toMatchObject({ intro: 'From the other window', note: 'N' })

    await other.evaluate(() => dispatchEvent(new Event('focus')))
    await expect.poll(() => field(other, 'Note').inputValue()).toBe('N')
    await field(other, 'Introduction').fill('Newer words')
    await saved(other)
    await expect.poll(async () => (await readDraft('windows')).intro).toBe('Newer words')
    await field(old, 'Introduction').fill('Older words')
    const dialog = old.getByRole('dialog', { name: 'Resolve conflict' })
    await dialog.waitFor()
    expect(await readDraft('windows')).toMatchObject({ intro: 'Newer words' })
    await expectAccessible(old)
    await dialog.getByRole('radio', { name: 'Keep mine' }).click()
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(async () => (await readDraft('windows')).intro).toBe('Older words')

    const history = await openHistory(old)
    const draft = history
      .getByRole('listitem')
      .filter({ hasText: 'Overwritten in another window or by someone else' })
      .first()
    await draft.getByRole('button').first().click()
    await draft.locator('ins', { hasText: 'Newer words' }).waitFor()
    await expectAccessible(old)
    await draft.getByRole('button', { name: 'Restore' }).click()
    await old.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click()
    await expect.poll(() => field(old, 'Introduction').inputValue()).toBe('Newer words')
    expect((await read('windows')).content).toMatchObject({ intro: 'First' })
  },
)

test('changing the status also saves what was just typed', async () => {
  await article('fresh', {}, null)
  const page = await panel.open({ as: admin, at: '/pages/fresh' })
  await field(page, 'Introduction').fill('Just typed')
  await page.getByRole('button', { name: 'Status: Draft' }).click()
  await page.getByRole('radio', { name: /Public/ }).click()
  await page.getByRole('checkbox', { name: 'Also publish the changes: Introduction' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByRole('button', { name: 'Status: Public' }).waitFor()
  await changesBar(page).waitFor({ state: 'detached' })
  expect(await read('fresh')).toMatchObject({ status: 'listed', content: { intro: 'Just typed' } })
  await expect.poll(() => field(page, 'Introduction').inputValue()).toBe('Just typed')
})

test.runIf(isSlow)('the changes of a published page can be scheduled from the publish button', async () => {
  await article('planned')
  const page = await panel.open({ as: admin, at: '/pages/planned' })
  await field(page, 'Introduction').fill('Next year')
  await saved(page)
  await changesBar(page).getByRole('button', { name: 'Schedule' }).click()
  const dialog = page.getByRole('dialog', { name: 'Schedule' })
  await dialog.getByLabel('Date').fill('2035-05-01')
  await dialog.getByText('Also publish the changes: Introduction').waitFor()
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click()
  await page
    .getByRole('main')
    .getByText(/^Scheduled for May 1, 2035/)
    .waitFor()
  expect(await read('planned')).toMatchObject({
    status: 'listed',
    schedule: { status: 'listed', publishChanges: true },
    content: { intro: 'First' },
  })
})

test.runIf(isSlow)('blocks of other editors are merged; only a block that both changed is a conflict', async () => {
  await article('merged', { intro: 'First', body: [text('one', 'a'), text('two', 'b'), text('three', 'c')] })
  const page = await panel.open({ as: admin, at: '/pages/merged' })
  const block = (words: string) => page.locator('[data-block]').filter({ hasText: words }).getByRole('textbox')
  await block('one').waitFor()
  await apiClient.done('PATCH', 'pages/merged', { body: [text('one theirs', 'a'), text('two', 'b'), text('three theirs', 'c'), text('four', 'd')] }) // prettier-ignore
  const typed = Promise.withResolvers<void>()
  await page.route('**/changes/save*', async route => {
    await typed.promise
    await route.continue()
  })
  for (const words of ['one', 'two']) {
    await block(words).click()
    await page.keyboard.press('End')
    await page.keyboard.type(' mine')
  }
  typed.resolve()
  const dialog = page.getByRole('dialog', { name: 'Resolve conflict' })
  await dialog.waitFor()
  await expect.poll(() => dialog.locator('legend').allTextContents()).toEqual(['Body › Text › Text'])
  await expectAccessible(page)
  await dialog.getByRole('radio', { name: 'Use theirs' }).click()
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await publish(page)
  const { body } = (await read('merged')).content as { body: { content: { text: string } }[] }
  expect(body.map(({ content }) => content.text)).toEqual(['<p>one theirs</p>', '<p>two mine</p>', '<p>three theirs</p>', '<p>four</p>']) // prettier-ignore
})

test.runIf(isSlow)(
  'the history shows formatting, links, images and settings with the labels of the blueprint',
  async () => {
    const uuid = await article('shown', {
      intro: 'First',
      body: [heading(), text('A <a href="/old">link</a> and words')],
    })
    const bytes = await createImage('png', { width: 60, height: 40 })
    await addFile(site, `page://${uuid}`, 'ship.png', bytes, {
      mime: 'image/png',
      type: 'image',
      width: 60,
      height: 40,
    })
    const image = {
      id: 'i',
      type: 'image',
      isHidden: false,
      content: { location: 'kirby', image: ['ship.png'], alt: 'A ship' },
    }
    const words = 'A <a href="/new">link</a> and <strong>words</strong>'
    await apiClient.done('PATCH', 'pages/shown', { body: [heading('h3'), text(words), image] })
    const page = await panel.open({ as: admin, at: '/pages/shown' })
    await field(page, 'Introduction').waitFor()
    const history = await openHistory(page)
    const newest = history
      .getByRole('listitem')
      .filter({ has: page.getByRole('button') })
      .first()
    await newest.getByRole('button').first().click()
    await newest.locator('ins', { hasText: '→ /new' }).waitFor()
    await newest.locator('del', { hasText: '→ /old' }).waitFor()
    await newest.locator('ins strong', { hasText: 'words' }).waitFor()
    await newest.locator('ins', { hasText: 'ship.png' }).waitFor()
    await newest.locator('img').first().waitFor()
    await newest.getByText('Image').first().waitFor()
    expect(await newest.innerText()).not.toMatch(/kirby|isHidden|content/)
    await expectAccessible(page)
    await page.setViewportSize({ width: 360, height: 800 })
    await expectNoSidewaysScroll(page)
  },
)
