import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { fieldTypes } from '../../src/blueprints/fields/index.ts'
import { changesBar, expectAccessible, openPanel, publishChanges } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
const options = 'options: { red: Red, green: Green, blue: Blue }'
const described = `
  blocks: { type: blocks, fieldsets: [heading, text] }
  checkboxes: { type: checkboxes, ${options} }
  color: { type: color }
  date: { type: date }
  email: { type: email }
  files: { type: files }
  gap: { type: gap }
  headline: { type: headline, label: A headline }
  hidden: { type: hidden }
  info: { type: info, text: A note }
  layout: { type: layout, fieldsets: [text] }
  line: { type: line }
  link: { type: link }
  list: { type: list }
  multiselect: { type: multiselect, ${options} }
  number: { type: number }
  object: { type: object, fields: { street: { type: text } } }
  pages: { type: pages }
  radio: { type: radio, ${options} }
  range: { type: range, min: 0, max: 10 }
  select: { type: select, ${options} }
  slug: { type: slug }
  structure: { type: structure, fields: { name: { type: text } } }
  table: { type: table }
  tags: { type: tags }
  tel: { type: tel }
  text: { type: text, label: Plain text }
  textarea: { type: textarea }
  time: { type: time }
  toggle: { type: toggle }
  toggles: { type: toggles, ${options} }
  url: { type: url }
  users: { type: users }
  writer: { type: writer }
`
writeBlueprints(storage.data, { 'pages/all.yml': `title: All\nfields:${described}` })
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site, { email: 'ada@example.org' })
const apiClient = await createTokenClient(site)

const first = {
  blocks: [{ id: 'b1', type: 'text', isHidden: false, content: { text: '<p>A block</p>' } }],
  checkboxes: ['red', 'blue'],
  color: '#ff0000',
  date: '2026-03-01',
  email: 'a@example.org',
  hidden: 'secret',
  layout: [
    {
      id: 'l1',
      attrs: [],
      columns: [
        {
          id: 'c1',
          width: '1/1',
          blocks: [{ id: 'b2', type: 'text', isHidden: false, content: { text: '<p>Laid out</p>' } }],
        },
      ],
    },
  ],
  link: 'https://example.org',
  list: '<ul><li><p>One</p></li></ul>',
  multiselect: ['green'],
  number: 7,
  object: { street: 'Quay 4' },
  pages: ['other'],
  radio: 'green',
  range: 4,
  select: 'blue',
  slug: 'a-slug',
  structure: [{ name: 'Ada' }],
  table: { header: true, rows: [['Day', 'High'], ['Mon', '<strong>6:12</strong>']] }, // prettier-ignore
  tags: ['ink', 'paper'],
  tel: '+44 20',
  text: 'First',
  textarea: 'First (bold: words)',
  time: '10:30:00',
  toggle: true,
  toggles: 'red',
  url: 'https://example.org/x',
  users: [admin.id],
  writer: '<p>First <strong>words</strong></p>',
}

const contentOf = async () =>
  (await apiClient.done('GET', 'pages/everything?select=content')).data.content as Record<string, unknown>
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

test('there is a field of every type', () => {
  const names = [...described.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name!)
  expect(names.toSorted()).toEqual(Object.keys(fieldTypes).toSorted())
})

test.runIf(isSlow)('a page with every type of field opens unchanged, is edited, published and restored', async () => {
  await addPage(site, '', { slug: 'other', title: 'Other', template: 'all', status: 'listed' })
  await addPage(site, '', { slug: 'everything', title: 'Everything', template: 'all', status: 'listed' })
  await apiClient.done('PATCH', 'pages/everything', first)
  const before = await contentOf()
  const page = await panel.open({ as: admin, at: '/pages/everything', height: 2400 })
  await field(page, 'Plain text').waitFor()
  await page.getByText('A block').waitFor()
  await page.getByText('Laid out').waitFor()
  const bar = changesBar(page)
  expect(await bar.count(), 'viewing changes nothing').toBe(0)
  await expectAccessible(page)

  await field(page, 'Plain text').fill('Second')
  await field(page, 'Writer').fill('Second words')
  await page.getByRole('switch', { name: /Toggle/ }).click()
  await page.getByRole('radio', { name: 'Red' }).first().click()
  await page.getByRole('checkbox', { name: 'Green' }).click()
  await field(page, 'Email').fill('b@example.org')
  await bar.getByText('6 changes').waitFor()
  await publishChanges(page)
  const after = await contentOf()
  const changed = Object.keys(after).filter(name => JSON.stringify(after[name]) !== JSON.stringify(before[name]))
  expect(changed.toSorted()).toEqual(['checkboxes', 'email', 'radio', 'text', 'toggle', 'writer'])
  expect(after).toMatchObject({
    text: 'Second',
    writer: '<p>Second words</p>',
    toggle: false,
    radio: 'red',
    email: 'b@example.org',
  })

  await page.getByRole('button', { name: 'Page actions' }).click()
  await page.getByRole('menuitem', { name: 'History' }).click()
  const version = page.getByRole('dialog', { name: 'History' }).getByRole('listitem').nth(1)
  await version.getByRole('button').first().click()
  await version.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click()
  await expect.poll(() => field(page, 'Plain text').inputValue()).toBe('First')
  await expect.poll(() => field(page, 'Writer').textContent()).toBe('First words')
  // The version is in the draft: nothing is public before it is published.
  expect(await contentOf()).not.toEqual(before)
  await bar.getByRole('button', { name: 'Publish' }).click()
  await expect.poll(contentOf).toEqual(before)
  await expect.poll(() => bar.count()).toBe(0)
})
