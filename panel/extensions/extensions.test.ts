import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { books } from '../../test/books.ts'
import { changesBar, expectAccessible, openPanel, publishChanges } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { defineExtension, fieldType } from '../../src/index.ts'
import { isSlow } from '../../test/slow.ts'
import { addToken } from '../../test/tokens.ts'

const storage = await createTestStorage({ migrated: true })
const failing = ['constructor', 'connected', 'setter', 'import', 'event'] as const
writeBlueprints(storage.data, {
  'blocks/book.yml': 'name: Book\nfields: { number: { type: isbn } }',
  'pages/book.yml': `
fields:
  number: { type: isbn, label: Number, help: 'As on the *back*' }
  stars: { type: stars, label: Stars }
  body: { type: blocks, fieldsets: [book, text] }
`,
  'pages/torn.yml': `fields:\n${failing.map(name => `  in-${name}: { type: ${name}-part, label: Torn ${name} }`).join('\n')}\n  other: { type: text, label: Other }`,
  'users/reader.yml':
    'title: Reader\npermissions: { "*": false, access: true, pages: { read: true, list: true, access: true } }',
})
const torn = defineExtension({
  name: 'torn',
  file: pathToFileURL(join(import.meta.dirname, 'torn.ts')).href,
  fields: Object.fromEntries(failing.map(name => [`${name}-part`, fieldType({ shown: 'text' })])),
  panel: { fields: Object.fromEntries(failing.map(name => [`${name}-part`, `./fixtures/throws-${name}.ts` as const])) },
})
const shown = books({
  file: pathToFileURL(join(import.meta.dirname, 'books.ts')).href,
  panel: {
    fields: { isbn: './fixtures/isbn.ts' },
    blocks: { book: './fixtures/preview.ts' },
    screens: {
      shelf: { file: './fixtures/shelf.ts', label: { en: 'Shelf', de: 'Regal' }, icon: 'book', access: 'books.shelf' },
    },
  },
})
const panel = await openPanel({ storage, settings: { extensions: [shown, torn] } })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)

const numberIn = (page: Page) => page.getByRole('textbox', { name: 'Number', exact: true })
const contentOf = async (slug: string) =>
  (await apiClient.done('GET', `pages/${slug}`)).data.content as Record<string, unknown>

test('a field has the input of the extension: typing, errors, publishing', async () => {
  await addPage(site, '', { slug: 'typed', template: 'book', status: 'listed' })
  const page = await panel.open({ as: admin, at: '/pages/typed' })
  const input = numberIn(page)
  expect(await input.getAttribute('aria-description')).toBe('As on the back')
  await input.fill('9780306406150')
  await page.getByText('The last digit does not fit.').first().waitFor()
  expect(await input.getAttribute('aria-invalid')).toBe('true')
  expect(await input.getAttribute('aria-description')).toBe('As on the back The last digit does not fit.')
  await expectAccessible(page)
  await input.fill('978-0-306-40615-7')
  await page.getByText('13 of 13 digits').waitFor()
  await expect.poll(() => input.getAttribute('aria-invalid')).toBe('false')
  await publishChanges(page)
  expect(await contentOf('typed')).toMatchObject({ number: '9780306406157' })
  await expect.poll(() => input.inputValue()).toBe('9780306406157')
  await page.getByText('Number', { exact: true }).click()
  expect(await page.evaluate('document.activeElement.tagName')).toBe('QUOIN-BOOKS-FIELD-ISBN')
})

test.runIf(isSlow)('without the permission to change it the input is disabled; dark and right to left', async () => {
  await addPage(site, '', { slug: 'read', template: 'book', status: 'listed', content: { number: '9780306406157' } })
  const page = await panel.open({ as: { role: 'reader' }, at: '/pages/read', theme: 'dark' })
  await expect.poll(() => numberIn(page).isDisabled()).toBe(true)
  expect(await numberIn(page).inputValue()).toBe('9780306406157')
  await expectAccessible(page)
  const reader = await addUser(site)
  await site.app.store.write(tx =>
    tx.updateTable('users').set({ language: 'ar' }).where('id', '=', reader.id).execute(),
  )
  const arabic = await panel.open({ as: reader, at: '/pages/read' })
  await numberIn(arabic).waitFor()
  await expectAccessible(arabic)
})

const block = (id: string, number: string) => ({ id, type: 'book', isHidden: false, content: { number } })

