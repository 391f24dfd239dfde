import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectNoSidewaysScroll, openPanel } from '../../test/browser.ts'
import { createImage, createUploader, dataOf } from '../../test/files.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { createSignedInUser } from '../../test/signed-in-user.ts'
import { isSlow } from '../../test/slow.ts'

const layouts = ['cards', 'cardlets', 'table', 'list'] as const
const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  ...Object.fromEntries(
    layouts.map(layout => [
      `pages/${layout}.yml`,
      `title: ${layout}
tabs:
  pages: { icon: 🐟, sections: { pages: { type: pages, label: Pages, layout: ${layout}, template: note, status: published, columns: { text: { label: Words } } } } }
  files: { sections: { files: { type: files, label: Files, layout: ${layout} } } }
`,
    ]),
  ),
  'pages/note.yml': 'title: Note\nfields: { text: { type: text } }\n',
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site)
const apiClient = await createTokenClient(site)
const sender = await createUploader(await createSignedInUser(site))

for (const layout of layouts) {
  const uuid = await addPage(site, '', { slug: layout, title: layout, template: layout, status: 'listed' })
  for (const [slug, title] of [
    ['a', 'Apple'],
    ['b', 'Banana'],
    ['c', 'Cherry'],
    ['d', 'Damson'],
  ] as const)
    // prettier-ignore
    await addPage(site, uuid, { slug, title, template: 'note', status: slug === 'd' ? 'unlisted' : 'listed', content: { text: 'Fruit' } })
  for (const [name, color] of [
    ['a', '#b33'],
    ['b', '#3b3'],
    ['c', '#33b'],
  ] as const)
    // prettier-ignore
    dataOf(
      await sender.send(`pages/${layout}/files`, [
        { filename: `${name}.png`, bytes: await createImage('png', { color, width: 300, height: 200 }) },
      ]),
    )
}

const pagesOf = async (layout: string) =>
  ((await apiClient.done('GET', `pages/${layout}/children?select=slug`)).data as { slug: string }[])
    .map(({ slug }) => slug)
    .join('')
const filesOf = async (layout: string) =>
  ((await apiClient.done('GET', `pages/${layout}/files?select=filename`)).data as { filename: string }[])
    .map(({ filename }) => filename[0])
    .join('')

/** Dragged by its handle, before another one. */
async function drag(page: Page, name: string, to: string, layout: string) {
  const role = layout === 'table' ? 'row' : 'listitem'
  const target = page.getByRole('main').getByRole(role).filter({ hasText: to })
  await target.hover() // when it no longer moves
  const box = (await target.boundingBox())!
  const grip = page.getByRole('button', { name: `Move ${name}` })
  await grip.hover()
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 4 })
  await page.mouse.move(box.x + 4, box.y + 4, { steps: 4 })
  await page.mouse.up()
}

/** The daily run tests one layout of each kind, because their keys differ. */
test.runIf(isSlow).each(layouts)('pages are sorted by keyboard and by mouse as %s', async layout => {
  const page = await panel.open({ as: admin, at: `/pages/${layout}` })
  await page.getByRole('button', { name: 'Move Apple' }).focus()
  await page.keyboard.press(layout.startsWith('card') ? 'ArrowRight' : 'ArrowDown')
  await page.getByRole('status').filter({ hasText: 'Apple is now at position 2 of 3' }).waitFor()
  await expect.poll(() => pagesOf(layout)).toBe('bacd')
  // Pages without a number cannot be sorted among listed ones.
  expect(await page.getByRole('button', { name: 'Move Damson' }).count()).toBe(0)
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => pagesOf(layout)).toBe('bcad')
  await page.keyboard.press('ArrowDown')
  await drag(page, 'Apple', 'Banana', layout)
  await expect.poll(() => pagesOf(layout)).toBe('abcd')
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 700 })
  await expectNoSidewaysScroll(page)
})

test.runIf(isSlow).each(layouts)('files are sorted by keyboard and by mouse as %s', async layout => {
  const page = await panel.open({ as: admin, at: `/pages/${layout}` })
  await page.getByRole('tab', { name: 'Files' }).click()
  await page.getByRole('button', { name: 'Move a.png' }).focus()
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => filesOf(layout)).toBe('bac')
  await drag(page, 'c.png', 'b.png', layout)
  await expect.poll(() => filesOf(layout)).toBe('cba')
  // Images fade in over an icon of the same size.
  const first = page.getByRole('main').locator('img').first()
  await expect.poll(() => first.evaluate(image => getComputedStyle(image).opacity)).toBe('1')
  await expectAccessible(page)
})

test.runIf(isSlow)('the URL and the open tab follow each other, and an emoji can be an icon', async () => {
  const page = await panel.open({ as: admin, at: '/pages/list/?tab=files' })
  const tab = (name: string) => page.getByRole('tab', { name })
  await expect.poll(() => tab('Files').getAttribute('aria-selected')).toBe('true')
  await tab('Pages').click()
  await expect.poll(() => new URL(page.url()).searchParams.get('tab')).toBe('pages')
  await page.reload()
  await expect.poll(() => tab('Pages').getAttribute('aria-selected')).toBe('true')
  await expect.poll(() => tab('Pages').locator('svg').textContent()).toBe('🐟')
})
