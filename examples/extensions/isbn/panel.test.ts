import { expect, test } from 'vitest'
import { changesBar, expectAccessible, openPanel, publishChanges } from '../../../test/browser.ts'
import { addUser } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { isbn } from './isbn.ts'
import { isSlow } from '../../../test/slow.ts'

const panel = await openPanel({ settings: { extensions: [isbn()] } })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const program = await createTokenClient(site)
const related = [
  { type: 'book', content: { title: 'Paper', author: 'Mo', isbn: '9781861972712' } },
  { type: 'book', content: { title: 'Lead' } },
]
for (const [slug, number] of [
  ['ink', '9780306406157'],
  ['glue', '9783161484100'],
] as const)
  // prettier-ignore
  await addPage(site, '', {
    slug,
    template: 'book',
    content: { title: slug, isbn: number, related },
    status: 'listed',
  })

test.runIf(isSlow)("a rule's error is shown at its field while one types", async () => {
  const page = await panel.open({ as: admin, at: '/pages/glue' })
  const input = page.getByRole('textbox', { name: 'ISBN' })
  expect(await input.inputValue()).toBe('9783161484100')
  await input.fill('978-0-306-40615')
  await page.getByText('12/13').waitFor()
  await page.getByText('An ISBN has 13 digits.').waitFor()
  await input.press('End')
  await input.pressSequentially('-7')
  await page.getByText('“ink” has this ISBN already.').waitFor()
  expect(await input.getAttribute('aria-invalid')).toBe('true')
  expect(await input.inputValue()).toBe('978-0-306-40615-7')
  await expectAccessible(page)

  await input.fill('978-1-86197-271-2')
  await page.getByText('“ink” has this ISBN already.').waitFor({ state: 'detached' })
  expect(await input.getAttribute('aria-invalid')).toBe('false')
  await changesBar(page).waitFor()
  await publishChanges(page)
  expect((await program.done('GET', 'pages/glue')).data.content).toMatchObject({ isbn: '9781861972712' })
  await expect.poll(() => input.inputValue()).toBe('9781861972712')
})

test.runIf(isSlow)('a book in a list of blocks has its preview, which opens the form', async () => {
  const page = await panel.open({ as: admin, at: '/pages/ink', theme: 'dark' })
  await page.getByText('Mo · ISBN 9781861972712').waitFor()
  const spine = `getComputedStyle(document.querySelector('quoin-isbn-block-book')).borderInlineStartWidth`
  expect(await page.evaluate(spine)).toBe('6px')
  await expectAccessible(page)
  await page.getByText('Lead', { exact: true }).click()
  const form = page.getByRole('dialog')
  await form.getByRole('textbox', { name: 'Author' }).fill('Mia')
  await form.getByRole('textbox', { name: 'ISBN' }).fill('978-3-16-148410-0')
  await form.getByRole('button', { name: 'Close' }).first().click()
  await page.getByText('Mia · ISBN 978-3-16-148410-0').waitFor()
})
