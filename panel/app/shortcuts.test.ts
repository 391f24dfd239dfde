import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expectAccessible, openPanel } from '../../test/browser.ts'
import { addUser, createTestStorage, writeBlueprints } from '../../test/harness.ts'
import { addPage } from '../../test/pages.ts'
import { shortcutGroups } from './shortcut-list.ts'
import { isSlow } from '../../test/slow.ts'

const storage = await createTestStorage({ migrated: true })
writeBlueprints(storage.data, {
  'site.yml': 'title: Site\nsections:\n  pages: { type: pages, label: Pages }\n',
  'pages/note.yml': `title: Note
fields:
  text: { type: text }
  grid: { type: layout, layouts: [['1/2', '1/2']], settings: { fields: { class: { type: text } } } }
  blocks: { type: blocks }
`,
})
const panel = await openPanel({ storage })
const { site } = panel
const admin = await addUser(site)
const columns = ['a', 'b'].map(id => ({ id, width: '1/2', blocks: [] }))
await addPage(site, '', {
  slug: 'lighthouse',
  title: 'The lighthouse',
  template: 'note',
  status: 'listed',
  content: {
    text: 'The keeper waits for fog',
    grid: [{ id: 'row', attrs: { class: 'dark' }, columns }],
    blocks: [{ id: 'one', type: 'heading', isHidden: false, content: { level: 'h2', text: 'Lamps and lenses' } }],
  },
})
await addPage(site, '', { slug: 'cellar', title: 'The cellar', template: 'note', status: 'listed' })

test('the guide lists the same shortcuts', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/panel.md'), 'utf8')
  const keyboard = guide.slice(guide.indexOf('## Keyboard'), guide.indexOf('## Dark'))
  const tables = keyboard.split(/^\| - \| - \|$/m).slice(1)
  const keys = tables.map(table =>
    [...table.matchAll(/^\| (`.*?) \|/gm)].map(([, cell]) => [...cell!.matchAll(/`(.*?)`/g)].map(([, key]) => key)),
  )
  expect(keys).toEqual(shortcutGroups.map(({ shortcuts }) => shortcuts.map(shortcut => shortcut.keys)))
})

test.runIf(isSlow)('? shows the shortcuts, but not while a text has the focus', async () => {
  const page = await panel.open({ as: admin, at: '/pages/lighthouse', height: 480 })
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await page.getByRole('textbox', { name: 'Text' }).fill('Why')
  await page.keyboard.press('End')
  await page.keyboard.type('?')
  await expect.poll(() => page.getByRole('textbox', { name: 'Text' }).inputValue()).toBe('Why?')
  expect(await dialog.count()).toBe(0)
  await page.getByRole('button', { name: 'Page actions' }).focus()
  await page.keyboard.type('?')
  await dialog.getByText('Undo, redo').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
})

test.runIf(isSlow)('the search tolerates a typo, shows the status, and knows the actions of a page', async () => {
  const page = await panel.open({ as: admin, at: '/pages/cellar' })
  await page.getByRole('button', { name: 'Page actions' }).waitFor()
  const search = async (words: string) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill(words)
  }
  await search('ilghthouse')
  await page.getByRole('option', { name: 'The lighthouse Public' }).waitFor()
  await page.keyboard.press('Escape')
  await search('keeper')
  // Neither ids nor settings of blocks and layouts are part of the excerpt.
  const found = 'The lighthouse Public.* The keeper waits for fog Lamps and lenses'
  await page.getByRole('option', { name: new RegExp(`^${found} /lighthouse$`) }).waitFor()
  await page.setViewportSize({ width: 390, height: 800 })
  await page.getByRole('option', { name: new RegExp(`^${found}$`) }).waitFor()
  await expectAccessible(page)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.keyboard.press('Escape')
  await search('chagne status')
  await page.getByRole('option', { name: 'Change status' }).click()
  await page.getByRole('dialog', { name: 'Change status' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('textbox', { name: 'Text' }).fill('Cool')
  await page.getByText('Draft saved').waitFor()
  await search('publsh')
  await page.getByRole('option', { name: 'Publish', exact: true }).click()
  await page.getByText('Published', { exact: true }).waitFor()
  await search('files')
  await page.getByRole('option', { name: 'Files The cellar' }).click()
  await page.waitForURL('**/pages/cellar/files')
  // Before something is typed, the status of the pages that were opened last.
  await page.goto(`${panel.url}/site`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'The cellar Public /cellar' }).waitFor()
})

test.runIf(isSlow)('tooltips are hidden while something is dragged', async () => {
  const page = await panel.open({ as: admin, at: '/site' })
  const handle = page.getByRole('button', { name: 'Move The cellar' })
  const tip = page.locator('[aria-hidden=true].fixed', { hasText: /./ })
  await handle.hover()
  await tip.waitFor()
  const box = (await page.getByRole('button', { name: 'Move The lighthouse' }).boundingBox())!
  await page.mouse.down()
  await page.mouse.move(box.x + 8, box.y + 8, { steps: 4 })
  await page.mouse.move(box.x + 9, box.y + 9, { steps: 4 })
  await page.evaluate('new Promise(resolve => setTimeout(resolve, 500))') // longer than the delay of a tooltip
  expect(await tip.count()).toBe(0)
  await page.mouse.up()
})
