/** What screens show by permission, and the stacking order of dialogs. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { carryOutDue } from '../../src/groups/pages/schedule/due.ts'
import { expectAccessible, openPanel } from '../../test/browser.ts'
import { addUser, createTestStorage, password, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { describeRole } from '../../test/signed-in-user.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'pages/shelf.yml': 'title: Shelf\nsections: { books: { type: pages, templates: [book] } }',
  'pages/book.yml': 'title: Book\nfields: { text: { type: text, label: Text } }',
  'pages/note.yml': 'title: Note\noptions: { preview: "https://www.example.org/{{ page.slug }}" }',
  'pages/long.yml': `title: Long\nfields:\n${Array.from({ length: 30 }, (_, at) => `  f${at}: { type: text, label: Field ${at} }`).join('\n')}`,
})
describeRole(storage, 'visitor', 'permissions: { access: { panel: false } }')
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)
for (const [slug, template] of [
  ['shelf', 'shelf'],
  ['leaf', 'note'],
  ['book', 'book'],
  ['note', 'note'],
] as const)
  await addPage(site, '', { slug, title: slug, template, status: 'listed' })

/** Corners of the window where the page is on top. */
const uncoveredCorners = () => {
  const points = [[2, 2], [innerWidth - 2, 2], [2, innerHeight - 2], [innerWidth - 2, innerHeight - 2]] // prettier-ignore
  return points.filter(([x, y]) => document.querySelector('#root')!.contains(document.elementFromPoint(x!, y!)))
}

const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

test.runIf(isSlow)('a page can be moved only to parents that accept its template', async () => {
  for (const [id, parent] of [
    ['note', 'shelf'],
    ['book', 'leaf'],
  ])
    // prettier-ignore
    expect(await apiClient.call('PATCH', `pages/${id}/move`, { parent })).toMatchObject({ key: 'error.page.move.template' })
  const select = async (id: string) => (await apiClient.done('GET', `pages/${id}?select=acceptedTemplates`)).data
  expect([await select('shelf'), await select('leaf')]).toEqual([
    { acceptedTemplates: ['book'] },
    { acceptedTemplates: [] },
  ])
  expect((await apiClient.done('GET', 'site?select=acceptedTemplates')).data.acceptedTemplates).toBeNull()

  const page = await panel.open({ as: admin, at: '/pages/note' })
  await page.getByRole('button', { name: 'Page actions' }).click()
  await page.getByRole('menuitem', { name: 'Move' }).click()
  const row = (name: string) => page.getByRole('treeitem', { name })
  await row('shelf').waitFor()
  await expect.poll(() => row('shelf').getAttribute('aria-disabled')).toBe('true')
  await row('shelf').click({ force: true })
  await expect.poll(() => page.getByRole('button', { name: 'Move here' }).isDisabled()).toBe(true)
  await expectAccessible(page)

  await page.goto(`${panel.url}/pages/book`)
  await page.getByRole('button', { name: 'Page actions' }).click()
  await page.getByRole('menuitem', { name: 'Move' }).click()
  await expect.poll(() => row('leaf').getAttribute('aria-disabled')).toBe('true')
  await row('shelf').click()
  await page.getByRole('button', { name: 'Move here' }).click()
  await page.waitForURL('**/pages/shelf+book')
})

test.runIf(isSlow)('the palette drops deleted pages and updates renamed ones', async () => {
  for (const slug of ['gone', 'moved']) await addPage(site, '', { slug, title: `Page ${slug}`, template: 'book' })
  const page = await panel.open({ as: admin, at: '/pages/gone' })
  for (const name of ['moved', 'gone']) {
    await page.goto(`${panel.url}/pages/${name}`)
    await title(page, `Page ${name}`)
  }
  await apiClient.done('DELETE', 'pages/gone')
  await apiClient.done('PATCH', 'pages/moved/slug', { slug: 'elsewhere' })
  await page.goto(`${panel.url}/site`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: /^Page moved.*\/elsewhere/ }).waitFor()
  await expect.poll(() => page.getByRole('option', { name: 'Page gone' }).count()).toBe(0)
})