test.runIf(isSlow)('a block has the preview of the extension, or its summary if that fails', async () => {
  const body = [block('one', '9780306406157'), block('two', '9783161484100')]
  await addPage(site, '', { slug: 'blocks', template: 'book', status: 'listed' })
  await apiClient.done('PATCH', 'pages/blocks', { number: '9780306406157', body })
  panel.expectProblem(/no preview today/)
  const page = await panel.open({ as: admin, at: '/pages/blocks' })
  await page.getByText('Book 9780306406157').waitFor()
  await page.getByText('“book” of the extension “books” cannot be shown.').waitFor()
  await page.getByText('Number: 9783161484100').waitFor()
  await expectAccessible(page)
  const preview = page.locator('quoin-books-block-book').filter({ hasText: '9780306406157' })
  const title = () => preview.locator('strong').getAttribute('title')
  const before = await title()
  expect(before).toMatch(/^\S+, open$/)
  await preview.evaluate((element: HTMLElement & { disabled?: boolean }) => void (element.disabled = true))
  expect(await title()).toBe(before!.replace('open', 'read only'))
  await preview.evaluate((element: HTMLElement & { disabled?: boolean; field?: object }) => {
    element.disabled = false
    element.field = { ...element.field, name: 'Volume' }
  })
  expect(await title()).toBe('Volume, open')
  await page.getByText('Book 9780306406157').click()
  const drawer = page.getByRole('dialog')
  expect(await numberIn(drawer as unknown as Page).inputValue()).toBe('9780306406157')
})

test.runIf(isSlow)('a part that fails is named, its value is kept, and the rest of the form works', async () => {
  await addPage(site, '', { slug: 'torn', template: 'torn', status: 'listed' })
  await apiClient.done('PATCH', 'pages/torn', Object.fromEntries(failing.map(name => [`in-${name}`, `kept ${name}`])))
  panel.expectProblem(/constructor|connected|setter|import|event/)
  const page = await panel.open({ as: admin, at: '/pages/torn' })
  const box = (name: string) => page.getByText(`“${name}-part” of the extension “torn” cannot be shown.`)
  for (const name of failing.slice(0, -1)) await box(name).waitFor()
  expect(await box('event').count()).toBe(0)
  await page.getByRole('button', { name: 'Throw' }).click()
  await box('event').waitFor()
  await expectAccessible(page)
  await page.getByRole('textbox', { name: 'Other' }).fill('works')
  await changesBar(page).waitFor()
  await publishChanges(page)
  expect(await contentOf('torn')).toMatchObject({
    other: 'works',
    ...Object.fromEntries(failing.map(name => [`in-${name}`, `kept ${name}`])),
  })
})

test.runIf(isSlow)('roles and tokens show what the permissions of extensions allow', async () => {
  const page = await panel.open({ as: admin, at: '/roles' })
  await page.getByRole('rowheader', { name: 'See the shelf.' }).waitFor()
  expect(await page.getByRole('rowheader', { name: 'shelf', exact: true }).count()).toBe(0)
  await addToken(site.app, { userId: admin.id, name: 'Front end', scopes: ['books.shelf'] })
  const tokens = await panel.open({ as: admin, at: '/account?tab=tokens' })
  await tokens.getByRole('listitem').filter({ hasText: 'Front end' }).getByText('See the shelf.').waitFor()
  await tokens.getByRole('button', { name: 'Create token' }).click()
  await tokens.getByRole('dialog').getByRole('radio').last().click()
  await tokens.getByRole('combobox', { name: 'Scopes' }).fill('See the')
  await tokens.getByRole('option', { name: 'See the shelf.' }).waitFor()
})

test.runIf(isSlow)('a screen is in the menu of users who may see it', async () => {
  const page = await panel.open({ as: admin, at: '/account' })
  const menu = page.getByRole('navigation', { name: 'Main' })
  await menu.getByRole('link', { name: 'Shelf' }).click()
  await page.getByRole('heading', { name: 'Shelf' }).waitFor()
  await page.getByText(/\d books/).waitFor()
  await expectAccessible(page)
  // Moved while it is still empty.
  await page.evaluate(`{
    const shelf = document.createElement('quoin-books-screen-shelf')
    shelf.client = { extensions: { books: { count: async () => ({ pages: 3 }) } } }
    for (const place of [document.body, document.documentElement, document.body]) place.append(shelf)
  }`)
  await page.getByText('3 books').waitFor()
  expect(await page.getByText('3 books').count()).toBe(1)
  const other = await panel.open({ as: { role: 'reader' }, at: '/extensions/books/shelf' })
  await other.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
  expect(await other.getByRole('link', { name: 'Shelf' }).count()).toBe(0)
  expect(await other.getByText(/\d books/).count()).toBe(0)
  const nowhere = await panel.open({ as: admin, at: '/extensions/books/nothing' })
  await nowhere.getByRole('heading', { name: 'Not found' }).waitFor({ state: 'attached' })
})
