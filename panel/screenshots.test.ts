/** The screenshots of the guide, and the script that takes them. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { isSlow } from '../test/slow.ts'
import { screenshots } from '../tools/screenshots/screenshots.ts'
import { names, takeScreenshots } from '../tools/screenshots/take.ts'

test.runIf(isSlow)("every screen of the guide's screenshots can be opened and has a title", async ({ skip }) => {
  if (inject('chromium') === '') skip()
  const titles = new Map(screenshots.map(({ name, title }) => [name, title === 'A small press' ? 'Site' : title]))
  const browser = await chromium.connect(inject('chromium'))
  const opened: string[] = []
  await takeScreenshots(browser, async (name: string, page: { title(): Promise<string> }) => {
    await expect
      .poll(() => page.title(), { message: name })
      .toBe(`${titles.get(name.replace(/-(dark|narrow)$/, ''))} · A small press`)
    opened.push(name)
  })
  await browser.close()
  expect(opened.toSorted(byName)).toEqual(names.toSorted(byName))
})

test('the guide shows every screenshot, and no other', () => {
  const folder = join(import.meta.dirname, '../docs/guide')
  const guide = globSync('*.md', { cwd: folder }).map(name => readFileSync(join(folder, name), 'utf8'))
  const shown = [...guide.join('\n').matchAll(/\(images\/([\w-]+)\.webp\)/g)].map(([, name]) => name!)
  expect(shown.toSorted(byName)).toEqual(names.toSorted(byName))
})

const byName = (one: string, other: string) => one.localeCompare(other)