test.runIf(isSlow)('/login shows the sign-in and redirects afterwards', async () => {
  const page = await panel.open({ at: '/login' })
  await page.getByLabel('E-mail').fill(admin.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/panel/today')
  await page.goto(`${panel.url}/login`)
  await page.waitForURL('**/panel/today')
})

test('an account without access to the panel sees a message and can sign out', async () => {
  const page = await panel.open({ as: { role: 'visitor', email: 'vera@example.org' }, at: '/pages/shelf' })
  await page.getByText('Your account has no access to the panel.').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('E-mail').fill('vera@example.org')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('Your account has no access to the panel.').waitFor()
})

test.runIf(isSlow)('an open page updates after its scheduled publication', async () => {
  await addPage(site, '', { slug: 'planned', title: 'Planned', template: 'book', draft: true })
  const at = new Date(storage.clock() + 1000).toISOString()
  await apiClient.done('PATCH', 'pages/planned/schedule', { status: 'unlisted', at })
  const page = await panel.open({ as: admin, at: '/pages/planned' })
  await page.getByRole('button', { name: /Draft/ }).waitFor()
  await storage.moveClock(2000)
  await carryOutDue(site.app)
  await page.getByText('Published as scheduled: “Planned”').waitFor()
  await page.getByRole('button', { name: /Unlisted/ }).waitFor()
})

test.runIf(isSlow)('toasts do not cover the changes bar, and dialogs cover the page', async () => {
  await addPage(site, '', { slug: 'long', title: 'Long', template: 'long', status: 'unlisted' })
  const page = await panel.open({ as: admin, at: '/pages/long' })
  const changes = page.getByRole('region', { name: 'Changes' })
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 700 })
    await page.getByRole('textbox', { name: 'Field 3', exact: true }).fill(`Words ${width}`)
    await page.keyboard.press('Control+s')
    await page
      .getByRole('dialog')
      .or(page.getByText('Changes published', { exact: false }))
      .first()
      .waitFor()
    await page.getByRole('textbox', { name: 'Field 4', exact: true }).fill(`Words ${width}`)
    await changes.waitFor()
    const message = page
      .getByRole('region', { name: /Notifications/ })
      .locator('> *')
      .first()
    const distance = async () => {
      const [above, below] = [(await message.boundingBox())!, (await changes.boundingBox())!]
      return below.y - (above.y + above.height)
    }
    await expect.poll(distance).toBeGreaterThanOrEqual(0)
    await page.evaluate('scrollTo(0, 400)')
    await changes.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('alertdialog').waitFor()
    await expect.poll(() => page.evaluate(uncoveredCorners)).toEqual([])
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click()
    await changes.waitFor({ state: 'detached' })
  }
})

test.runIf(isSlow)('previews are offered only for pages with an address of a front end', async () => {
  const page = await panel.open({ as: admin, at: '/pages/shelf' })
  const open = async (id: string) => {
    await page.goto(`${panel.url}/pages/${id}`)
    await title(page, id)
    await page.getByRole('button', { name: 'Page actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
  }
  const items = page.getByRole('menuitem', { name: 'Share preview' })
  const buttons = page.getByRole('button', { name: 'Preview', exact: true, includeHidden: true })
  await open('note')
  await items.waitFor()
  await buttons.waitFor()
  await open('shelf')
  expect([await buttons.count(), await items.count()]).toEqual([0, 0])
})

test.runIf(isSlow)('paths and counts stay left-to-right in right-to-left languages', async () => {
  const reader = await addUser(site, { email: 'rana@example.org' })
  await apiClient.done('PATCH', `users/${reader.id}/language`, { language: 'ar' })
  const page = await panel.open({ as: reader, at: '/pages/shelf' })
  await title(page, 'shelf')
  await page.goto(`${panel.url}/pages/note`)
  await title(page, 'note')
  await page.keyboard.press('Control+k')
  const path = page.getByRole('option', { name: /shelf/ }).locator('bdi')
  await path.waitFor()
  await expect.poll(() => path.textContent()).toBe('/shelf')
  await expect.poll(() => path.evaluate(one => getComputedStyle(one).direction)).toBe('ltr')
})
